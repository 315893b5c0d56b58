import { describe, expect, test } from 'vitest';
import { endAfterTest, instanceBody, NOON, PROJECT, refusalOf, startWorld, ZONE } from '../../test/gce.js';
import { startGceEmulator } from './index.js';

const INSTANCES = `/zones/${ZONE}/instances`;
const REQUEST = 'requestId=0a1b2c3d-0000-4000-8000-000000000001';

describe('an insert', () => {
  test('is an operation, and an instance that is provisioned, staged and run', async () => {
    const { gce, clock, call, insert } = await startWorld();
    const { status, body: operation } = await insert('linux-1');
    expect(status).toBe(200);
    expect(operation).toMatchObject({
      kind: 'compute#operation',
      operationType: 'insert',
      status: 'RUNNING',
      insertTime: '2026-01-02T04:00:00.000-08:00',
      targetId: gce.instances()[0]?.id,
      targetLink: `${gce.url}/compute/v1/projects/${PROJECT}${INSTANCES}/linux-1`,
    });
    expect((await call('GET', `${INSTANCES}/linux-1`)).body).toMatchObject({ status: 'PROVISIONING' });
    clock.advance(5000);
    expect((await call('GET', `${INSTANCES}/linux-1`)).body).toMatchObject({ status: 'STAGING' });
    clock.advance(5000);
    expect((await call('GET', `/zones/${ZONE}/operations/${String(operation.name)}`)).body).toMatchObject({
      status: 'DONE',
      progress: 100,
      endTime: '2026-01-02T04:00:10.000-08:00',
    });
    const { body: instance } = await call('GET', `${INSTANCES}/linux-1`);
    expect(instance).toMatchObject({
      kind: 'compute#instance',
      name: 'linux-1',
      status: 'RUNNING',
      zone: `${gce.url}/compute/v1/projects/${PROJECT}/zones/${ZONE}`,
      machineType: `${gce.url}/compute/v1/projects/${PROJECT}/zones/${ZONE}/machineTypes/e2-small`,
      labels: { team: 'ci' },
      metadata: { items: [{ key: 'note', value: 'hello' }] },
      creationTimestamp: '2026-01-02T04:00:00.000-08:00',
      scheduling: { automaticRestart: true, onHostMaintenance: 'MIGRATE', provisioningModel: 'STANDARD' },
    });
    expect(BigInt(String(instance.id)) > BigInt(Number.MAX_SAFE_INTEGER)).toBe(true);
    expect((await call('GET', `${INSTANCES}/${String(instance.id)}`)).body).toEqual(instance);
  });

  test('is done when it is answered where it takes no time', async () => {
    const { insert } = await startWorld({ times: { insertMs: 0 } });
    expect((await insert('linux-1')).body).toMatchObject({ status: 'DONE' });
  });

  test('with the id of another one within the hour is that one', async () => {
    const { gce, clock, insert } = await startWorld();
    const first = await insert('linux-1', {}, `?${REQUEST}`);
    expect(first.body).toMatchObject({ clientOperationId: '0a1b2c3d-0000-4000-8000-000000000001' });
    expect((await insert('linux-2', {}, `?${REQUEST}`)).body.name).toBe(first.body.name);
    clock.advance(3_600_000);
    expect((await insert('linux-2', {}, `?${REQUEST}`)).body.name).not.toBe(first.body.name);
    expect(gce.instances().map(({ name }) => name)).toEqual(['linux-1', 'linux-2']);
  });

  test('takes from a template what it does not set, and scheduling by its members', async () => {
    const properties = {
      ...instanceBody('unused', { name: undefined }),
      machineType: 'e2-standard-2',
      tags: { items: ['from-template'] },
      scheduling: { provisioningModel: 'SPOT', instanceTerminationAction: 'STOP' },
      disks: [
        {
          boot: true,
          autoDelete: true,
          initializeParams: { sourceImage: 'global/images/runner-image', diskType: 'pd-ssd' },
        },
      ],
    };
    const templates = [
      { name: 'base', properties },
      { name: 'base', region: 'europe-west1', properties: { ...properties, machineType: 'e2-standard-4' } },
    ];
    const { gce, call } = await startWorld({ catalogue: { instanceTemplates: templates } });
    const insert = (name: string, path: string) =>
      call('POST', `${INSTANCES}?sourceInstanceTemplate=${path}`, {
        name,
        labels: { a: 'b' },
        scheduling: { automaticRestart: false, instanceTerminationAction: 'DELETE' },
      });
    await insert('linux-1', 'global/instanceTemplates/base');
    await insert('linux-2', `projects/${PROJECT}/regions/europe-west1/instanceTemplates/base`);
    expect(gce.instances()).toMatchObject([
      {
        machineType: 'e2-standard-2',
        labels: { a: 'b' },
        tags: ['from-template'],
        disks: [{ type: 'pd-ssd' }],
        scheduling: { provisioningModel: 'SPOT', instanceTerminationAction: 'DELETE', automaticRestart: false },
      },
      { machineType: 'e2-standard-4' },
    ]);
    expect((await insert('linux-3', 'global/instanceTemplates/other')).status).toBe(404);
    expect((await call('GET', '/global/instanceTemplates/base')).body).toMatchObject({
      name: 'base',
      properties: { machineType: 'e2-standard-2', tags: { items: ['from-template'] } },
    });
    expect((await call('GET', '/regions/europe-west1/instanceTemplates/base')).status).toBe(200);
    expect((await call('GET', '/regions/us-central1/instanceTemplates/base')).status).toBe(404);
  });

  test('of a name that is there is refused', async () => {
    const { insert } = await startWorld();
    await insert('linux-1');
    expect(refusalOf(await insert('linux-1'))).toBe(
      `409 alreadyExists: The resource 'projects/${PROJECT}/zones/${ZONE}/instances/linux-1' already exists`,
    );
  });

  test('is refused with what is wrong in it, and leaves nothing', async () => {
    const { gce, insert } = await startWorld();
    const boot = (initializeParams: object) => ({ disks: [{ boot: true, initializeParams }] });
    const image = { sourceImage: 'global/images/runner-image' };
    const wrong: [string, Record<string, unknown>, string?][] = [
      ['400 badRequest: Invalid JSON payload received. Unknown name "colour" at \'resource\'', { colour: 'red' }],
      ['Unknown name "sourceImages" at \'resource.disks[0].initializeParams\'', boot({ sourceImages: 'x' })],
      ["400 badRequest: Invalid value at 'resource.labels', 3", { labels: 3 }],
      ["Invalid value at 'resource.labels.a', 1", { labels: { a: 1 } }],
      ["Invalid value at 'resource.disks', {}", { disks: {} }],
      ["Invalid value for field 'resource.machineType': ''", { machineType: undefined }],
      ['is malformed or of another zone', { machineType: 'zones/us-central1-a/machineTypes/e2-small' }],
      ["'e9-small' does not exist in zone", { machineType: `zones/${ZONE}/machineTypes/e9-small` }],
      ["field 'resource.labels': 'Team'", { labels: { Team: 'x' } }],
      ["field 'resource.labels': 'X'", { labels: { team: 'X' } }],
      ['at most 64 labels', { labels: Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`l${at}`, ''])) }],
      ["field 'resource.metadata.items.key': 'a.b'", { metadata: { items: [{ key: 'a.b', value: '' }] } }],
      ['Duplicate metadata key: a', { metadata: { items: [{ key: 'a' }, { key: 'a' }] } }],
      ['maximum size of metadata', { metadata: { items: [{ key: 'a', value: 'x'.repeat(256 * 1024 + 1) }] } }],
      ["field 'resource.tags.items': 'A'", { tags: { items: ['A'] } }],
      ['Duplicate tags', { tags: { items: ['a', 'a'] } }],
      ['At least one disk', { disks: [] }],
      ['Boot disk must be the first', { disks: [{ initializeParams: image }] }],
      ['A source image must be specified', boot({})],
      [
        "404 notFound: The resource 'projects/my-ci-project/global/images/other' was not found",
        boot({ sourceImage: 'global/images/other' }),
      ],
      ['smaller than the image size (10 GB)', boot({ ...image, diskSizeGb: '9' })],
      ['referenced diskType resource', boot({ ...image, diskType: `zones/${ZONE}/diskTypes/pd-gold` })],
      ['At least one network interface', { networkInterfaces: [] }],
      ['referenced network resource', { networkInterfaces: [{ network: 'global/networks/other' }] }],
      [
        'referenced subnetwork resource',
        { networkInterfaces: [{ subnetwork: 'regions/us-central1/subnetworks/default' }] },
      ],
      ['Must be ONE_TO_ONE_NAT', { networkInterfaces: [{ accessConfigs: [{ type: 'OTHER' }] }] }],
      ['At most one service account', { serviceAccounts: [{ email: 'default' }, { email: 'default' }] }],
      ["The resource 'me@example.com' of type 'serviceAccount'", { serviceAccounts: [{ email: 'me@example.com' }] }],
      ['not supported for spot', { scheduling: { provisioningModel: 'SPOT', automaticRestart: true } }],
      ['must be terminated on host maintenance', { scheduling: { preemptible: true, onHostMaintenance: 'MIGRATE' } }],
      ['Cannot specify a termination action', { scheduling: { instanceTerminationAction: 'DELETE' } }],
      ['limited run time', { scheduling: { terminationTime: '2026-01-02T13:00:00Z' } }],
      [
        'a time in the future',
        { scheduling: { terminationTime: '2026-01-02T12:00:00Z', instanceTerminationAction: 'DELETE' } },
      ],
      ["field 'requestId': 'mine'", {}, '?requestId=mine'],
      ["field 'requestId': '00000000", {}, '?requestId=00000000-0000-0000-0000-000000000000'],
      ['the query parameter colour is not read here', {}, '?colour=red'],
    ];
    for (const [want, changes, query] of wrong) {
      expect(refusalOf(await insert('linux-1', changes, query ?? ''))).toContain(want);
    }
    for (const name of ['Linux', '1x', 'x-', 'a'.repeat(64), '']) {
      expect(refusalOf(await insert(name))).toContain("field 'resource.name'");
    }
    expect(refusalOf(await insert('x', {}, ''))).toContain('undefined');
    expect(gce.instances().map(({ name }) => name)).toEqual(['x']);
  });

  test('without room ends with the reason, and the instance goes', async () => {
    const { gce, clock, call, insert } = await startWorld({ quota: { cpus: 4, preemptibleCpus: 2, instances: 4 } });
    const errorsOf = async (name: string, changes = {}): Promise<unknown> => {
      const { body } = await insert(name, changes);
      clock.advance(10_000);
      const { error } = (await call('GET', `/zones/${ZONE}/operations/${String(body.name)}`)).body;
      return (error as { errors?: readonly { code: string }[] } | undefined)?.errors?.[0]?.code;
    };
    const spot = { scheduling: { provisioningModel: 'SPOT' } };
    gce.setStock({ zone: ZONE, machineType: 'e2-small' }, 3);
    expect([await errorsOf('a'), await errorsOf('b'), await errorsOf('c')]).toEqual([
      undefined,
      undefined,
      'QUOTA_EXCEEDED',
    ]);
    expect([await errorsOf('d', spot), await errorsOf('e', spot)]).toEqual([undefined, 'QUOTA_EXCEEDED']);
    gce.setQuota({});
    expect(await errorsOf('f')).toBe('ZONE_RESOURCE_POOL_EXHAUSTED');
    gce.failNextInserts();
    expect(await errorsOf('g', { machineType: `zones/${ZONE}/machineTypes/e2-standard-2` })).toBe('INTERNAL_ERROR');
    expect(gce.instances().map(({ name }) => name)).toEqual(['a', 'b', 'd']);
    gce.delete('a');
    clock.advance(8000);
    expect(await errorsOf('h')).toBeUndefined();
  });
});

describe('a deletion', () => {
  test('is an operation at the end of which the instance is gone', async () => {
    const { gce, clock, call, insert } = await startWorld({ times: { insertMs: 0 } });
    await insert('linux-1');
    const { body: operation } = await call('DELETE', `${INSTANCES}/${gce.instances()[0]?.id}`);
    expect(operation).toMatchObject({ operationType: 'delete', status: 'RUNNING' });
    expect(gce.instances()).toMatchObject([{ status: 'STOPPING', going: true }]);
    clock.advance(8000);
    expect(gce.instances()).toEqual([]);
    expect(refusalOf(await call('DELETE', `${INSTANCES}/linux-1`))).toContain('404 notFound');
  });

  test('of a protected instance is refused', async () => {
    const { call, insert } = await startWorld();
    await insert('linux-1', { deletionProtection: true });
    expect(refusalOf(await call('DELETE', `${INSTANCES}/linux-1`))).toContain('412 conditionNotMet');
  });

  test('while it is still being made takes it away all the same', async () => {
    const { gce, clock, call, insert } = await startWorld();
    await insert('linux-1');
    await call('DELETE', `${INSTANCES}/linux-1`);
    clock.advance(10_000);
    expect(gce.instances()).toEqual([]);
  });
});

describe('a listing', () => {
  test('comes in pages, by name or newest first, and filtered', async () => {
    const { clock, call, insert } = await startWorld({ times: { insertMs: 0 }, pageSize: 2 });
    for (const name of ['b', 'c', 'a']) {
      await insert(name, { labels: { team: name === 'b' ? 'web' : 'ci' } });
      clock.advance(1000);
    }
    const names = async (query: string): Promise<unknown> => {
      const { body } = await call('GET', `${INSTANCES}${query}`);
      return [
        (body.items as { name: string }[] | undefined)?.map(({ name }) => name),
        body.nextPageToken !== undefined,
      ];
    };
    expect(await names('')).toEqual([['a', 'b'], true]);
    const { nextPageToken } = (await call('GET', INSTANCES)).body;
    expect(await names(`?pageToken=${String(nextPageToken)}`)).toEqual([['c'], false]);
    expect(await names('?orderBy=creationTimestamp%20desc&maxResults=1')).toEqual([['a'], true]);
    expect(await names(`?filter=${encodeURIComponent('labels.team = "ci"')}`)).toEqual([['a', 'c'], false]);
    expect(await names(`?filter=${encodeURIComponent('name = "zzz"')}`)).toEqual([undefined, false]);
    expect((await call('GET', `${INSTANCES}?fields=kind,items(name)&maxResults=1`)).body).toEqual({
      kind: 'compute#instanceList',
      items: [{ name: 'a' }],
    });
    for (const query of [
      'maxResults=501',
      'maxResults=x',
      'orderBy=size',
      'filter=name',
      'pageToken=x',
      'fields=item',
    ]) {
      expect((await call('GET', `${INSTANCES}?${query}`)).status).toBe(400);
    }
    expect(refusalOf(await call('GET', '/zones/mars-north1-a/instances'))).toContain("field 'zone'");
  });

  test('of all zones has each of them, and tells of one that cannot be reached', async () => {
    const { gce, call } = await startWorld();
    gce.addForeignInstance({ name: 'theirs', zone: 'us-central1-a' });
    const zones = async (): Promise<unknown> => {
      const { items } = (await call('GET', '/aggregated/instances?returnPartialSuccess=true')).body;
      return Object.entries(
        items as Record<string, { instances?: { name: string }[]; warning?: { code: string } }>,
      ).map(([zone, { instances, warning }]) => [zone, instances?.map(({ name }) => name) ?? warning?.code]);
    };
    gce.setReachable('europe-west1-c', false);
    expect(await zones()).toEqual([
      ['zones/europe-west1-b', 'NO_RESULTS_ON_PAGE'],
      ['zones/europe-west1-c', 'UNREACHABLE'],
      ['zones/europe-west1-d', 'NO_RESULTS_ON_PAGE'],
      ['zones/us-central1-a', ['theirs']],
    ]);
    expect((await call('GET', '/aggregated/instances')).status).toBe(503);
    expect((await call('GET', '/zones/europe-west1-c/instances')).status).toBe(503);
  });

  test('of operations can be narrowed to those of a kind', async () => {
    const { clock, call, insert } = await startWorld({ times: { insertMs: 0 } });
    await insert('a');
    clock.advance(60_000);
    await insert('b');
    await call('DELETE', `${INSTANCES}/a`);
    const filter = encodeURIComponent(
      '((operationType = "insert") OR (operationType = "delete")) AND (insertTime >= "2026-01-02T12:01:00Z")',
    );
    const { body } = await call('GET', `/zones/${ZONE}/operations?filter=${filter}&fields=items(operationType,status)`);
    expect(body).toEqual({
      items: expect.arrayContaining([
        { operationType: 'insert', status: 'DONE' },
        { operationType: 'delete', status: 'RUNNING' },
      ]),
    });
    expect(body.items).toHaveLength(2);
  });
});

test('waiting for an operation ends with it, or after two minutes', async () => {
  const { clock, call, insert } = await startWorld({ times: { insertMs: 150_000 } });
  const { body } = await insert('a');
  const path = `/zones/${ZONE}/operations/${String(body.name)}/wait`;
  const waitFor = async (ms: number): Promise<unknown> => {
    const before = clock.waiting;
    const answer = call('POST', path);
    while (clock.waiting === before) await new Promise((resolve) => void setImmediate(resolve));
    clock.advance(ms);
    return (await answer).body.status;
  };
  expect(await waitFor(120_000)).toBe('RUNNING');
  expect(await waitFor(30_000)).toBe('DONE');
  expect((await call('POST', path)).body.status).toBe('DONE');
});

test('labels are set by whoever knows the last ones', async () => {
  const { gce, call, insert } = await startWorld({ times: { insertMs: 0 } });
  await insert('a');
  for (const [path, of] of [
    [`${INSTANCES}/a`, () => gce.instances()[0]?.labels],
    [`/zones/${ZONE}/disks/a`, () => gce.instances()[0]?.disks[0]?.labels],
  ] as const) {
    const { labelFingerprint } = (await call('GET', path)).body;
    expect((await call('POST', `${path}/setLabels`, { labelFingerprint, labels: { a: 'b' } })).status).toBe(200);
    expect(of()).toEqual({ a: 'b' });
    expect(refusalOf(await call('POST', `${path}/setLabels`, { labelFingerprint, labels: {} }))).toContain('412');
  }
});

test('a spot instance that is taken back goes as its scheduling says', async () => {
  const { gce, clock, insert } = await startWorld({ times: { insertMs: 0 } });
  const spot = (instanceTerminationAction: string) => ({
    scheduling: { provisioningModel: 'SPOT', instanceTerminationAction },
  });
  await insert('goes', spot('DELETE'));
  await insert('stays', spot('STOP'));
  await insert('other');
  gce.preempt('goes');
  gce.preempt('stays');
  expect(() => gce.preempt('other')).toThrow('not a spot instance');
  clock.advance(8000);
  expect(gce.instances().map(({ name, status }) => [name, status])).toEqual([
    ['stays', 'TERMINATED'],
    ['other', 'RUNNING'],
  ]);
});

test('an instance whose time has come is deleted', async () => {
  const { gce, clock, insert } = await startWorld({ times: { insertMs: 0 } });
  const terminationTime = new Date(NOON + 60_000).toISOString();
  await insert('a', { scheduling: { terminationTime, instanceTerminationAction: 'DELETE' } });
  clock.advance(59_999);
  expect(gce.instances()[0]?.going).toBe(false);
  clock.advance(1 + 8000);
  expect(gce.instances()).toEqual([]);
});

test('more calls than the quota of a minute are refused until it turns', async () => {
  const { gce, clock, call, insert } = await startWorld({ rates: { writesPerMinute: 2 } });
  await insert('a');
  await insert('b');
  const refused = await insert('c');
  expect(refusalOf(refused)).toContain("403 rateLimitExceeded: Quota exceeded for quota metric 'Write requests'");
  expect(refused.body.error).toMatchObject({ details: [{ reason: 'RATE_LIMIT_EXCEEDED' }] });
  expect((await call('GET', INSTANCES)).status).toBe(200);
  clock.advance(60_000);
  expect((await insert('c')).status).toBe(200);
  expect(gce.stats()).toMatchObject({ calls: { 'instances.insert': 4 }, refusals: { rateLimitExceeded: 1 } });
});

test('a caller needs a token it knows, and permission', async () => {
  const { gce, call } = await startWorld({ accessTokens: ['secret'] });
  const as = (authorization: string) => call('GET', INSTANCES, undefined, { authorization });
  expect(refusalOf(await call('GET', INSTANCES))).toContain('401 authError');
  expect((await as('Bearer other')).status).toBe(401);
  expect((await as('Basic secret')).status).toBe(401);
  expect((await as('Bearer secret')).status).toBe(200);
  gce.deny('compute.instances.list');
  expect(refusalOf(await as('Bearer secret'))).toContain("Required 'compute.instances.list' permission");
});

test('what it does not emulate is said so', async () => {
  const { gce, call } = await startWorld();
  expect(refusalOf(await call('GET', '/zones'))).toContain('200');
  expect(refusalOf(await call('POST', `${INSTANCES}/a/start`))).toContain('404 notFound: there is no POST');
  expect(refusalOf(await call('PUT', INSTANCES))).toContain('405 badRequest');
  expect(refusalOf(await call('GET', INSTANCES, undefined, { 'x-colour': 'red' }))).toContain('header x-colour');
  expect(refusalOf(await call('POST', INSTANCES, 'no JSON'))).toContain('parseError');
  const other = await fetch(`${gce.url}/compute/v1/projects/other-project/zones/${ZONE}/instances`);
  expect(other.status).toBe(404);
});

test('what a project has can be read', async () => {
  const { call } = await startWorld();
  const kinds = [];
  for (const path of [
    '',
    `/zones/${ZONE}`,
    '/zones',
    `/zones/${ZONE}/machineTypes/c3-standard-4`,
    '/global/images/runner-image',
    '/global/images/family/runner',
    '/global/networks/default',
    '/regions/europe-west1/subnetworks/default',
  ]) {
    kinds.push((await call('GET', path)).body.kind);
  }
  expect(kinds).toEqual(
    ['project', 'zone', 'zoneList', 'machineType', 'image', 'image', 'network', 'subnetwork'].map(
      (kind) => `compute#${kind}`,
    ),
  );
  for (const path of [
    '/zones/mars',
    '/zones/europe-west1-d/machineTypes/c3-standard-4',
    '/global/images/other',
    '/global/networks/other',
    '/regions/europe-west1/subnetworks/other',
    `/zones/${ZONE}/disks/other`,
    `/zones/${ZONE}/operations/other`,
  ]) {
    expect((await call('GET', path)).status, path).toBe(404);
  }
});

test('a call takes as long as it is told to, a refusal too', async () => {
  const gce = await startGceEmulator({ latency: { operations: { 'zones.get': 30 }, refusalMs: 0 } });
  endAfterTest(() => gce.close());
  const done: string[] = [];
  const get = (zone: string) =>
    fetch(`${gce.url}/compute/v1/projects/${gce.project}/zones/${zone}`).then(() => void done.push(zone));
  await Promise.all([get('europe-west1-b'), get('mars')]);
  expect(done).toEqual(['mars', 'europe-west1-b']);
});

test('planned refusals strike in their order, and can be taken back', async () => {
  const { gce, call, insert } = await startWorld();
  gce.refuseNext('instances.insert', { status: 403, reason: 'forbidden', message: 'No.' });
  gce.refuseNext('instances.insert', { status: 500, reason: 'backendError', echo: true }, 5);
  expect(refusalOf(await insert('a'))).toBe('403 forbidden: No.');
  expect(refusalOf(await insert('a'))).toContain('hello');
  gce.clearFaults();
  expect((await insert('a')).status).toBe(200);
  gce.fault({ operation: 'instances.list', kind: 'html' });
  await expect(call('GET', INSTANCES)).rejects.toThrow('JSON');
});
