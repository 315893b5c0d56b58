import { describe, expect, test } from 'vitest';
import { installedClient } from './installed-client.js';
import { loadClient } from './load-client.js';

describe('loading the client library', () => {
  test('gives what is installed', async () => {
    expect(new (await loadClient(installedClient)).KubeConfig()).toHaveProperty('loadFromString');
    expect(await installedClient.installedVersion()).toBe('1.4.0');
  });

  test('one that is not installed is named with the command that installs it', async () => {
    const missing = {
      load: () => Promise.reject(new Error("Cannot find package '@kubernetes/client-node'")),
      installedVersion: async () => undefined,
    };
    await expect(loadClient(missing)).rejects.toThrow(
      /^CLIENT_MISSING @kubernetes\/client-node: found nothing.*2 needs Node\.js 22\.19.*npm install @kubernetes\/client-node@1\.4\.0$/,
    );
  });

  test('one that does not load says which Node.js it needs', async () => {
    const load = () => Promise.reject(new TypeError('webidl.util.markAsUncloneable is not a function'));
    const too = { load, installedVersion: async () => '2.0.1' };
    await expect(loadClient(too)).rejects.toThrow(
      /found version 2\.0\.1, which this Node\.js could not load \(webidl.*allowed: Node\.js 22\.19 or newer/,
    );
    const old = { load, installedVersion: async () => '1.4.0' };
    await expect(loadClient(old)).rejects.toThrow(/Node\.js 20\.19 or newer for version 1\.4\.0/);
  });

  test('one that is too old is named with the versions that do', async () => {
    const old = { load: async () => ({ KubeConfig: class {} }), installedVersion: async () => '0.22.3' };
    await expect(loadClient(old)).rejects.toThrow(/found version 0\.22\.3, which lacks .*\^1\.4 \|\| \^2/);
  });
});
