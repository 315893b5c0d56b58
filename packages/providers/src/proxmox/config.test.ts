import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Problem } from '@rungar/model';
import { locatedMap, type Written } from '@rungar/model/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configureProxmox } from './config.js';

type Entry = { readonly [key: string]: Written };

const PLAIN = { url: 'https://pve.example.com', token_id: 'rungar@pve!daemon', token_secret: 'aaaabbbb-cccc' };
const DIGITS = '0123456789abcdef'.repeat(4);

function read(entry: Entry): { configured: ReturnType<typeof configureProxmox>; problems: Problem[] } {
  const problems: Problem[] = [];
  return {
    configured: configureProxmox(locatedMap(entry), 'providers[0]', { add: (problem) => problems.push(problem) }),
    problems,
  };
}

function said(entry: Entry): string[] {
  const { configured, problems } = read(entry);
  expect(configured === undefined).toBe(problems.length > 0);
  return problems.map(({ path, message }) => `${path} ${message}`);
}

test('defaults are filled in, and the secret is not shown', () => {
  const { configured } = read(PLAIN);
  expect(configured?.settings).toMatchObject({
    url: 'https://pve.example.com:8006',
    tokenId: 'rungar@pve!daemon',
    tls: { insecureSkipVerify: false },
    nodes: [],
    timeoutMs: 10_000,
  });
  expect(configured?.settings.tokenSecret?.reveal()).toBe('aaaabbbb-cccc');
  expect(JSON.stringify(configured?.effective)).not.toContain('aaaabbbb');
  expect(configured?.secretFiles).toEqual([]);
});

test('everything is read, and printed in order', () => {
  const { configured } = read({
    timeout: '1m30s',
    nodes: ['pve2', 'PVE1', 'pve2'],
    tls: { fingerprint: DIGITS },
    token_secret_path: '/etc/rungar/pve',
    token_id: 'a@b!c!d',
    url: 'HTTPS://[FE80::1]:443/',
  });
  expect(configured?.settings).toEqual({
    url: 'https://[fe80::1]:443',
    tokenId: 'a@b!c!d',
    tokenSecretPath: '/etc/rungar/pve',
    tls: { fingerprint: DIGITS.toUpperCase(), insecureSkipVerify: false },
    nodes: ['pve2', 'PVE1'],
    timeoutMs: 90_000,
  });
  expect(configured?.secretFiles).toEqual(['/etc/rungar/pve']);
  expect(Object.entries(configured?.effective ?? {})).toEqual([
    ['url', 'https://[fe80::1]:443'],
    ['token_id', 'a@b!c!d'],
    ['token_secret_path', '/etc/rungar/pve'],
    [
      'tls',
      {
        fingerprint: '01:23:45:67:89:AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89:AB:CD:EF',
      },
    ],
    ['nodes', ['pve2', 'PVE1']],
    ['timeout', '1m30s'],
  ]);
});

test.each<[string, string]>([
  ['proxmox:https://pve.example.com:8006', 'https://PVE.example.com'],
  ['proxmox:https://pve.example.com:8006', 'https://pve.example.com:8006/'],
  ['proxmox:https://pve.example.com:8006', 'https://somebody:secret@pve.example.com?x=1'],
  ['proxmox:https://pve.example.com:443', 'https://pve.example.com:443'],
  ['proxmox:https://[2001:db8::1]:8006', 'https://[2001:DB8::1]'],
  ['proxmox:https://192.0.2.1:8006', 'https://192.0.2.1'],
])('its endpoint is %s for %s', (want, url) => expect(read({ ...PLAIN, url }).configured?.endpoint).toBe(want));

test.each<[string, Entry]>([
  ['a token with an exclamation mark in its name', { ...PLAIN, token_id: 'a@b!c!d' }],
  ['a user with an at sign', { ...PLAIN, token_id: 'a@b@c!d' }],
  ['a fingerprint with colons', { ...PLAIN, tls: { fingerprint: DIGITS.replace(/..(?!$)/g, '$&:') } }],
  ['a CA', { ...PLAIN, tls: { ca_file: '/etc/ca.pem' } }],
  ['a CA beside what is off', { ...PLAIN, tls: { ca_file: '/etc/ca.pem', insecure_skip_verify: 'false' } }],
  ['no check at all', { ...PLAIN, tls: { insecure_skip_verify: 'true' } }],
  ['a timeout of zero, which is the default', { ...PLAIN, timeout: '0s' }],
  ['no nodes', { ...PLAIN, nodes: [] }],
  ['tls cleared', { ...PLAIN, tls: null }],
])('accepts %s', (_, entry) => expect(said(entry)).toEqual([]));

test.each<[string, string, Entry]>([
  ['no url', 'providers[0].url is missing', { token_id: 'a@b!c', token_secret: 'x' }],
  ['plain HTTP', 'providers[0].url must be an address', { ...PLAIN, url: 'http://pve.example.com' }],
  ['an API path', 'providers[0].url must be an address', { ...PLAIN, url: 'https://pve.example.com/api2/json' }],
  ['no host', 'providers[0].url must be an address', { ...PLAIN, url: 'https://:8006' }],
  ['a port that is none', 'providers[0].url must be an address', { ...PLAIN, url: 'https://pve:70000' }],
  ['a host alone', 'providers[0].url must be an address', { ...PLAIN, url: 'pve.example.com:8006' }],
  ['no token', 'providers[0].token_id is missing', { url: 'https://pve', token_secret: 'x' }],
  ['a user alone', 'providers[0].token_id must be an API token', { ...PLAIN, token_id: 'rungar@pve' }],
  ['a token without a name', 'providers[0].token_id must be an API token', { ...PLAIN, token_id: 'rungar@pve!' }],
  ['a token without a realm', 'providers[0].token_id must be an API token', { ...PLAIN, token_id: 'rungar@!d' }],
  ['a token without a user', 'providers[0].token_id must be an API token', { ...PLAIN, token_id: '@pve!d' }],
  ['no secret', 'providers[0].token_secret_path is missing', { url: 'https://pve', token_id: 'a@b!c' }],
  [
    'two secrets',
    'providers[0].token_secret cannot be set beside token_secret_path',
    { ...PLAIN, token_secret_path: '/x' },
  ],
  ['an empty tls', 'providers[0].tls must not be empty', { ...PLAIN, tls: {} }],
  [
    'a CA and no check',
    'providers[0].tls.insecure_skip_verify cannot be set beside ca_file',
    { ...PLAIN, tls: { ca_file: '/x', insecure_skip_verify: 'yes' } },
  ],
  [
    'a CA and a fingerprint',
    'providers[0].tls.fingerprint cannot be set beside ca_file',
    { ...PLAIN, tls: { ca_file: '/x', fingerprint: DIGITS } },
  ],
  ['a SHA-1', 'providers[0].tls.fingerprint must be a SHA-256', { ...PLAIN, tls: { fingerprint: DIGITS.slice(24) } }],
  ['63 digits', 'providers[0].tls.fingerprint must be a SHA-256', { ...PLAIN, tls: { fingerprint: DIGITS.slice(1) } }],
  ['an unknown key of tls', 'providers[0].tls.ca is not a known key', { ...PLAIN, tls: { ca: '/x' } }],
  ['a node without a name', 'providers[0].nodes[1] must not be empty', { ...PLAIN, nodes: ['pve1', ''] }],
  ['a timeout without a unit', 'providers[0].timeout must be a duration', { ...PLAIN, timeout: '10' }],
  ['a misspelled key', 'providers[0].node is not a known key', { ...PLAIN, node: 'pve1' }],
])('refuses %s', (_, want, entry) => expect(said(entry)).toContainEqual(expect.stringContaining(want)));

test('a wrong secret is not shown', () => {
  const { problems } = read({ ...PLAIN, token_secret: ['a-secret-in-a-list'] });
  expect(JSON.stringify(problems)).not.toContain('a-secret-in-a-list');
});

describe('its files', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rungar-pve-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const signal = new AbortController().signal;
  const { token_secret: _, ...REST } = PLAIN;

  test.each([
    ['a file that is not there', undefined, 'cannot be read'],
    ['an empty file', ' \n', 'is empty'],
  ])('%s for the secret is named', async (name, content, want) => {
    const path = join(folder, name.replaceAll(' ', '-'));
    if (content !== undefined) await writeFile(path, content);
    await expect(read({ ...REST, token_secret_path: path }).configured?.checkFiles({ signal })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(new RegExp(`^token_secret_path: ${path} ${want}`)),
      hint: expect.any(String),
    });
  });

  test.each([
    ['no certificate', 'hello', 'holds no PEM certificate'],
    [
      'a broken certificate',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      'holds a certificate that cannot be read',
    ],
  ])('%s in the CA file is named', async (name, content, want) => {
    const path = join(folder, name.replaceAll(' ', '-'));
    await writeFile(path, content);
    await expect(read({ ...PLAIN, tls: { ca_file: path } }).configured?.checkFiles({ signal })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(want),
    });
  });

  test('a good secret is fine', async () => {
    const path = join(folder, 'secret');
    await writeFile(path, '\n aaaa \n');
    await read({ ...REST, token_secret_path: path }).configured?.checkFiles({ signal });
  });
});
