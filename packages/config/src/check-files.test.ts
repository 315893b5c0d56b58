import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awsType } from '@rungar/providers/aws';
import { dicerType } from '@rungar/providers/dicer';
import { proxmoxType } from '@rungar/providers/proxmox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { boxType } from '../test/box-type.js';
import { checkFiles } from './check-files.js';
import { exposedSecretFiles } from './exposed-files.js';
import { parseConfig } from './parse.js';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PKCS1 = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const PKCS8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
const PUBLIC = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString();

const ENCRYPTED = privateKey
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
  .toString();

const { signal } = new AbortController();
const APP = 'app_client_id: c, app_installation_id: 1';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rungar-check-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function written(name: string, content: string, mode = 0o600): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  await chmod(path, mode);
  return path;
}

function load(github: string, types = [boxType]) {
  const text = `version: 1\ngithub: {url: https://github.com/acme, ${github}}\nproviders: [{name: p, type: box, address: a}]\n`;
  const { settings, ...rest } = parseConfig(text, { file: join(folder, 'config.yaml'), types });
  if (settings === undefined) throw new Error('the sample configuration is wrong');
  return { settings, ...rest };
}

async function said(github: string): Promise<string[]> {
  const problems = await checkFiles(load(github), { signal });
  return problems.map(({ place, path, message }) => `${place.line}:${place.column} ${path} ${message}`);
}

describe('an App key', () => {
  test.each([
    ['PKCS#1', PKCS1],
    ['PKCS#8', PKCS8],
  ])('in %s is fine, in a file and inline', async (_, pem) => {
    expect(await said(`${APP}, app_private_key_path: ${await written('key.pem', pem)}`)).toEqual([]);
    expect(await said(`${APP}, app_private_key: ${JSON.stringify(pem)}`)).toEqual([]);
  });

  test.each([
    ['of another kind', EC, 'must be an RSA key, not one of type ec'],
    ['that is public', PUBLIC, 'is no RSA key in PEM: it is a public key'],
    ['that is no key', 'nonsense', 'is no RSA key in PEM: it has no line'],
    ['that is cut short', PKCS8.slice(0, 200), 'is no RSA key in PEM: it is cut short'],
    ['that is encrypted', ENCRYPTED, 'is no RSA key in PEM: it is encrypted'],
    ['that is empty', '', 'is no RSA key in PEM: it is empty'],
  ])('%s is refused with its path', async (_, pem, want) => {
    const path = await written('bad.pem', pem);
    const problems = await said(`${APP}, app_private_key_path: ${path}`);
    expect(problems).toEqual([
      expect.stringContaining(`2:104 github.app_private_key_path the App's private key in ${path} ${want}`),
    ]);
    if (pem !== '')
      expect(await said(`${APP}, app_private_key: ${JSON.stringify(pem)}`)).toEqual([expect.stringContaining(want)]);
  });

  test('that is missing is refused with its path', async () => {
    const path = join(folder, 'missing.pem');
    expect(await said(`${APP}, app_private_key_path: ${path}`)).toEqual([
      expect.stringMatching(`cannot be read: .*${path}`),
    ]);
  });
});

describe('a token', () => {
  test('in a file is fine', async () => {
    expect(await said(`token_path: ${await written('token', 'ghp_x\n')}`)).toEqual([]);
  });

  test('must not be empty', async () => {
    const path = await written('empty', ' \n');
    expect(await said(`token_path: ${path}`)).toEqual([`2:52 github.token_path ${path} is empty`]);
    expect(await said('token: "  "')).toEqual(['2:47 github.token is only white space']);
  });

  test('must be one word, which is not shown', async () => {
    const path = await written('two', 'ghp_x\nghp_y\n');
    expect(await said(`token_path: ${path}`)).toEqual([
      `2:52 github.token_path ${path} holds characters that no token has`,
    ]);
    expect(await said('token: "x y"')).toEqual(['2:47 github.token holds characters that no token has']);
  });

  test('that is missing is refused with its path', async () => {
    expect(await said('token_path: /nowhere/token')).toEqual([expect.stringContaining('/nowhere/token')]);
  });
});

test("a provider's own files are named with the provider", async () => {
  const { readable, root } = load('token: t');
  const [provider] = readable.providers;
  if (provider === undefined) throw new Error('there is no provider');
  const configured = {
    ...provider.configured,
    async checkFiles() {
      throw Object.assign(new Error('/x cannot be read'), {
        name: 'RungarError',
        code: 'invalid_argument',
        hint: 'mend it',
      });
    },
  };
  const broken = { root, readable: { ...readable, providers: [{ ...provider, configured }] } };
  expect(await checkFiles(broken, { signal })).toMatchObject([
    {
      place: { line: 3, column: 20 },
      path: 'providers[0]',
      message: '/x cannot be read, on provider "p"',
      hint: 'mend it',
    },
  ]);
});

test('files are looked at whatever else is wrong', async () => {
  const text =
    'version: 9\ngithub: {url: nonsense, token_path: /nowhere/token}\nproviders: [{name: p, type: box, address: a}, {name: q}]\n';
  const config = parseConfig(text, { file: 'c.yaml', types: [boxType] });
  expect(config.settings).toBeUndefined();
  expect(await checkFiles(config, { signal })).toMatchObject([
    { place: { line: 2, column: 37 }, path: 'github.token_path' },
  ]);
});

test('a file that a key names is shown at that key', async () => {
  const text =
    'providers:\n  - {name: p, type: aws, region: eu-central-1, subnets: [subnet-0a1b2c3d], credentials_file: /nowhere}\n';
  const config = parseConfig(text, { file: 'c.yaml', types: [awsType] });
  expect(await checkFiles(config, { signal })).toMatchObject([
    { place: { line: 2, column: 94 }, path: 'providers[0].credentials_file' },
  ]);
});

test('a file that a key of a mapping names is shown at that key, which is said once', async () => {
  const text = 'providers:\n  - {name: p, type: dicer, address: "a:1", tls: {ca_file: /nowhere/ca}}\n';
  const config = parseConfig(text, { file: 'c.yaml', types: [dicerType] });
  expect(await checkFiles(config, { signal })).toMatchObject([
    {
      place: { line: 2, column: 59 },
      path: 'providers[0].tls.ca_file',
      message: expect.stringMatching(/^\/nowhere\/ca cannot be read/),
    },
  ]);
});

test('every file of a provider that cannot be used is told, at its key', async () => {
  const text = `providers:
  - {name: d, type: dicer, address: "a:1", tls: {ca_file: /nowhere/ca, cert_file: /nowhere/cert, key_file: /nowhere/key}}
  - {name: p, type: proxmox, url: "https://p:8006", token_id: u@pve!t, token_secret_path: /nowhere/t, tls: {ca_file: /nowhere/ca}}
`;
  const config = parseConfig(text, { file: 'c.yaml', types: [dicerType, proxmoxType] });
  const problems = await checkFiles(config, { signal });
  expect(problems.map(({ place, path }) => `${place.line} ${path}`)).toEqual([
    '2 providers[0].tls.ca_file',
    '2 providers[0].tls.cert_file',
    '2 providers[0].tls.key_file',
    '3 providers[1].token_secret_path',
    '3 providers[1].tls.ca_file',
  ]);
});

test('an aborted signal ends it', async () => {
  const reason = new Error('enough');
  const config = load(`token_path: ${await written('token', 'x')}`);
  await expect(checkFiles(config, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

describe('files with secrets that everybody can read', () => {
  test('are those the configuration names', async () => {
    const open = await written('open', 'x', 0o604);
    const closed = await written('closed', 'x', 0o640);
    expect(await exposedSecretFiles(load(`token_path: ${open}`).settings, { signal })).toEqual([open]);
    expect(await exposedSecretFiles(load(`token_path: ${closed}`).settings, { signal })).toEqual([]);
    expect(await exposedSecretFiles(load(`${APP}, app_private_key_path: ${open}`).settings, { signal })).toEqual([
      open,
    ]);
    expect(await exposedSecretFiles(load('token_path: /nowhere/token').settings, { signal })).toEqual([]);
  });

  test('and the configuration file, if a secret stands in it', async () => {
    const path = await written('config.yaml', 'x', 0o644);
    expect(await exposedSecretFiles(load('token: t').settings, { signal })).toEqual([path]);
    expect(await exposedSecretFiles(load('token_path: /nowhere').settings, { signal })).toEqual([]);
  });
});
