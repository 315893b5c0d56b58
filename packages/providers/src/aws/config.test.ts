import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Problem } from '@rungar/model';
import { locatedMap, type Written } from '@rungar/model/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configureAws } from './config.js';

type Entry = { readonly [key: string]: Written };

const PLAIN = { region: 'eu-central-1', subnets: ['subnet-0a1b2c3d'] };

function read(entry: Entry): { configured: ReturnType<typeof configureAws>; problems: Problem[] } {
  const problems: Problem[] = [];
  return {
    configured: configureAws(locatedMap(entry), 'providers[0]', { add: (problem) => problems.push(problem) }),
    problems,
  };
}

function said(entry: Entry): string[] {
  const { configured, problems } = read(entry);
  expect(configured === undefined).toBe(problems.length > 0);
  return problems.map(({ path, message }) => `${path} ${message}`);
}

test('defaults are filled in', () => {
  expect(read(PLAIN).configured?.settings).toEqual({
    region: 'eu-central-1',
    subnets: ['subnet-0a1b2c3d'],
    securityGroups: [],
    timeoutMs: 30_000,
  });
});

test('everything is read, and printed in order', () => {
  const { configured } = read({
    timeout: '1m30s',
    profile: 'ci',
    credentials_file: '/etc/aws',
    instance_profile: 'arn:aws:iam::1:instance-profile/x',
    public_ip: 'no',
    security_groups: ['sg-0a1b2c3d'],
    endpoint_url: 'http://127.0.0.1:4566/',
    ...PLAIN,
  });
  expect(configured?.settings).toEqual({
    region: 'eu-central-1',
    subnets: ['subnet-0a1b2c3d'],
    securityGroups: ['sg-0a1b2c3d'],
    publicIp: false,
    instanceProfile: 'arn:aws:iam::1:instance-profile/x',
    profile: 'ci',
    credentialsFile: '/etc/aws',
    endpointUrl: 'http://127.0.0.1:4566/',
    timeoutMs: 90_000,
  });
  expect(configured?.secretFiles).toEqual(['/etc/aws']);
  expect(Object.entries(configured?.effective ?? {})).toEqual([
    ['region', 'eu-central-1'],
    ['subnets', ['subnet-0a1b2c3d']],
    ['security_groups', ['sg-0a1b2c3d']],
    ['public_ip', false],
    ['instance_profile', 'arn:aws:iam::1:instance-profile/x'],
    ['profile', 'ci'],
    ['credentials_file', '/etc/aws'],
    ['endpoint_url', 'http://127.0.0.1:4566/'],
    ['timeout', '1m30s'],
  ]);
});

test.each<[string, Entry]>([
  ['aws:eu-central-1', PLAIN],
  ['aws:ci/eu-central-1', { ...PLAIN, profile: 'ci' }],
  ['aws:eu-central-1@http://127.0.0.1:4566', { ...PLAIN, endpoint_url: 'http://127.0.0.1:4566/' }],
])('its endpoint is %s', (want, entry) => expect(read(entry).configured?.endpoint).toBe(want));

test.each<[string, Entry]>([
  ['a government region', { ...PLAIN, region: 'us-gov-west-1' }],
  ['the longest subnet', { ...PLAIN, subnets: ['subnet-0123456789abcdef0'] }],
  ['a timeout of zero, which is the default', { ...PLAIN, timeout: '0s' }],
  ['no security groups', { ...PLAIN, security_groups: [] }],
])('accepts %s', (_, entry) => expect(said(entry)).toEqual([]));

test.each<[string, string, Entry]>([
  ['no region', 'providers[0].region is missing', { subnets: ['subnet-0a1b2c3d'] }],
  ['a zone for a region', 'providers[0].region must be a region', { ...PLAIN, region: 'eu-central-1a' }],
  ['a region in capitals', 'providers[0].region must be a region', { ...PLAIN, region: 'EU-central-1' }],
  ['no subnets', 'providers[0].subnets is missing', { region: 'eu-central-1' }],
  ['an empty list of subnets', 'providers[0].subnets is missing', { ...PLAIN, subnets: [] }],
  ['one subnet without brackets', 'providers[0].subnets must be a list', { ...PLAIN, subnets: 'subnet-0a1b2c3d' }],
  [
    'a subnet twice',
    'providers[0].subnets[1] must not repeat item 1',
    { ...PLAIN, subnets: ['subnet-0a1b2c3d', 'subnet-0a1b2c3d'] },
  ],
  ['a short subnet', 'providers[0].subnets[0] must be a subnet', { ...PLAIN, subnets: ['subnet-0a1b2c3'] }],
  [
    'a group by name',
    'providers[0].security_groups[0] must be a security group',
    { ...PLAIN, security_groups: ['default'] },
  ],
  ['a word for public_ip', 'providers[0].public_ip must be true or false', { ...PLAIN, public_ip: 'maybe' }],
  ['a timeout without a unit', 'providers[0].timeout must be a duration', { ...PLAIN, timeout: '30' }],
  ['a negative timeout', 'providers[0].timeout must not be negative', { ...PLAIN, timeout: '-1s' }],
  [
    'an endpoint without a scheme',
    'providers[0].endpoint_url must be an address',
    { ...PLAIN, endpoint_url: 'localhost:4566' },
  ],
  [
    'an endpoint with a user',
    'providers[0].endpoint_url must be an address',
    { ...PLAIN, endpoint_url: 'http://u:p@host' },
  ],
  [
    "placement, which is not the provider's",
    'providers[0].placement is not a known key',
    { ...PLAIN, placement: 'pack' },
  ],
  ['a misspelled key', 'providers[0].subnet is not a known key', { ...PLAIN, subnet: 'x' }],
])('refuses %s', (_, want, entry) => expect(said(entry)).toContainEqual(expect.stringContaining(want)));

describe('the credentials file', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rungar-aws-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const signal = new AbortController().signal;
  const check = async (entry: Entry): Promise<void> => read(entry).configured?.checkFiles({ signal });

  test('is fine when it can be read, or when there is none', async () => {
    const path = join(folder, 'credentials');
    await writeFile(path, '[default]\n');
    await check({ ...PLAIN, credentials_file: path });
    await check(PLAIN);
  });

  test('is named when it cannot be read', async () => {
    const path = join(folder, 'missing');
    await expect(check({ ...PLAIN, credentials_file: path })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(path),
      hint: expect.any(String),
    });
  });
});
