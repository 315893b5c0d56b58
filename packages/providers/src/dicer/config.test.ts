import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '@rungar/emulators';
import type { Problem } from '@rungar/model';
import { locatedMap, type Written } from '@rungar/model/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configureDicer } from './config.js';

type Entry = { readonly [key: string]: Written };

const SOCKET = { address: 'unix:///run/dicer/dicer.sock' };
const TCP = { address: 'Host-1.example.com:7443' };
const PAIR = { cert_file: '/etc/rungar/client.pem', key_file: '/etc/rungar/client.key' };

function read(entry: Entry): { configured: ReturnType<typeof configureDicer>; problems: Problem[] } {
  const problems: Problem[] = [];
  return {
    configured: configureDicer(locatedMap(entry), 'providers[0]', { add: (problem) => problems.push(problem) }),
    problems,
  };
}

function said(entry: Entry): string[] {
  const { configured, problems } = read(entry);
  expect(configured === undefined).toBe(problems.length > 0);
  return problems.map(({ path, message }) => `${path} ${message}`);
}

test('an address is enough', () => {
  const { configured } = read(SOCKET);
  expect(configured?.settings).toEqual({
    address: 'unix:///run/dicer/dicer.sock',
    target: { kind: 'socket', path: '/run/dicer/dicer.sock' },
    timeoutMs: 10_000,
  });
  expect(configured?.secretFiles).toEqual([]);
  expect(configured?.checkRunnerName('Linux_x64-1ff1015a')).toBeUndefined();
});

test('everything is read, and printed in order', () => {
  const tls = { server_name: 'dicer', ca_file: '/etc/rungar/ca.pem', ...PAIR };
  const { configured } = read({ timeout: '1m30s', tls, ...TCP });
  expect(configured?.settings).toEqual({
    address: 'Host-1.example.com:7443',
    target: { kind: 'tcp', host: 'Host-1.example.com', port: 7443 },
    tls: {
      pair: { certFile: '/etc/rungar/client.pem', keyFile: '/etc/rungar/client.key' },
      caFile: '/etc/rungar/ca.pem',
      serverName: 'dicer',
    },
    timeoutMs: 90_000,
  });
  expect(configured?.secretFiles).toEqual(['/etc/rungar/client.key']);
  expect(JSON.stringify(configured?.effective)).toBe(
    '{"address":"Host-1.example.com:7443","tls":{"cert_file":"/etc/rungar/client.pem",' +
      '"key_file":"/etc/rungar/client.key","ca_file":"/etc/rungar/ca.pem","server_name":"dicer"},"timeout":"1m30s"}',
  );
});

test.each([
  ['Host-1.example.com:7443', 'dicer:host-1.example.com:7443'],
  ['dns:///Host-1.example.com:7443', 'dicer:host-1.example.com:7443'],
  ['[FE80::1]:7443', 'dicer:[fe80::1]:7443'],
  ['unix:///run/Dicer/dicer.sock', 'dicer:unix:///run/Dicer/dicer.sock'],
  ['unix:////run/./x/../Dicer//dicer.sock', 'dicer:unix:///run/Dicer/dicer.sock'],
])('the endpoint of %s is %s', (address, want) => expect(read({ address }).configured?.endpoint).toBe(want));

test.each([
  ['dns:///[::1]:7443', { kind: 'tcp', host: '::1', port: 7443 }],
  [':7443', { kind: 'tcp', host: 'localhost', port: 7443 }],
  ['10.0.0.7:65535', { kind: 'tcp', host: '10.0.0.7', port: 65_535 }],
  [`unix:///${'a'.repeat(106)}`, { kind: 'socket', path: `/${'a'.repeat(106)}` }],
])('the address %s is one', (address, want) => expect(read({ address }).configured?.settings.target).toEqual(want));

test.each<[string, Entry]>([
  ['a pair alone', { ...TCP, tls: PAIR }],
  ['authorities alone', { ...TCP, tls: { ca_file: '/ca.pem' } }],
  ['a cleared tls block', { ...SOCKET, tls: null }],
  ['a timeout of zero, which is the default', { ...SOCKET, timeout: '0s' }],
])('accepts %s', (_, entry) => expect(said(entry)).toEqual([]));

test.each<[string, string, Entry]>([
  ['no address', 'providers[0].address is missing', {}],
  [
    'a socket by a relative path',
    'providers[0].address must name a socket by its absolute path',
    { address: 'unix://run/x' },
  ],
  ['a socket without a path', 'providers[0].address must name a socket by its absolute path', { address: 'unix://' }],
  [
    'a path too long for a socket',
    'providers[0].address must have a path of at most 107 bytes, and it has 108',
    { address: `unix:///${'a'.repeat(107)}` },
  ],
  ['a bare path', 'providers[0].address must be HOST:PORT or unix://', { address: '/run/dicer/dicer.sock' }],
  ['an address without a port', 'providers[0].address must be HOST:PORT', { address: 'dicer.example.com' }],
  ['port 0', 'providers[0].address must be HOST:PORT', { address: 'dicer.example.com:0' }],
  ['port 65536', 'providers[0].address must be HOST:PORT', { address: 'dicer.example.com:65536' }],
  ['a URL', 'providers[0].address must be HOST:PORT', { address: 'https://dicer.example.com:7443' }],
  ['an IPv6 address without brackets', 'providers[0].address must be HOST:PORT', { address: '::1:7443' }],
  ['an empty tls block', 'providers[0].tls must have ca_file, or cert_file and key_file', { ...TCP, tls: {} }],
  ['a server name alone', 'providers[0].tls must have ca_file', { ...TCP, tls: { server_name: 'x' } }],
  ['a certificate without its key', 'providers[0].tls.cert_file needs key_file', { ...TCP, tls: { cert_file: '/c' } }],
  [
    'a key without its certificate, whatever else there is',
    'providers[0].tls.key_file needs cert_file',
    { ...TCP, tls: { key_file: '/k', ca_file: '/ca' } },
  ],
  ['tls on a socket', 'providers[0].tls does not go with a Unix socket', { ...SOCKET, tls: PAIR }],
  ['a misspelled key in tls', 'providers[0].tls.ca is not a known key', { ...TCP, tls: { ...PAIR, ca: '/ca' } }],
  ['a negative timeout', 'providers[0].timeout must not be negative', { ...SOCKET, timeout: '-1s' }],
  ['a timeout without a unit', 'providers[0].timeout must be a duration', { ...SOCKET, timeout: '30' }],
  ['a key of another type', 'providers[0].region is not a known key', { ...SOCKET, region: 'x' }],
])('refuses %s', (_, want, entry) => expect(said(entry)).toContainEqual(expect.stringContaining(want)));

test('says everything at once', () => {
  expect(said({ address: 'nowhere', tls: { cert_file: '/c' }, timeout: '-1s' })).toHaveLength(3);
});

describe('the files of tls', () => {
  let folder = '';
  const at = (name: string): string => join(folder, name);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rungar-dicer-'));
    const authority = makeCertificate(['authority']);
    const client = makeCertificate(['client']);
    await writeFile(at('ca.pem'), `Our own authority:\n${authority.cert}`);
    await writeFile(at('client.pem'), client.cert);
    await writeFile(at('client.key'), client.key);
    await writeFile(at('other.key'), makeCertificate(['other']).key);
    await writeFile(at('empty.pem'), 'nothing\n');
    await writeFile(at('broken.pem'), authority.cert.replace(/\nM.{20}/, '\nMAAAAAAAAAAAAAAAAAAAA'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const signal = new AbortController().signal;
  const check = async (tls: Record<string, string>): Promise<void> => {
    const files = Object.fromEntries(Object.entries(tls).map(([key, name]) => [key, at(name)]));
    await read({ ...TCP, tls: files }).configured?.checkFiles({ signal });
  };

  test('are fine when they can be used, and nothing is read without them', async () => {
    await check({ ca_file: 'ca.pem', cert_file: 'client.pem', key_file: 'client.key' });
    await read(SOCKET).configured?.checkFiles({ signal });
  });

  test.each<[string, string, Record<string, string>]>([
    ['that are missing', 'tls.ca_file: FOLDER/missing cannot be read: ENOENT', { ca_file: 'missing' }],
    [
      'of authorities without a certificate',
      'tls.ca_file: FOLDER/empty.pem cannot be used: it holds no',
      { ca_file: 'empty.pem' },
    ],
    ['of authorities that are damaged', 'tls.ca_file: FOLDER/broken.pem cannot be used', { ca_file: 'broken.pem' }],
    [
      'of a certificate with the key of another',
      'tls.cert_file and tls.key_file: FOLDER/client.pem and FOLDER/other.key cannot be used',
      { cert_file: 'client.pem', key_file: 'other.key' },
    ],
    [
      'of a key that is none',
      'tls.cert_file and tls.key_file: FOLDER/client.pem and FOLDER/ca.pem cannot be used',
      { cert_file: 'client.pem', key_file: 'ca.pem' },
    ],
  ])('are named: files %s', async (_, want, tls) => {
    await expect(check(tls)).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(want.replaceAll('FOLDER', folder)),
      hint: expect.any(String),
    });
  });
});
