import { encodeJitConfig } from '@rungar/emulators';
import { type MachineListing, type OpenProvider, type RungarError, Secret } from '@rungar/model';
import { type FakeClock, fakeClock } from '@rungar/model/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { emulatorClock, type GceWorld, living, startGceWorld, WARM_UP_MS, warmUp } from '../../test/gce-harness.js';
import { labelsOf, REGISTRATION, SELECTOR, someRequest, ZONE_B, ZONE_C } from '../../test/gcp-builders.js';
import { recordingLogger } from '../testing/seen-text.js';
import { DEFAULT_STARTUP_SCRIPT } from './default-startup-script.js';
import { LABELS_ITEM } from './machine.js';
import type { GcpRunner, GcpSettings } from './settings.js';

const NOON = Date.UTC(2027, 0, 4, 12, 0, 0);
const TEMPLATE = {
  name: 'base',
  properties: {
    machineType: 'e2-small',
    labels: { team: 'template', kept: 'yes' },
    metadata: { items: [{ key: 'note', value: 'template' }] },
    tags: { items: ['ssh', 'ci'] },
    scheduling: { onHostMaintenance: 'MIGRATE' },
    disks: [
      {
        boot: true,
        autoDelete: true,
        initializeParams: { sourceImage: 'global/images/runner-image', labels: { of: 'disk' } },
      },
    ],
    networkInterfaces: [{ network: 'global/networks/default' }],
  },
};

beforeAll(warmUp, WARM_UP_MS);

let world: GceWorld;
let clock: FakeClock;

beforeEach(async () => {
  clock = fakeClock(NOON);
  world = await startGceWorld({
    clock: emulatorClock(clock),
    catalogue: {
      instanceTemplates: [
        TEMPLATE,
        {
          ...TEMPLATE,
          name: 'spot',
          properties: {
            ...TEMPLATE.properties,
            scheduling: { provisioningModel: 'SPOT', instanceTerminationAction: 'STOP' },
          },
        },
        { ...TEMPLATE, name: 'base', region: 'europe-west1' },
      ],
    },
  });
});
afterEach(async () => {
  await world.close();
  expect(world.emulator.failures).toEqual([]);
});

const options = () => ({ signal: new AbortController().signal });
const open = (more: Partial<GcpSettings> = {}): Promise<OpenProvider<GcpRunner>> => world.open(more, { clock });
const callsOf = (method: string): number => world.emulator.stats().calls[method] ?? 0;
const insertsOf = (): { zone: string; type: string }[] =>
  world.emulator.requests
    .filter(({ operation }) => operation === 'instances.insert')
    .map(({ path, body }) => ({
      zone: /zones\/([^/]+)/.exec(path)?.[1] ?? '',
      type: /machineTypes\/([^"]+)/.exec(body)?.[1] ?? '',
    }));
const tried = (): string[] => insertsOf().map(({ zone, type }) => `${zone.slice(-1)} ${type}`);
const failure = (promise: Promise<unknown>): Promise<RungarError> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: RungarError) => error,
  );
const namesIn = ({ parts }: MachineListing): string[] =>
  parts.flatMap(({ machines }) => machines.map(({ name }) => name)).sort();

/** Lets the clock run until `promise` has settled: it stands still while a call is on its way. */
async function running<T>(promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = promise.finally(() => {
    settled = true;
  });
  done.catch(() => {});
  while (!settled) await clock.advance(50);
  return done;
}

describe('creating', () => {
  test('the first type in the first zone is asked for, with everything a machine needs', async () => {
    const provider = await open({ serviceAccount: 'runner@ci.iam.gserviceaccount.com', scopes: ['scope'] });
    const machine = await provider.create(
      someRequest('linux-1ff1015a', {
        labels: new Map([['team', 'ci']]),
        metadata: new Map([['note', 'hello']]),
        networkTags: ['b', 'a', 'b'],
      }),
      options(),
    );
    const [instance] = living(world.emulator);
    expect(machine).toEqual({
      name: 'linux-1ff1015a',
      id: `${ZONE_B}/${instance?.id}`,
      labels: labelsOf('linux-1ff1015a'),
      state: 'starting',
      size: 'e2-standard-2',
      createdAt: NOON,
    });
    const labels = {
      team: 'ci',
      rungar_sh_managed: 'true',
      rungar_sh_installation: 'gh-4e3651f01be5',
      'rungar_sh_scale-set': 'linux',
      rungar_sh_runner: 'linux-1ff1015a',
      rungar_sh_revision: 'c8641158c70e',
    };
    expect(instance).toMatchObject({
      zone: ZONE_B,
      machineType: 'e2-standard-2',
      labels,
      tags: ['a', 'b'],
      disks: [
        {
          boot: true,
          autoDelete: true,
          sizeGb: 50,
          type: 'pd-balanced',
          labels,
          image: 'projects/my-ci-project/global/images/runner-image',
        },
      ],
      networkInterfaces: [{ network: 'projects/my-ci-project/global/networks/default', external: true }],
      serviceAccounts: [{ email: 'runner@ci.iam.gserviceaccount.com', scopes: ['scope'] }],
      scheduling: { automaticRestart: false, onHostMaintenance: 'MIGRATE', provisioningModel: 'STANDARD' },
    });
    expect(instance?.metadata).toEqual({
      note: 'hello',
      'rungar-jitconfig': REGISTRATION,
      'rungar-labels': JSON.stringify(Object.fromEntries(Object.entries(labelsOf('linux-1ff1015a')).sort())),
      'startup-script': '#!/bin/sh\nexec /opt/run\n',
    });
    expect(instance?.scheduling).not.toHaveProperty('instanceTerminationAction');
  });

  test('a spot machine is one that Google deletes when it takes it back', async () => {
    const provider = await open();
    await provider.create(someRequest('linux-00000001', { spot: true }), options());
    expect(living(world.emulator)[0]?.scheduling).toMatchObject({
      provisioningModel: 'SPOT',
      onHostMaintenance: 'TERMINATE',
      instanceTerminationAction: 'DELETE',
    });
    world.emulator.preempt('linux-00000001');
    expect(namesIn(await provider.list(SELECTOR, options()))).toEqual([]);
  });

  test('a deadline is the time at which Google deletes it', async () => {
    const provider = await open();
    await provider.create(someRequest('linux-00000001', {}, { deadline: NOON + 3_600_999 }), options());
    expect(living(world.emulator)[0]?.scheduling).toMatchObject({
      terminationTime: '2027-01-04T13:00:00Z',
      instanceTerminationAction: 'DELETE',
      provisioningModel: 'STANDARD',
    });
  });

  test('the network is the one of the entry', async () => {
    const provider = await open({ subnetwork: 'default', externalIp: false });
    await provider.create(someRequest(), options());
    expect(living(world.emulator)[0]?.networkInterfaces).toEqual([
      {
        network: 'projects/my-ci-project/global/networks/default',
        subnetwork: 'projects/my-ci-project/regions/europe-west1/subnetworks/default',
        external: false,
      },
    ]);
    expect(world.emulator.requests.find(({ operation }) => operation === 'instances.insert')?.body).not.toContain(
      '"network"',
    );
  });

  test('each machine of a scale set begins one zone further', async () => {
    const provider = await open();
    for (const name of ['linux-00000001', 'linux-00000002', 'linux-00000003']) {
      await provider.create(someRequest(name), options());
    }
    expect(tried()).toEqual(['b e2-standard-2', 'c e2-standard-2', 'b e2-standard-2']);
    const other = { ...labelsOf('other-00000001'), 'rungar.sh/scale-set': 'other' };
    await provider.create(someRequest('other-00000001', {}, { labels: other }), options());
    expect(tried().at(-1)).toBe('b e2-standard-2');
  });

  test('a stock-out leads to the next type, then to the next zone, and nothing is left behind', async () => {
    const provider = await open();
    world.emulator.setStock({ zone: ZONE_B }, 0);
    const machine = await provider.create(someRequest(), options());
    expect(tried()).toEqual(['b e2-standard-2', 'b e2-standard-4', 'c e2-standard-2']);
    expect(world.emulator.instances()).toMatchObject([{ zone: ZONE_C, machineType: 'e2-standard-2' }]);
    expect(machine).toMatchObject({ id: `${ZONE_C}/${world.emulator.instances()[0]?.id}`, size: 'e2-standard-2' });
    expect(callsOf('instances.get')).toBe(2);
    expect(callsOf('instances.delete')).toBe(0);
  });

  test('each attempt has an id of its own', async () => {
    const provider = await open();
    world.emulator.setStock({ zone: ZONE_B }, 0);
    await provider.create(someRequest(), options());
    const ids = world.emulator.requests
      .filter(({ operation }) => operation === 'instances.insert')
      .map(({ query }) => new URLSearchParams(query).get('requestId'));
    expect(new Set(ids).size).toBe(3);
  });

  test('what was full is asked last for a minute, and first again after it', async () => {
    const provider = await open({ zones: [ZONE_B] });
    world.emulator.setStock({ zone: ZONE_B, machineType: 'e2-standard-2' }, 0);
    await provider.create(someRequest('linux-00000001'), options());
    await clock.advance(59_999);
    await provider.create(someRequest('linux-00000002'), options());
    expect(tried()).toEqual(['b e2-standard-2', 'b e2-standard-4', 'b e2-standard-4']);
    await clock.advance(1);
    await provider.create(someRequest('linux-00000003'), options());
    expect(tried().slice(3)).toEqual(['b e2-standard-2', 'b e2-standard-4']);
  });

  test("full everywhere is no capacity, with every reason in Google's words", async () => {
    const provider = await open();
    world.emulator.setStock({}, 0);
    const error = await failure(provider.create(someRequest(), options()));
    expect(error.code).toBe('no_capacity');
    expect(error.message.split('; ')).toEqual(
      [`${ZONE_B} e2-standard-2`, `${ZONE_B} e2-standard-4`, `${ZONE_C} e2-standard-2`, `${ZONE_C} e2-standard-4`].map(
        (attempt) => expect.stringContaining(`${attempt}: The zone '`),
      ),
    );
    expect(error.cause).toMatchObject({ code: 'ZONE_RESOURCE_POOL_EXHAUSTED', refusal: 'full' });
    expect(world.emulator.instances()).toEqual([]);
  });

  test('a type out of quota is not asked for again in another zone, others are', async () => {
    const provider = await open();
    world.emulator.setQuota({ cpus: 1 });
    const error = await failure(provider.create(someRequest(), options()));
    expect(error.code).toBe('no_capacity');
    expect(error.message).toContain("Quota 'CPUS' exceeded.  Limit: 1.0 in region europe-west1.");
    expect(tried()).toEqual(['b e2-standard-2', 'b e2-standard-4']);
  });

  test('a type that a zone does not have is not asked for there, and that is remembered for an hour', async () => {
    const provider = await open({ zones: ['europe-west1-d', ZONE_B] });
    await provider.create(someRequest('linux-00000001', { machineTypes: ['c3-standard-4'] }), options());
    await provider.create(someRequest('linux-00000002', { machineTypes: ['c3-standard-4'] }), options());
    expect(tried()).toEqual(['b c3-standard-4', 'b c3-standard-4']);
    expect(callsOf('machineTypes.get')).toBe(2);
    await clock.advance(3_600_000);
    await provider.create(someRequest('linux-00000003', { machineTypes: ['c3-standard-4'] }), options());
    expect(callsOf('machineTypes.get')).toBe(4);
  });

  test('a type that no zone has can never work', async () => {
    const provider = await open();
    const error = await failure(
      provider.create(someRequest('linux-00000001', { machineTypes: ['e9-small'] }), options()),
    );
    expect(error).toMatchObject({ code: 'invalid_argument' });
    expect(error.message).toContain(`${ZONE_B} e9-small: the zone does not have this machine type; ${ZONE_C}`);
    expect(callsOf('instances.insert')).toBe(0);
  });

  test('where nobody can tell whether a zone has a type, it is asked for', async () => {
    const provider = await open();
    world.emulator.deny('compute.machineTypes.get');
    await provider.create(someRequest('linux-00000001'), options());
    await provider.create(someRequest('linux-00000002'), options());
    expect(tried()).toEqual(['b e2-standard-2', 'c e2-standard-2']);
  });

  test.each([
    [{ status: 403, reason: 'forbidden' }, 'internal'],
    [{ status: 400, reason: 'invalid' }, 'invalid_argument'],
    [{ status: 404, reason: 'notFound' }, 'invalid_argument'],
    [{ status: 409, reason: 'alreadyExists' }, 'internal'],
  ])('a request refused with %o stops at the first attempt', async (refusal, code) => {
    const provider = await open();
    world.emulator.refuseNext('instances.insert', refusal);
    const error = await failure(provider.create(someRequest(), options()));
    expect(error).toMatchObject({ code, message: `${ZONE_B} e2-standard-2: The request was refused.` });
    expect(callsOf('instances.insert')).toBe(1);
  });

  test('a quota that refuses the request leads to the next type', async () => {
    const provider = await open();
    world.emulator.refuseNext('instances.insert', { status: 403, reason: 'quotaExceeded' });
    await provider.create(someRequest(), options());
    expect(tried()).toEqual(['b e2-standard-2', 'b e2-standard-4']);
  });

  test('an operation that fails for another reason leads on, and is told when all do', async () => {
    const provider = await open();
    world.emulator.failNextInserts(1);
    await provider.create(someRequest('linux-00000001'), options());
    expect(tried()).toEqual(['b e2-standard-2', 'b e2-standard-4']);
    world.emulator.failNextInserts(1);
    world.emulator.setStock({}, 0);
    const error = await failure(provider.create(someRequest('linux-00000002'), options()));
    expect(error.code).toBe('internal');
    expect(error.message).toContain('Internal error. Please try again');
    expect(error.message).toContain('does not have enough resources');
  });

  test('an operation that says it can never work stops there', async () => {
    const provider = await open();
    world.emulator.failNextInserts(9, { code: 'INVALID_USAGE', message: 'Not so.' });
    const error = await failure(provider.create(someRequest(), options()));
    expect(error).toMatchObject({ code: 'invalid_argument', message: `${ZONE_B} e2-standard-2: Not so.` });
    expect(callsOf('instances.insert')).toBe(1);
  });

  test('a request whose answer is lost is repeated as it was after half a second, and makes one machine', async () => {
    const provider = await open();
    world.emulator.fault({ operation: 'instances.insert', kind: 'lost' });
    world.emulator.fault({ operation: 'instances.insert', kind: 'html' });
    const machine = await running(provider.create(someRequest(), options()));
    const sent = world.emulator.requests.filter(({ operation }) => operation === 'instances.insert');
    expect(new Set(sent.map(({ query, body }) => query + body)).size).toBe(1);
    const [first = 0, second = 0, third = 0] = sent.map(({ at }) => at);
    expect([second - first, third - second]).toEqual([500, 1000]);
    expect(living(world.emulator).map(({ id }) => `${ZONE_B}/${id}`)).toEqual([machine.id]);
  });

  test('an outcome that stays unknown is said so, and no other zone is asked', async () => {
    const provider = await open();
    world.emulator.refuseNext('instances.insert', { status: 503, reason: 'backendError' }, 9);
    const error = await failure(running(provider.create(someRequest(), options())));
    expect(error.code).toBe('unavailable');
    expect(error.message).toBe(`${ZONE_B} e2-standard-2: The request was refused. (the outcome is unknown)`);
    expect(callsOf('instances.insert')).toBe(3);
  });

  test('a rate quota is waited for, and burns nothing', async () => {
    const provider = await open();
    world.emulator.setRates({ writesPerMinute: 3 });
    const names = Array.from({ length: 8 }, (_, at) => `linux-0000000${at}`);
    const made = await running(Promise.all(names.map((name) => provider.create(someRequest(name), options()))));
    expect(made.map(({ name }) => name)).toEqual(names);
    expect(living(world.emulator)).toHaveLength(8);
    expect(clock.now() - NOON).toBeLessThan(125_000);
  });

  test('what waits for the quota goes by priority, then by turns among scale sets', async () => {
    const { logger, logged } = recordingLogger();
    const provider = await world.open({}, { clock, logger });
    world.emulator.refuseNext('instances.insert', { status: 429, reason: 'rateLimitExceeded' });
    const create = (name: string, priority = 0) => {
      const labels = { ...labelsOf(name), 'rungar.sh/scale-set': name.slice(0, -9) };
      return provider.create(someRequest(name, {}, { labels, priority }), options());
    };
    const first = create('linux-00000001');
    await vi.waitFor(() => expect(logged.join()).toContain('throttled'), { interval: 1, timeout: 10_000 });
    const names = [...Array.from({ length: 12 }, (_, at) => `linux-${at + 10}000000`), 'arm-00000001'];
    const all = [first, ...names.map((name) => create(name)), create('urgent-00000001', 7)];
    await running(Promise.all(all));
    const inserted = world.emulator.requests
      .filter(({ operation }) => operation === 'instances.insert')
      .map(({ body }) => (JSON.parse(body) as { name: string }).name);
    expect(inserted[1]).toBe('urgent-00000001');
    expect(inserted.indexOf('arm-00000001')).toBeLessThan(9); // some go at a time, and overtake one another
  });

  test('operations are waited for together, and each machine is there only when its own is done', async () => {
    await world.close();
    world = await startGceWorld({ clock: emulatorClock(clock), times: { insertMs: 7000 } });
    const provider = await open({ zones: [ZONE_B] });
    const names = ['linux-00000001', 'linux-00000002', 'linux-00000003'];
    await running(Promise.all(names.map((name) => provider.create(someRequest(name), options()))));
    expect(clock.now() - NOON).toBeGreaterThanOrEqual(7000);
    expect(callsOf('zoneOperations.list')).toBeLessThanOrEqual(3);
    expect(callsOf('zoneOperations.get')).toBe(0);
    expect(living(world.emulator).map(({ status }) => status)).toEqual(['RUNNING', 'RUNNING', 'RUNNING']);
  });

  test('a creation and a deletion are accepted before they are done', async () => {
    await world.close();
    world = await startGceWorld({ clock: emulatorClock(clock), times: { insertMs: 20_000, deleteMs: 20_000 } });
    const provider = await open();
    const accepted: string[] = [];
    const noting = (what: string) => ({ ...options(), onAccepted: () => void accepted.push(what) });
    const create = provider.create(someRequest(), noting('create'));
    await vi.waitUntil(() => accepted.includes('create'));
    expect(clock.now()).toBe(NOON);
    const machine = await running(create);
    const createdAt = clock.now();
    const deletion = provider.delete(machine, SELECTOR, noting('delete'));
    await vi.waitUntil(() => accepted.includes('delete'));
    expect(clock.now()).toBe(createdAt);
    expect(await running(deletion)).toBe('deleted');
    expect(accepted).toEqual(['create', 'delete']);
  });

  test('a creation that waits for the quota goes where there is room, if its zone was found full meanwhile', async () => {
    await world.close();
    world = await startGceWorld({ clock: emulatorClock(clock), times: { insertMs: 2000 } });
    const provider = await open();
    world.emulator.setStock({ zone: ZONE_B }, 0);
    const spec = { machineTypes: ['e2-standard-2'] };
    const labels = (name: string) => ({ labels: { ...labelsOf(name), 'rungar.sh/scale-set': name } });
    const first = provider.create(someRequest('linux-00000001', spec, labels('linux-00000001')), options());
    await vi.waitUntil(() => callsOf('instances.insert') === 1);
    world.emulator.refuseNext('instances.insert', { status: 403, reason: 'rateLimitExceeded' }, 3);
    // Each begins at the first zone.
    const second = provider.create(someRequest('linux-00000002', spec, labels('linux-00000002')), options());
    await running(Promise.all([first, second]));
    expect(living(world.emulator).map(({ zone }) => zone)).toEqual([ZONE_C, ZONE_C]);
    expect(world.emulator.instances()).toHaveLength(2);
  });

  test('what a failed attempt left and cannot be taken away is told, and no other attempt follows', async () => {
    const provider = await open();
    world.emulator.failNextInserts(1);
    world.emulator.refuseNext('instances.get', { status: 403, reason: 'forbidden', message: 'Not yours.' });
    const error = await failure(provider.create(someRequest(), options()));
    expect(error).toMatchObject({ code: 'internal', message: expect.stringContaining('Not yours.') });
    expect(callsOf('instances.insert')).toBe(1);
  });

  test('what has the name of a failed attempt and is not ours stays, whatever its operation was about', async () => {
    const provider = await open({ zones: [ZONE_B] });
    const { id } = world.emulator.addForeignInstance({ name: 'linux-00000001', zone: ZONE_B });
    const errors = [{ code: 'RESOURCE_ALREADY_EXISTS', message: 'It already exists.' }];
    const operation = {
      kind: 'compute#operation',
      name: 'operation-1',
      status: 'DONE',
      targetId: id,
      error: { errors },
    };
    const answer = { kind: 'status', status: 200, body: JSON.stringify(operation), times: 2 } as const;
    world.emulator.fault({ operation: 'instances.insert', ...answer });
    expect(await failure(provider.create(someRequest('linux-00000001'), options()))).toMatchObject({
      code: 'internal',
    });
    expect(living(world.emulator).map((one) => one.id)).toEqual([id]);
    expect(callsOf('instances.delete')).toBe(0);
  });

  test('ends with its caller while nobody says whether a zone has a type', async () => {
    const provider = await open();
    world.emulator.fault({ operation: 'machineTypes.get', kind: 'hang' });
    const stop = new AbortController();
    const made = failure(provider.create(someRequest(), { signal: stop.signal }));
    await vi.waitUntil(() => callsOf('machineTypes.get') === 1);
    stop.abort(new Error('start_timeout'));
    expect((await made).message).toBe('start_timeout');
    expect(callsOf('instances.insert')).toBe(0);
  });
});

describe('a template', () => {
  const fromTemplate = (more: Partial<GcpRunner> = {}): Partial<GcpRunner> => ({
    machineTypes: [],
    image: '',
    diskSize: 0n,
    diskType: '',
    instanceTemplate: 'base',
    ...more,
  });

  test('gives what the block does not set, and its disks get the labels of the machine', async () => {
    const provider = await open();
    const spec = fromTemplate({ labels: new Map([['team', 'block']]), networkTags: ['own'] });
    const machine = await provider.create(someRequest('linux-00000001', spec), options());
    expect(machine.size).toBe('e2-small');
    const [instance] = living(world.emulator);
    expect(instance).toMatchObject({
      machineType: 'e2-small',
      labels: { team: 'block', kept: 'yes', rungar_sh_runner: 'linux-00000001' },
      metadata: { note: 'template', 'rungar-jitconfig': REGISTRATION },
      tags: ['ci', 'own', 'ssh'],
      networkInterfaces: [{ external: false }],
      scheduling: { automaticRestart: false, onHostMaintenance: 'MIGRATE' },
    });
    const { body = '' } = world.emulator.requests.find(({ operation }) => operation === 'instances.insert') ?? {};
    expect(Object.keys(JSON.parse(body) as object).sort()).toEqual([
      'labels',
      'metadata',
      'name',
      'scheduling',
      'tags',
    ]);
    await expect
      .poll(() => living(world.emulator)[0]?.disks[0]?.labels, { timeout: 10_000 })
      .toMatchObject({ of: 'disk', team: 'block', rungar_sh_managed: 'true' });
  });

  test('is read once', async () => {
    const provider = await open();
    for (const name of ['linux-00000001', 'linux-00000002']) {
      await provider.create(someRequest(name, fromTemplate()), options());
    }
    expect(callsOf('instanceTemplates.get')).toBe(1);
  });

  test('of spot machines makes spot machines that Google deletes', async () => {
    const provider = await open();
    await provider.create(someRequest('linux-00000001', fromTemplate({ instanceTemplate: 'spot' })), options());
    expect(living(world.emulator)[0]?.scheduling).toMatchObject({
      provisioningModel: 'SPOT',
      instanceTerminationAction: 'DELETE',
    });
  });

  test('of a region is read there, and a type and a network beside it win', async () => {
    const provider = await open({ externalIp: true });
    const path = 'projects/my-ci-project/regions/europe-west1/instanceTemplates/base';
    const spec = fromTemplate({ instanceTemplate: path, machineTypes: ['n2-standard-4'] });
    await provider.create(someRequest('linux-00000001', spec), options());
    expect(callsOf('regionInstanceTemplates.get')).toBe(1);
    expect(living(world.emulator)[0]).toMatchObject({
      machineType: 'n2-standard-4',
      networkInterfaces: [{ external: true }],
    });
  });

  test('that is not there can never work; one that cannot be read now may', async () => {
    const provider = await open();
    const create = (instanceTemplate: string) =>
      failure(provider.create(someRequest('linux-00000001', fromTemplate({ instanceTemplate })), options()));
    expect(await create('other')).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('instance template projects/my-ci-project/global/instanceTemplates/other'),
    });
    world.emulator.refuseNext('instanceTemplates.get', { status: 500, reason: 'backendError' });
    expect(await create('base')).toMatchObject({ code: 'unavailable' });
    expect(callsOf('instances.insert')).toBe(0);
  });
});

describe('listing', () => {
  const stateOf = async (provider: OpenProvider<GcpRunner>): Promise<string | undefined> =>
    (await provider.list(SELECTOR, options())).parts.flatMap(({ machines }) => machines)[0]?.state;

  test('each zone answers for itself', async () => {
    const provider = await open();
    await provider.create(someRequest('linux-00000001'), options());
    await provider.create(someRequest('linux-00000002'), options());
    world.emulator.setReachable(ZONE_C, false);
    const { parts } = await provider.list(SELECTOR, options());
    expect(parts.map(({ part, machines, error }) => [part, machines.map(({ name }) => name), error?.message])).toEqual([
      [ZONE_B, ['linux-00000001'], undefined],
      [ZONE_C, [], `listing ${ZONE_C}: Zone ${ZONE_C} cannot be reached.`],
    ]);
    expect(parts[1]?.error).toMatchObject({ code: 'unavailable' });
  });

  test('a zone of the region that is no longer in the configuration is listed until it is empty', async () => {
    const before = await open();
    const machine = await before.create(someRequest('linux-00000001'), options());
    world.emulator.addForeignInstance({ name: 'far-away', zone: 'us-central1-a' });
    const provider = await open({ zones: [ZONE_C] });
    const partsNow = async () => (await provider.list(SELECTOR, options())).parts.map(({ part }) => part);
    expect(await partsNow()).toEqual([ZONE_C, ZONE_B]);
    expect((await provider.list(SELECTOR, options())).upToDate).toBe(true);
    expect(namesIn(await provider.list(SELECTOR, options()))).toEqual(['linux-00000001']);
    expect(await provider.delete({ name: machine.name }, SELECTOR, options())).toBe('deleted');
    await partsNow();
    expect(await partsNow()).toEqual([ZONE_C]);
    expect(callsOf('instances.aggregatedList')).toBe(1);
  });

  test('a zone that could not be reached when the whole project was asked is asked about again', async () => {
    const before = await open();
    await before.create(someRequest('linux-00000001'), options());
    const provider = await open({ zones: [ZONE_C] });
    world.emulator.setReachable(ZONE_B, false);
    expect(namesIn(await provider.list(SELECTOR, options()))).toEqual([]);
    world.emulator.setReachable(ZONE_B, true);
    expect(namesIn(await provider.list(SELECTOR, options()))).toEqual(['linux-00000001']);
  });

  test('the whole project is asked again for other zones when it did not answer', async () => {
    const provider = await open({ zones: [ZONE_C] });
    world.emulator.refuseNext('instances.aggregatedList', { status: 503, reason: 'backendError' });
    await provider.list(SELECTOR, options());
    await provider.list(SELECTOR, options());
    await provider.list(SELECTOR, options());
    expect(callsOf('instances.aggregatedList')).toBe(2);
  });

  test.each([
    ['PROVISIONING', 'starting'],
    ['STAGING', 'starting'],
    ['PENDING', 'starting'],
    ['RUNNING', 'running'],
    ['STOPPING', 'stopped'],
    ['TERMINATED', 'stopped'],
    ['SUSPENDED', 'stopped'],
    ['REPAIRING', 'unknown'],
  ] as const)('%s is %s', async (status, state) => {
    const provider = await open();
    await provider.create(someRequest('linux-00000001'), options());
    world.emulator.setStatus('linux-00000001', status);
    expect(await stateOf(provider)).toBe(state);
  });

  test('all pages are followed, and only what is read is asked for', async () => {
    await world.close();
    world = await startGceWorld({ clock: emulatorClock(clock), pageSize: 2 });
    const provider = await open({ zones: [ZONE_B] });
    const names = Array.from({ length: 5 }, (_, at) => `linux-0000000${at}`);
    for (const name of names) await provider.create(someRequest(name), options());
    const before = callsOf('instances.list');
    expect(namesIn(await provider.list(SELECTOR, options()))).toEqual(names);
    expect(callsOf('instances.list') - before).toBe(3);
    const { query } = world.emulator.requests.findLast(({ operation }) => operation === 'instances.list') ?? {
      query: '',
    };
    const asked = new URLSearchParams(query);
    expect(asked.get('filter')).toBe(
      '(labels.rungar_sh_installation = "gh-4e3651f01be5") (labels.rungar_sh_managed = "true")',
    );
    expect(asked.get('fields')).not.toContain('disks');
  });

  test('what carries our labels for filters only, or none that can be read, is nobody of ours', async () => {
    const provider = await open();
    const labels = { rungar_sh_managed: 'true', rungar_sh_installation: 'gh-4e3651f01be5' };
    world.emulator.addForeignInstance({ name: 'a', labels });
    world.emulator.addForeignInstance({ name: 'b', labels, metadata: { [LABELS_ITEM]: '{' } });
    world.emulator.addForeignInstance({
      name: 'c',
      labels,
      metadata: { [LABELS_ITEM]: '{"rungar.sh/managed":"true"}' },
    });
    expect(namesIn(await provider.list(SELECTOR, options()))).toEqual([]);
  });

  test('asked for too often waits within its time limit', async () => {
    const provider = await open({ zones: [ZONE_B] });
    await provider.create(someRequest('linux-00000001'), options());
    await provider.list(SELECTOR, options());
    await clock.advance(45_000);
    world.emulator.setRates({ readsPerMinute: 2 });
    expect(namesIn(await running(provider.list(SELECTOR, options())))).toEqual(['linux-00000001']);
    expect(clock.now() - NOON).toBeGreaterThanOrEqual(60_000);
    expect(clock.now() - NOON).toBeLessThan(62_000);
  });

  test('tells the project and the region, by the name Google has for it', async () => {
    const provider = await open();
    const { identity } = await provider.list(SELECTOR, options());
    expect(identity).toBe(`gcp:my-ci-project/europe-west1 at ${world.emulator.url}`);
  });

  test("tells how far Google's clock is ahead", async () => {
    const provider = await open();
    const { clockOffsetMs = Number.NaN } = await provider.list(SELECTOR, options());
    expect(Math.abs(clockOffsetMs)).toBeLessThan(1000);
  });
});

describe('deleting', () => {
  test('a machine known by its number is deleted with one call, by that number', async () => {
    const provider = await open();
    const machine = await provider.create(someRequest(), options());
    expect(await provider.delete(machine, SELECTOR, options())).toBe('deleted');
    expect(callsOf('instances.get')).toBe(0);
    const { path } = world.emulator.requests.find(({ operation }) => operation === 'instances.delete') ?? { path: '' };
    expect(path.split('/').slice(-4)).toEqual(['zones', ZONE_B, 'instances', machine.id.split('/')[1]]);
  });

  test('a new machine of an old name is not taken for the old one', async () => {
    const provider = await open();
    const machine = await provider.create(someRequest(), options());
    world.emulator.delete(machine.name);
    await clock.advance(1);
    world.emulator.addForeignInstance({ name: machine.name });
    expect(await provider.delete(machine, SELECTOR, options())).toBe('absent');
    expect(living(world.emulator)).toHaveLength(1);
  });

  test('a number without labels of ours is no proof', async () => {
    const provider = await open();
    const theirs = world.emulator.addForeignInstance({ name: 'linux-00000001' });
    const ref = { name: 'linux-00000001', id: `${ZONE_B}/${theirs.id}` };
    expect(await provider.delete(ref, SELECTOR, options())).toBe('stranger');
    expect(await provider.delete({ ...ref, labels: labelsOf('linux-00000002') }, SELECTOR, options())).toBe('stranger');
    expect(living(world.emulator)).toHaveLength(1);
  });

  test('a zone that cannot be asked keeps no machine of another, and is asked again', async () => {
    const provider = await open();
    const machine = await provider.create(someRequest(), options());
    world.emulator.setReachable(ZONE_C, false);
    const deletion = () => provider.delete({ name: machine.name }, SELECTOR, options());
    expect(await failure(deletion())).toMatchObject({ code: 'unavailable' });
    expect(living(world.emulator)).toEqual([]);
    world.emulator.setReachable(ZONE_C, true);
    expect(await deletion()).toBe('absent');
  });

  test('the name is looked for in every zone', async () => {
    const provider = await open();
    await provider.create(someRequest('linux-00000001'), options());
    await provider.create(someRequest('linux-00000002'), options());
    expect(await provider.delete({ name: 'linux-00000002' }, SELECTOR, options())).toBe('deleted');
    expect(living(world.emulator).map(({ name }) => name)).toEqual(['linux-00000001']);
  });

  test('one that could not be looked for may still be there', async () => {
    const provider = await open();
    world.emulator.setReachable(ZONE_C, false);
    expect(await failure(provider.delete({ name: 'linux-00000001' }, SELECTOR, options()))).toMatchObject({
      code: 'unavailable',
    });
  });

  test('it is gone only when the operation is done, and not when that cannot be told', async () => {
    await world.close();
    world = await startGceWorld({ clock: emulatorClock(clock), times: { deleteMs: 7000 } });
    const provider = await open();
    const machine = await provider.create(someRequest(), options());
    const deleting = running(provider.delete(machine, SELECTOR, options()));
    expect(await deleting).toBe('deleted');
    expect(clock.now() - NOON).toBeGreaterThanOrEqual(10_000);

    const other = await provider.create(someRequest('linux-00000002'), options());
    world.emulator.refuseNext('zoneOperations.list', { status: 403, reason: 'forbidden' }, 9);
    world.emulator.refuseNext('zoneOperations.get', { status: 404, reason: 'notFound' });
    const error = await failure(running(provider.delete(other, SELECTOR, options())));
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('waiting for operation-') });
  });

  test('one that is protected is told', async () => {
    const provider = await open();
    const machine = await provider.create(someRequest(), options());
    world.emulator.refuseNext('instances.delete', { status: 412, reason: 'conditionNotMet', message: 'Protected.' });
    expect(await failure(provider.delete(machine, SELECTOR, options()))).toMatchObject({
      code: 'internal',
      message: `deleting ${machine.name}: Protected.`,
    });
  });
});

describe('a creation that was called off while its request was on its way', () => {
  const NAME = 'linux-1ff1015a';
  const callOff = async (provider: OpenProvider<GcpRunner>): Promise<void> => {
    const stop = new AbortController();
    const made = provider.create(someRequest(NAME), { signal: stop.signal });
    made.catch(() => {});
    await vi.waitFor(() => expect(callsOf('instances.insert')).toBe(1), { interval: 1, timeout: 10_000 });
    stop.abort(new Error('no longer wanted'));
    await expect(made).rejects.toThrow('no longer wanted');
  };

  test('is deleted when its machine comes, and a stranger of its name is not', async () => {
    const provider = await open();
    world.emulator.addForeignInstance({ name: NAME, zone: ZONE_C });
    world.emulator.fault({ operation: 'instances.insert', kind: 'slow', delayMs: 5_000 });
    await callOff(provider);
    const deleted = provider.delete({ name: NAME }, SELECTOR, options());
    expect(await running(deleted)).toBe('deleted');
    expect(living(world.emulator)).toMatchObject([{ name: NAME, zone: ZONE_C }]);
    expect(await provider.delete({ name: NAME }, SELECTOR, options())).toBe('stranger');
  });

  test('is not called absent until its machine can no longer come', async () => {
    const provider = await open();
    world.emulator.fault({ operation: 'instances.insert', kind: 'hang' });
    await callOff(provider);
    const first = clock.now();
    expect(await failure(running(provider.delete({ name: NAME }, SELECTOR, options())))).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('may be there yet'),
    });
    expect(clock.now() - first).toBeLessThan(12_000);
    await clock.advance(60_000);
    expect(await provider.delete({ name: NAME }, SELECTOR, options())).toBe('absent');
  });

  test('that was answered before, or was only ever refused, is not waited for', async () => {
    const provider = await open();
    world.emulator.refuseNext('instances.insert', { status: 403, reason: 'forbidden' });
    expect((await failure(provider.create(someRequest(NAME), options()))).code).toBe('internal');
    expect(await provider.delete({ name: NAME }, SELECTOR, options())).toBe('absent');
    world.emulator.refuseNext('instances.insert', { status: 429, reason: 'rateLimitExceeded' });
    const stop = new AbortController();
    const made = provider.create(someRequest(NAME), { signal: stop.signal });
    await vi.waitFor(() => expect(callsOf('instances.insert')).toBe(2), { interval: 1, timeout: 10_000 });
    await vi.waitFor(() => expect(world.emulator.stats().refusals).toHaveProperty('rateLimitExceeded'));
    await clock.advance(1);
    stop.abort(new Error('no longer wanted'));
    await expect(made).rejects.toThrow('no longer wanted');
    expect(await provider.delete({ name: NAME }, SELECTOR, options())).toBe('absent');
  });
});

test('a machine that boots our own script finds its registration', async () => {
  await world.close();
  world = await startGceWorld({ times: { bootMs: 0 } });
  const provider = await open();
  const jitConfig = new Secret(
    encodeJitConfig({ serverUrl: world.emulator.url, scaleSetId: 1, runnerId: 2, name: 'linux-00000001', secret: 'x' }),
  );
  await provider.create(
    someRequest('linux-00000001', { startupScript: DEFAULT_STARTUP_SCRIPT }, { jitConfig }),
    options(),
  );
  await expect.poll(() => world.emulator.instances()[0]?.runnerName, { timeout: 10_000 }).toBe('linux-00000001');
});

describe('the console', () => {
  test('is what the machine wrote last', async () => {
    const provider = await open();
    const machine = await provider.create(someRequest(), options());
    await clock.advance(60_000);
    expect(await provider.readConsole?.(machine, options())).toEqual(['booted', expect.stringContaining('export')]);
  });

  test('of a machine that is gone, or not known by its number, is nothing', async () => {
    const provider = await open();
    const machine = await provider.create(someRequest(), options());
    await provider.delete(machine, SELECTOR, options());
    expect(await provider.readConsole?.(machine, options())).toBeUndefined();
    expect(await provider.readConsole?.({ name: 'linux-00000001' }, options())).toBeUndefined();
  });
});
