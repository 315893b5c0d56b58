import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { Secret } from '@rungar/model';
import { expect, test } from 'vitest';
import { tempDir } from '../test/temp-dir.js';
import { describeCredentials, readCredentials } from './credentials.js';

const PEM = '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n';

async function fileWith(text: string): Promise<string> {
  const path = join(await tempDir(), 'secret');
  await writeFile(path, text);
  return path;
}

test('a token is taken without the white space around it, from its file or from the configuration', async () => {
  for (const configured of [{ tokenPath: await fileWith(' ghp_abc \r\n') }, { token: new Secret('ghp_abc') }]) {
    const credentials = await readCredentials({ kind: 'token', ...configured });
    expect(credentials.kind === 'token' && credentials.token.reveal()).toBe('ghp_abc');
    expect(inspect(credentials)).not.toContain('ghp_abc');
  }
});

test('the key of an App is taken as it is', async () => {
  for (const configured of [{ privateKeyPath: await fileWith(PEM) }, { privateKey: new Secret(PEM) }]) {
    const credentials = await readCredentials({ kind: 'app', clientId: 'Iv23', installationId: 4711, ...configured });
    expect(credentials).toMatchObject({ kind: 'app', clientId: 'Iv23', installationId: 4711 });
    expect(credentials.kind === 'app' && credentials.privateKey.reveal()).toBe(PEM);
  }
});

test('a file that cannot be read is named, with the key that names it', async () => {
  const path = join(await tempDir(), 'absent.pem');
  const reading = readCredentials({ kind: 'app', clientId: 'Iv23', installationId: 4711, privateKeyPath: path });
  await expect(reading).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining(path),
    hint: expect.stringContaining('github.app_private_key_path'),
  });
  await expect(readCredentials({ kind: 'token', tokenPath: path })).rejects.toMatchObject({
    hint: expect.stringContaining('github.token_path'),
  });
});

test.each([
  [
    { kind: 'app', clientId: 'Iv23', installationId: 4711, privateKeyPath: '/etc/rungar/key.pem' } as const,
    'App Iv23, installation 4711, key from /etc/rungar/key.pem',
  ],
  [
    { kind: 'app', clientId: 'Iv23', installationId: 4711, privateKey: new Secret(PEM) } as const,
    'App Iv23, installation 4711, key in the configuration',
  ],
  [{ kind: 'token', tokenPath: '/etc/rungar/token' } as const, 'personal access token from /etc/rungar/token'],
  [{ kind: 'token', token: new Secret('ghp_abc') } as const, 'personal access token in the configuration'],
])('a summary says whose they are and where from, and no secret: $1', (configured, want) => {
  expect(describeCredentials(configured)).toBe(want);
});
