import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Code } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { eventually } from './eventually.js';
import { openWorld } from './world.js';

const gpu = `  - name: gpu
    max_runners: 1
    providers: [{ name: cloud }]
`;

test('a reload takes up what it can, names what needs a restart, and leaves what was done by hand', async () => {
  const world = await openWorld();
  const daemon = await world.start();
  const client = world.client();
  await world.github.until(() => world.github.sessions().length === 1);
  await client.pauseScaleSet({ name: 'linux', reason: 'image is being made', keep: true });
  expect(await client.reload({})).toMatchObject({ applied: [], needsRestart: [] });

  await world.edit(
    (text) =>
      text
        .replace('max_runners: 3', 'max_runners: 2\n    min_runners: 1')
        .replace('type: aws', 'type: aws\n    weight: 3')
        .replace('log_level: debug', 'log_level: warn\nlog_format: json')
        .replace('events: {', 'installation: other\nevents: { max_count: 7,') + gpu,
  );
  expect(await client.reload({})).toMatchObject({
    applied: [
      'events.max_count 10000 -> 7',
      'log_level debug -> warn',
      'log_format text -> json',
      'provider cloud: weight 1 -> 3',
      'scale set linux: min_runners 0 -> 1',
      'scale set linux: max_runners 3 -> 2',
      'scale set gpu: new',
    ],
    needsRestart: [expect.stringContaining('installation')],
  });
  await world.github.until(() => world.github.sessions().length === 2);
  const status = await client.getStatus({});
  expect(status.daemon?.installation).not.toBe('other');
  expect(status.providers).toMatchObject([{ name: 'cloud', weight: 3 }]);
  expect(status.scaleSets).toMatchObject([
    { name: 'linux', minRunners: 1, maxRunners: 2, paused: true, pauseReason: 'image is being made', pauseKept: true },
    { name: 'gpu', maxRunners: 1, paused: false },
  ]);
  expect((await client.plan({ scaleSets: ['gpu'] })).scaleSets).toHaveLength(1);

  // What needs a restart is named again, as long as it does; a scale set taken out is let go.
  await world.edit((text) => text.replace(gpu, ''));
  const third = await client.reload({});
  expect(third.applied).toEqual([expect.stringContaining('scale set gpu: taken out')]);
  expect(third.needsRestart).toEqual([expect.stringContaining('installation')]);
  await world.github.until(() => world.github.sessions().length === 1);
  await eventually(async () => {
    const reloads = (await world.events()).filter(({ action }) => action === 'reloaded');
    expect(reloads.at(-1)).toMatchObject({ kind: 'daemon', attributes: { applied: '1', needs_restart: '1' } });
  });
  expect(world.log()).toContain('"msg":"A change needs a restart"');

  // A daemon that starts again has the pause, and what the file says now.
  await daemon.stop();
  await world.edit((text) => text.replace('installation: other\n', ''));
  await world.start();
  expect((await client.getStatus({})).scaleSets).toMatchObject([
    { name: 'linux', paused: true, pauseReason: 'image is being made', pauseKept: true },
  ]);
  await client.resumeScaleSet({ name: 'linux' });
});

test('a file with an error changes nothing, and everything wrong in it is said', async () => {
  const world = await openWorld();
  const daemon = await world.start();
  const client = world.client();
  await world.edit((text) =>
    text.replace('max_runners: 3', 'max_runners: none').replace('log_level: debug', 'log_level: x'),
  );
  const error = await client.reload({}).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: Code.InvalidArgument });
  expect(String(error)).toMatch(/log_level.*max_runners/s);
  await rm(join(world.folder, 'config.yaml'));
  await expect(daemon.reload()).rejects.toMatchObject({ code: 'not_found' });
  expect((await client.getStatus({})).scaleSets).toMatchObject([{ name: 'linux', maxRunners: 3 }]);
  await eventually(async () =>
    expect((await world.events()).filter(({ action }) => action === 'reload_failed')).toHaveLength(2),
  );
});

test('secret files are read again: the key of the App, and what a provider has', async () => {
  const world = await openWorld();
  const daemon = await world.start();
  await world.github.until(() => world.github.sessions().length === 1);
  await writeFile(join(world.folder, 'aws'), '[default]\naws_access_key_id = A\naws_secret_access_key = B\n');
  expect(await daemon.reload()).toEqual({
    applied: ['provider cloud: its secret files are read again'],
    needsRestart: [],
  });
  expect(await daemon.reload()).toEqual({ applied: [], needsRestart: [] });
  await eventually(async () => {
    const { providers } = await world.client().listProviders({});
    expect(providers).toMatchObject([{ name: 'cloud', reachable: false }]);
  });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  await writeFile(join(world.folder, 'app.pem'), 'no key');
  await expect(daemon.reload()).rejects.toMatchObject({ message: expect.stringContaining('private key') });
  await writeFile(join(world.folder, 'app.pem'), other);
  await expect(daemon.reload()).resolves.toMatchObject({ needsRestart: [] });
});
