import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Problem } from '@rungar/model';
import { locatedMap, type Written } from '@rungar/model/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configureGcp } from './config.js';

type Entry = { readonly [key: string]: Written };

const PLAIN = { project: 'my-ci-project', zones: ['europe-west1-b'] };
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

function read(entry: Entry): { configured: ReturnType<typeof configureGcp>; problems: Problem[] } {
  const problems: Problem[] = [];
  return {
    configured: configureGcp(locatedMap(entry), 'providers[0]', { add: (problem) => problems.push(problem) }),
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
    project: 'my-ci-project',
    zones: ['europe-west1-b'],
    scopes: [],
    timeoutMs: 30_000,
  });
});

test('a service account without scopes has the scope of everything', () => {
  expect(read({ ...PLAIN, service_account: 'a@b' }).configured?.settings.scopes).toEqual([SCOPE]);
});

test('everything is read, and printed in order', () => {
  const { configured } = read({
    timeout: '1m30s',
    endpoint_url: 'http://127.0.0.1:4566',
    impersonate_service_account: 'rungar@my-ci.iam.gserviceaccount.com',
    credentials_file: '/etc/gcp.json',
    scopes: ['https://www.googleapis.com/auth/logging.write'],
    service_account: 'runner@my-ci.iam.gserviceaccount.com',
    external_ip: 'no',
    subnetwork: 'runners',
    network: 'projects/host/global/networks/shared',
    zones: ['europe-west1-b', 'europe-west1-c'],
    project: 'my-ci-project',
  });
  expect(configured?.settings).toEqual({
    project: 'my-ci-project',
    zones: ['europe-west1-b', 'europe-west1-c'],
    network: 'projects/host/global/networks/shared',
    subnetwork: 'runners',
    externalIp: false,
    serviceAccount: 'runner@my-ci.iam.gserviceaccount.com',
    scopes: ['https://www.googleapis.com/auth/logging.write'],
    credentialsFile: '/etc/gcp.json',
    impersonateServiceAccount: 'rungar@my-ci.iam.gserviceaccount.com',
    endpointUrl: 'http://127.0.0.1:4566',
    timeoutMs: 90_000,
  });
  expect(configured?.secretFiles).toEqual(['/etc/gcp.json']);
  expect(Object.entries(configured?.effective ?? {})).toEqual([
    ['project', 'my-ci-project'],
    ['zones', ['europe-west1-b', 'europe-west1-c']],
    ['network', 'projects/host/global/networks/shared'],
    ['subnetwork', 'runners'],
    ['external_ip', false],
    ['service_account', 'runner@my-ci.iam.gserviceaccount.com'],
    ['scopes', ['https://www.googleapis.com/auth/logging.write']],
    ['credentials_file', '/etc/gcp.json'],
    ['impersonate_service_account', 'rungar@my-ci.iam.gserviceaccount.com'],
    ['endpoint_url', 'http://127.0.0.1:4566'],
    ['timeout', '1m30s'],
  ]);
});

test.each<[string, Entry]>([
  ['gcp:my-ci-project/europe-west1', PLAIN],
  [
    'gcp:my-ci-project/northamerica-northeast1',
    { ...PLAIN, zones: ['northamerica-northeast1-a', 'northamerica-northeast1-c'] },
  ],
  ['gcp:my-ci-project/europe-west1@http://127.0.0.1:4566', { ...PLAIN, endpoint_url: 'http://127.0.0.1:4566/' }],
])('its endpoint is %s', (want, entry) => expect(read(entry).configured?.endpoint).toBe(want));

test.each<[string, Entry]>([
  ['the shortest project', { ...PLAIN, project: 'abcde1' }],
  ['the longest project', { ...PLAIN, project: `a${'-'.repeat(28)}1` }],
  ['several zones of a region', { ...PLAIN, zones: ['us-central1-a', 'us-central1-f'] }],
  ['a region of two digits', { ...PLAIN, zones: ['europe-west12-c'] }],
  ['a timeout of zero, which is the default', { ...PLAIN, timeout: '0s' }],
  ['no scopes', { ...PLAIN, scopes: [] }],
  ['an endpoint over TLS', { ...PLAIN, endpoint_url: 'https://compute-ci.p.googleapis.com' }],
  ['an endpoint on this host', { ...PLAIN, endpoint_url: 'http://localhost:8080' }],
  ['an endpoint on this host, by its other address', { ...PLAIN, endpoint_url: 'http://[::1]:8080/' }],
  ['a service account in another domain', { ...PLAIN, impersonate_service_account: 'a@appspot.gserviceaccount.com' }],
])('accepts %s', (_, entry) => expect(said(entry)).toEqual([]));

test.each<[string, string, Entry]>([
  ['no project', 'providers[0].project is missing', { zones: ['europe-west1-b'] }],
  ['a project of five letters', 'providers[0].project must be a project ID', { ...PLAIN, project: 'abcde' }],
  ['a project of 31', 'providers[0].project must be a project ID', { ...PLAIN, project: 'a'.repeat(31) }],
  [
    'a project that begins with a digit',
    'providers[0].project must be a project ID',
    { ...PLAIN, project: '1project' },
  ],
  ['a project that ends with a hyphen', 'providers[0].project must be a project ID', { ...PLAIN, project: 'project-' }],
  ['a project in capitals', 'providers[0].project must be a project ID', { ...PLAIN, project: 'My-project' }],
  ['no zones', 'providers[0].zones is missing', { project: 'my-ci-project' }],
  ['an empty list of zones', 'providers[0].zones is missing', { ...PLAIN, zones: [] }],
  ['one zone without brackets', 'providers[0].zones must be a list', { ...PLAIN, zones: 'europe-west1-b' }],
  ['a region for a zone', 'providers[0].zones[0] must be a zone', { ...PLAIN, zones: ['europe-west1'] }],
  ['a zone in capitals', 'providers[0].zones[0] must be a zone', { ...PLAIN, zones: ['Europe-west1-b'] }],
  [
    'a zone twice',
    'providers[0].zones[1] must not repeat item 1',
    { ...PLAIN, zones: ['europe-west1-b', 'europe-west1-b'] },
  ],
  [
    'zones of two regions',
    'providers[0].zones must be zones of one region: europe-west1-b and europe-west2-b are of two',
    { ...PLAIN, zones: ['europe-west1-b', 'europe-west2-b'] },
  ],
  ['scopes without a service account', 'providers[0].scopes needs service_account', { ...PLAIN, scopes: [SCOPE] }],
  [
    'a person to act as',
    'providers[0].impersonate_service_account must be the address of a service account',
    { ...PLAIN, impersonate_service_account: 'somebody@example.com' },
  ],
  [
    'a service account in capitals to act as',
    'providers[0].impersonate_service_account must be the address of a service account',
    { ...PLAIN, impersonate_service_account: 'Runner@ci.iam.gserviceaccount.com' },
  ],
  ['a word for external_ip', 'providers[0].external_ip must be true or false', { ...PLAIN, external_ip: 'maybe' }],
  ['a timeout without a unit', 'providers[0].timeout must be a duration', { ...PLAIN, timeout: '30' }],
  ['a negative timeout', 'providers[0].timeout must not be negative', { ...PLAIN, timeout: '-1s' }],
  [
    'an endpoint without a scheme',
    'providers[0].endpoint_url must be an address',
    { ...PLAIN, endpoint_url: 'localhost:1' },
  ],
  [
    'an endpoint with a path',
    'providers[0].endpoint_url must be an address',
    { ...PLAIN, endpoint_url: 'https://a/compute' },
  ],
  [
    'an endpoint with a user',
    'providers[0].endpoint_url must be an address',
    { ...PLAIN, endpoint_url: 'https://u:p@a' },
  ],
  [
    'an endpoint elsewhere without TLS',
    'providers[0].endpoint_url must begin with https:// unless it is on this host',
    { ...PLAIN, endpoint_url: 'http://compute.example.com' },
  ],
  ['a misspelled key', 'providers[0].zone is not a known key', { ...PLAIN, zone: 'x' }],
])('refuses %s', (_, want, entry) => expect(said(entry)).toContainEqual(expect.stringContaining(want)));

test('scopes without a service account are told beside other mistakes', () => {
  expect(said({ zones: [], scopes: [SCOPE], timeout: 'soon' }).map((text) => text.split(' ')[0])).toEqual([
    'providers[0].timeout',
    'providers[0].project',
    'providers[0].zones',
    'providers[0].scopes',
  ]);
});

describe('a runner name', () => {
  const refusal = (name: string): string | undefined => read(PLAIN).configured?.checkRunnerName(name);

  test.each(['linux-00000000', 'l', `a${'b'.repeat(62)}`, 'a--b-0'])('may be %s', (name) =>
    expect(refusal(name)).toBeUndefined(),
  );
  test.each(['Linux-00000000', 'linux_x-00000000', 'ci.example-00000000', '2x-00000000', 'linux-', 'a'.repeat(64), ''])(
    'cannot be %s',
    (name) => expect(refusal(name)).toContain('rename the scale set'),
  );
});

describe('the credentials file', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rungar-gcp-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const signal = new AbortController().signal;
  const check = async (text: string | undefined): Promise<void> => {
    const path = join(folder, 'key.json');
    await rm(path, { force: true });
    if (text !== undefined) await writeFile(path, text);
    await read({ ...PLAIN, credentials_file: path }).configured?.checkFiles({ signal });
  };

  test.each(['service_account', 'external_account', 'impersonated_service_account'])('may hold a %s', (type) =>
    check(JSON.stringify({ type, private_key: 'x' })),
  );

  test('need not be there when none is named', async () => {
    await read(PLAIN).configured?.checkFiles({ signal });
  });

  test.each<[string, string | undefined, string]>([
    ['is missing', undefined, 'cannot be read'],
    ['is no JSON', 'hunter2', 'is not a credentials file'],
    ['is a list', '["hunter2"]', 'is not a credentials file'],
    ['is null', 'null', 'is not a credentials file'],
    ['has no type', '{"private_key": "hunter2"}', 'is not a credentials file'],
    ["holds a person's login", '{"type": "authorized_user", "refresh_token": "hunter2"}', 'of type authorized_user'],
  ])('is named when it %s', async (_, text, want) => {
    const error = await check(text).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(want) });
    expect(String(error)).toContain(join(folder, 'key.json'));
    expect(String(error)).not.toContain('hunter2');
  });
});
