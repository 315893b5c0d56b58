import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Machine, RungarError } from '@rungar/model';
import { type FakeClock, fakeClock } from '@rungar/model/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { labelsOf, SELECTOR, someRequest } from '../../test/aws-builders.js';
import { contextWith, credentialsText, type Ec2World, living, startEc2World } from '../../test/ec2-harness.js';
import { recordingLogger, textOf } from '../testing/seen-text.js';
import type { SdkLoader } from './client.js';
import { openAws, openAwsWith } from './provider.js';

let world: Ec2World;
let clock: FakeClock;

beforeEach(async () => {
  world = await startEc2World();
  clock = fakeClock();
});
afterEach(() => world.close());

const options = () => ({ signal: new AbortController().signal });
const [M6I, M5] = ['m6i.large', 'm5.large'];
const subnet = (at: number): string => world.settings.subnets[at] ?? '';
const request = (name = 'linux-1ff1015a', more = {}) => someRequest(name, { ...world.spec, ...more });
const open = (more = {}) => world.open(more, { clock });
const callsOf = (action: string): number => world.emulator.stats().calls[action] ?? 0;
const bodiesOf = (action: string): URLSearchParams[] =>
  world.emulator.requests.filter((one) => one.operation === action).map((one) => new URLSearchParams(one.body));
const failure = (promise: Promise<unknown>): Promise<RungarError> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: RungarError) => error,
  );

/** Lets the clock run until `promise` has settled: it stands still while a call is on its way. */
async function running<T>(promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = promise.finally(() => {
    settled = true;
  });
  done.catch(() => {});
  while (!settled) await clock.advance(10);
  return done;
}

describe('creating', () => {
  test('the first type of the first subnet is asked for, with the registration in its user data', async () => {
    const provider = await open();
    const machine = await provider.create(request(), options());
    const [instance] = living(world.emulator);
    expect(machine).toEqual({
      name: 'linux-1ff1015a',
      id: instance?.id,
      labels: labelsOf('linux-1ff1015a'),
      state: 'starting',
      size: M6I,
      createdAt: expect.any(Number),
    });
    expect(instance).toMatchObject({
      subnetId: subnet(0),
      instanceType: M6I,
      httpTokens: 'required',
      shutdownBehavior: 'terminate',
    });
    expect(instance?.tags).toEqual({ Name: 'linux-1ff1015a', ...labelsOf('linux-1ff1015a') });
    expect(instance?.volumeTags).toEqual(instance?.tags);
    expect(instance?.userData).toBe(
      "#!/bin/sh\nexport ACTIONS_RUNNER_INPUT_JITCONFIG='a-registration-good-once'\nexec /opt/run\n",
    );
  });

  test('a stock-out leads to the next type, then to the next subnet', async () => {
    const provider = await open();
    world.emulator.setStock({ subnetId: subnet(0) }, 0);
    await provider.create(request(), options());
    expect(living(world.emulator)[0]).toMatchObject({ subnetId: subnet(1), instanceType: M6I });
    expect(callsOf('RunInstances')).toBe(3);
  });

  test('what was full is asked last for a minute, and first again after it', async () => {
    const provider = await open();
    world.emulator.setStock({ subnetId: subnet(0), instanceType: M6I }, 0);
    await provider.create(request('linux-00000001'), options());
    await clock.advance(59_999);
    await provider.create(request('linux-00000002'), options());
    expect(callsOf('RunInstances')).toBe(2 + 1);
    await clock.advance(1);
    await provider.create(request('linux-00000003'), options());
    expect(callsOf('RunInstances')).toBe(2 + 1 + 2);
  });

  test('full everywhere is no capacity, with every reason', async () => {
    const provider = await open({ subnets: [subnet(0)] });
    world.emulator.setStock({}, 0);
    const error = await failure(provider.create(request(), options()));
    expect(error.code).toBe('no_capacity');
    expect(error.message).toContain(`${subnet(0)} ${M6I}: InsufficientInstanceCapacity: `);
    expect(error.message).toContain(`; ${subnet(0)} ${M5}: InsufficientInstanceCapacity: `);
    expect(error.cause).toMatchObject({ code: 'InsufficientInstanceCapacity', status: 500 });
  });

  test('a type out of quota is not asked for again in another subnet', async () => {
    const provider = await open();
    world.emulator.setQuota({ vcpus: 0 });
    const error = await failure(provider.create(request(), options()));
    expect(error.code).toBe('no_capacity');
    expect(bodiesOf('RunInstances').map((body) => body.get('InstanceType'))).toEqual([M6I, M5]);
  });

  test('unsupported everywhere can never work; full somewhere may, and is said first', async () => {
    const provider = await open({ subnets: [subnet(0)] });
    world.emulator.refuseNext('RunInstances', 'Unsupported', 2);
    expect(await failure(provider.create(request('linux-00000001'), options()))).toMatchObject({
      code: 'invalid_argument',
    });
    world.emulator.refuseNext('RunInstances', 'Unsupported', 1);
    world.emulator.refuseNext('RunInstances', 'InsufficientInstanceCapacity', 1);
    const error = await failure(provider.create(request('linux-00000002'), options()));
    expect(error.code).toBe('no_capacity');
    expect(error.message).toMatch(/^\S+ m5\.large: InsufficientInstanceCapacity: .*; \S+ m6i\.large: Unsupported: /);
  });

  test.each([
    ['InvalidParameterValue', 'invalid_argument'],
    ['UnauthorizedOperation', 'internal'],
  ])('%s stops at the first attempt', async (ec2Code, code) => {
    const provider = await open();
    world.emulator.refuseNext('RunInstances', ec2Code);
    const error = await failure(provider.create(request(), options()));
    expect(error.code).toBe(code);
    expect(error.message).toBe(`${subnet(0)} ${M6I}: ${ec2Code}: The request was refused.`);
    expect(callsOf('RunInstances')).toBe(1);
  });

  test('a request whose answer is lost is repeated as it was, and makes one machine', async () => {
    const provider = await open();
    world.emulator.dropNextReply();
    const machine = await provider.create(request(), options());
    const [first, second] = bodiesOf('RunInstances');
    expect(second?.toString()).toBe(first?.toString());
    expect(living(world.emulator).map((instance) => instance.id)).toEqual([machine.id]);
  });

  test('an uncertain outcome is asked about three times and no more', async () => {
    const provider = await open();
    world.emulator.refuseNext('RunInstances', 'InternalError', 10);
    const error = await failure(provider.create(request(), options()));
    expect(error.code).toBe('unavailable');
    expect(error.message).toBe(`${subnet(0)} ${M6I}: InternalError: The request was refused. (the outcome is unknown)`);
    expect(callsOf('RunInstances')).toBe(3);
  });

  test('throttled creations wait for their turn with their token, and all are made', async () => {
    const provider = await open();
    const names = Array.from({ length: 40 }, (_, n) => `linux-${n.toString(16).padStart(8, '0')}`);
    world.emulator.refuseNext('RunInstances', 'RequestLimitExceeded', 3);
    const made = await running(Promise.all(names.map((name) => provider.create(request(name), options()))));
    expect(new Set(made.map((machine) => machine.id)).size).toBe(40);
    expect(living(world.emulator)).toHaveLength(40);
    expect(callsOf('RunInstances')).toBe(43);
    expect(new Set(bodiesOf('RunInstances').map((body) => body.get('ClientToken'))).size).toBe(40);
  });

  test("a creation throttled for ever ends with its caller's reason", async () => {
    const provider = await open();
    world.emulator.refuseNext('RunInstances', 'RequestLimitExceeded', 1_000);
    const stop = new AbortController();
    const ended = provider.create(request(), { signal: stop.signal }).catch((error: unknown) => error);
    await running(
      (async () => {
        while (callsOf('RunInstances') < 3) await clock.advance(100);
      })(),
    );
    const reason = new Error('start timeout');
    stop.abort(reason);
    expect(await ended).toBe(reason);
  });

  test('a machine that ended since its first request is no success', async () => {
    const provider = await open();
    const { id } = await provider.create(request(), options());
    world.emulator.terminate(id);
    const error = await failure(provider.create(request(), options()));
    expect(['internal', 'unavailable']).toContain(error.code);
    expect(living(world.emulator)).toEqual([]);
  });

  test("an image's root device is asked for once", async () => {
    const provider = await open();
    const names = ['linux-00000001', 'linux-00000002', 'linux-00000003'];
    await Promise.all(names.map((name) => provider.create(request(name, { diskSize: 20n * 1024n ** 3n }), options())));
    expect(callsOf('DescribeImages')).toBe(1);
    expect(living(world.emulator)[0]?.rootVolume).toMatchObject({ sizeGiB: 20, type: 'gp3' });
  });

  test('an image that is not there can never work, and is looked for again', async () => {
    const provider = await open();
    const gone = request('linux-1ff1015a', { image: 'ami-00000000' });
    expect(await failure(provider.create(gone, options()))).toMatchObject({ code: 'invalid_argument' });
    expect(await failure(provider.create(gone, options()))).toMatchObject({ code: 'invalid_argument' });
    expect(callsOf('DescribeImages')).toBe(2);
    expect(callsOf('RunInstances')).toBe(0);
  });
});

describe('listing', () => {
  test('shows machines in every subnet, configured or not, over all pages', async () => {
    const provider = await open();
    const elsewhere = world.emulator.catalogue.subnets[2]?.id ?? '';
    const tags = (name: string) => ({ Name: name, ...labelsOf(name) });
    world.emulator.addForeignInstance({ tags: tags('linux-0'), subnetId: elsewhere });
    for (let n = 1; n <= 1_000; n++) world.emulator.addForeignInstance({ tags: tags(`linux-${n}`) });
    const { parts, clockOffsetMs } = await provider.list(SELECTOR, options());
    expect(parts[0]?.machines).toHaveLength(1_001);
    expect(parts[0]?.machines.some((machine) => machine.name === 'linux-0')).toBe(true);
    expect(callsOf('DescribeInstances')).toBe(2);
    expect(clockOffsetMs).toBeTypeOf('number');
  });

  test('asks in the order of the keys, then for the live states', async () => {
    const provider = await open();
    await provider.list(SELECTOR, options());
    const [body] = bodiesOf('DescribeInstances');
    const names = [1, 2, 3, 4].map((n) => body?.get(`Filter.${n}.Name`) ?? undefined);
    expect(names).toEqual(['tag:rungar.sh/installation', 'tag:rungar.sh/managed', 'instance-state-name', undefined]);
    const states = [1, 2, 3, 4, 5].map((n) => body?.get(`Filter.3.Value.${n}`) ?? undefined);
    expect(states).toEqual(['pending', 'running', 'stopping', 'stopped', undefined]);
  });

  test('is one part, begun when it was asked for', async () => {
    const provider = await open();
    const begunAt = clock.now();
    expect((await provider.list(SELECTOR, options())).parts).toEqual([{ part: 'eu-central-1', begunAt, machines: [] }]);
  });

  test('says which account it is of, once a machine has told, and keeps to it', async () => {
    const provider = await open();
    expect(await provider.list(SELECTOR, options())).not.toHaveProperty('identity');
    // EC2 may leave a new machine out for a while.
    expect(await provider.list(SELECTOR, options())).not.toHaveProperty('upToDate');
    const machine = await provider.create(request(), options());
    const identity = `aws:123456789012/eu-central-1 at ${world.emulator.url}`;
    expect(await provider.list(SELECTOR, options())).toMatchObject({ identity });
    await running(provider.delete(machine, SELECTOR, options()));
    expect(await provider.list(SELECTOR, options())).toMatchObject({ identity });
  });

  test('shows a machine that ended right after it was made, with the reason EC2 gives, until it is deleted', async () => {
    const provider = await open();
    world.emulator.failNextLaunches(1, {
      code: 'Client.InternalError',
      message: 'Client.InternalError: Client error on launch',
    });
    const machine = await provider.create(request('linux-00000001'), options());
    await provider.create(request('linux-00000002'), options());
    await vi.waitUntil(() => living(world.emulator).length === 1, { timeout: 10_000, interval: 5 });
    const listed = async () => (await provider.list(SELECTOR, options())).parts[0]?.machines ?? [];
    expect((await listed()).map(({ name, state, stateReason }) => [name, state, stateReason])).toEqual([
      ['linux-00000002', expect.stringMatching(/^(starting|running)$/), undefined],
      ['linux-00000001', 'stopped', 'Client.InternalError: Client error on launch'],
    ]);
    expect(await running(provider.delete(machine, SELECTOR, options()))).toBe('deleted');
    expect((await listed()).map(({ name }) => name)).toEqual(['linux-00000002']);
  });

  test('asks about new machines that are missing once a listing, and for five minutes', async () => {
    const provider = await open();
    world.emulator.setLag({ missingMs: 3_600_000 });
    await provider.create(request('linux-00000001'), options());
    await provider.create(request('linux-00000002'), options());
    await provider.list(SELECTOR, options());
    expect(callsOf('DescribeInstances')).toBe(2);
    await clock.advance(5 * 60_000);
    await provider.list(SELECTOR, options());
    expect(callsOf('DescribeInstances')).toBe(3);
  });

  test('does without that answer when it cannot be had', async () => {
    const provider = await open();
    world.emulator.setLag({ missingMs: 3_600_000 });
    await provider.create(request(), options());
    world.emulator.on('call', ({ action }) => world.emulator.deny(action));
    const { parts } = await provider.list(SELECTOR, options());
    expect(callsOf('DescribeInstances')).toBe(2);
    expect(parts).toMatchObject([{ machines: [] }]);
    expect(parts[0]).not.toHaveProperty('error');
  });

  test('says why its part is unknown', async () => {
    const provider = await open();
    world.emulator.deny('DescribeInstances');
    const { parts } = await provider.list(SELECTOR, options());
    expect(parts[0]?.error).toMatchObject({ code: 'internal' });
    expect(parts[0]?.error?.message).toMatch(/^DescribeInstances: UnauthorizedOperation: /);
  });
});

describe('deleting', () => {
  const create = async (provider: Awaited<ReturnType<typeof open>>, count: number): Promise<Machine[]> => {
    const names = Array.from({ length: count }, (_, n) => `linux-${n.toString(16).padStart(8, '0')}`);
    return Promise.all(names.map((name) => provider.create(request(name), options())));
  };

  test('machines that go together are one call, without a look', async () => {
    const provider = await open();
    const machines = await create(provider, 25);
    const outcomes = await running(Promise.all(machines.map((one) => provider.delete(one, SELECTOR, options()))));
    expect(new Set(outcomes)).toEqual(new Set(['deleted']));
    expect(living(world.emulator)).toEqual([]);
    expect([callsOf('TerminateInstances'), callsOf('DescribeInstances')]).toEqual([1, 0]);
  });

  test('one that is gone is absent and costs one more call', async () => {
    const provider = await open();
    const machines = await create(provider, 3);
    const gone = { name: 'linux-ffffffff', id: 'i-0fffffffffffffff0', labels: labelsOf('linux-ffffffff') };
    const outcomes = await running(
      Promise.all([...machines, gone].map((one) => provider.delete(one, SELECTOR, options()))),
    );
    expect(outcomes).toEqual(['deleted', 'deleted', 'deleted', 'absent']);
    expect(callsOf('TerminateInstances')).toBe(2);
  });

  test('one that is protected keeps its place, the others go', async () => {
    const provider = await open();
    const [first, second] = (await create(provider, 2)) as [Machine, Machine];
    world.emulator.protect(first.id);
    const outcomes = running(
      Promise.allSettled([first, second].map((one) => provider.delete(one, SELECTOR, options()))),
    );
    expect((await outcomes).map((one) => one.status)).toEqual(['rejected', 'fulfilled']);
    expect(living(world.emulator).map((one) => one.id)).toEqual([first.id]);
  });

  test('"no such instance" proves nothing of one that was just made, until it was listed or is five minutes old', async () => {
    const provider = await open();
    world.emulator.setLag({ notFoundMs: 3_600_000 });
    const [machine] = (await create(provider, 1)) as [Machine];
    const tryDelete = () => running(provider.delete(machine, SELECTOR, options()));
    expect(await failure(tryDelete())).toMatchObject({ code: 'unavailable' });
    await clock.advance(5 * 60_000);
    expect(await tryDelete()).toBe('absent');
  });

  test('"no such instance" of one that has been listed is believed', async () => {
    const provider = await open();
    world.emulator.setLag({ notFoundMs: 3_600_000 });
    const [machine] = (await create(provider, 1)) as [Machine];
    await provider.list(SELECTOR, options());
    expect(await running(provider.delete(machine, SELECTOR, options()))).toBe('absent');
  });

  test.each(['lost', 'hang'] as const)(
    'a name whose creation nobody answered (%s) is not called absent while EC2 may not list it yet',
    async (kind) => {
      const provider = await open();
      world.emulator.setLag({ missingMs: 60_000 });
      world.emulator.fault({ operation: 'RunInstances', kind, times: 3 });
      const stop = new AbortController();
      const made = failure(provider.create(request(), { signal: stop.signal }));
      await vi.waitUntil(() => callsOf('RunInstances') === (kind === 'lost' ? 3 : 1));
      if (kind === 'hang') stop.abort(new Error('start_timeout'));
      await running(made);
      const gone = () => running(provider.delete({ name: 'linux-1ff1015a' }, SELECTOR, options()));
      expect(await failure(gone())).toMatchObject({ code: 'unavailable' });
      if (kind === 'lost') world.emulator.setLag({});
      else await clock.advance(60_000);
      expect(await gone()).toBe(kind === 'lost' ? 'deleted' : 'absent');
      expect(living(world.emulator)).toEqual([]);
    },
  );

  test('an id whose labels are not ours is no proof: the machine is looked up by its name', async () => {
    const provider = await open();
    const theirs = world.emulator.addForeignInstance({ tags: { Name: 'linux-1ff1015a', owner: 'somebody' } });
    for (const labels of [
      {},
      { ...labelsOf('linux-1ff1015a'), 'rungar.sh/installation': 'gh-other' },
      labelsOf('other'),
    ]) {
      const ref = { name: 'linux-1ff1015a', id: theirs.id, labels };
      expect(await running(provider.delete(ref, SELECTOR, options()))).toBe('stranger');
    }
    expect(callsOf('TerminateInstances')).toBe(0);
  });

  test('of two machines of one name both go, and a stranger of that name stays', async () => {
    const provider = await open();
    const tags = { Name: 'linux-1ff1015a', ...labelsOf('linux-1ff1015a') };
    world.emulator.addForeignInstance({ tags });
    world.emulator.addForeignInstance({ tags });
    const stranger = world.emulator.addForeignInstance({ tags: { Name: 'linux-1ff1015a' } });
    expect(await running(provider.delete({ name: 'linux-1ff1015a' }, SELECTOR, options()))).toBe('deleted');
    expect(living(world.emulator).map((one) => one.id)).toEqual([stranger.id]);
  });
});

describe('reading a console', () => {
  test('gives its last lines', async () => {
    const provider = await open();
    const machine = await provider.create(request(), options());
    await vi.waitUntil(() => living(world.emulator)[0]?.machine !== undefined, { timeout: 10_000, interval: 5 });
    const lines = (await provider.readConsole?.(machine, options())) ?? [];
    expect(lines[0]).toMatch(/ booted$/);
    expect(bodiesOf('GetConsoleOutput').map((body) => body.get('Latest'))).toEqual(['true']);
  });

  test('of a type that has no present output takes the older one', async () => {
    const provider = await open();
    const machine = await provider.create(request(), options());
    world.emulator.refuseNext('GetConsoleOutput', 'UnsupportedOperation');
    expect(await provider.readConsole?.(machine, options())).toBeInstanceOf(Array);
    expect(bodiesOf('GetConsoleOutput').map((body) => body.get('Latest'))).toEqual(['true', null]);
  });

  test('of what is not there, or not known by its id, is nothing', async () => {
    const provider = await open();
    const ref = { name: 'linux-1ff1015a', id: 'i-0fffffffffffffff0' };
    expect(await provider.readConsole?.(ref, options())).toBeUndefined();
    expect(await provider.readConsole?.({ name: 'linux-1ff1015a' }, options())).toBeUndefined();
  });

  test('that may not be read says so', async () => {
    const provider = await open();
    const machine = await provider.create(request(), options());
    world.emulator.deny('GetConsoleOutput');
    const error = await failure(provider.readConsole?.(machine, options()) ?? Promise.resolve());
    expect(error.message).toMatch(/^reading the console of linux-1ff1015a: UnauthorizedOperation: /);
  });
});

test('a session token that is repeated to us is not shown', async () => {
  const token = 'IQoJb3JpZ2luX2VjE-temporary-token/+==';
  const { accessKeyId, secretAccessKey } = world.emulator.credentials;
  const credentialsFile = join(await mkdtemp(join(tmpdir(), 'rungar-aws-')), 'credentials');
  const keys = `aws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}`;
  await writeFile(credentialsFile, `[runners]\n${keys}\naws_session_token = ${token}\n`);
  const { logger, logged } = recordingLogger();
  const provider = await world.open({ credentialsFile }, { clock, logger });
  const message = `Not yours: x-amz-security-token: ${token}`;
  const body = `<Response><Errors><Error><Code>Blocked</Code><Message>${message}</Message></Error></Errors></Response>`;
  for (const operation of ['DescribeImages', 'TerminateInstances', 'DescribeInstances', 'GetConsoleOutput'])
    world.emulator.fault({ operation, kind: 'status', status: 400, contentType: 'text/xml', body });
  const machine = { name: 'linux-1ff1015a', id: 'i-0a1b2c3d', labels: labelsOf('linux-1ff1015a') };
  const errors = [
    await failure(provider.create(request(), options())),
    await failure(running(provider.delete(machine, SELECTOR, options()))),
    (await provider.list(SELECTOR, options())).parts[0]?.error,
    await failure(Promise.resolve(provider.readConsole?.(machine, options()))),
  ];
  for (const error of errors) expect(textOf(error)).toContain('x-amz-security-token: REDACTED');
  expect([...errors.map(textOf), ...logged].join('\n')).not.toContain(token);
  await rm(dirname(credentialsFile), { recursive: true });
});

describe('opening', () => {
  const missing = (name: string): Promise<never> =>
    Promise.reject(Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' }));

  test.each<[string, Partial<SdkLoader>]>([
    ['@aws-sdk/client-ec2', { ec2: () => missing('@aws-sdk/client-ec2') }],
    ['@aws-sdk/credential-providers', { credentials: () => missing('@aws-sdk/credential-providers') }],
  ])('without %s says how to install it', async (name, part) => {
    const load: SdkLoader = {
      ec2: () => import('@aws-sdk/client-ec2'),
      credentials: async () => ({ accessKeyId: 'AKIA', secretAccessKey: 'x' }),
      ...part,
    };
    const error = await failure(openAwsWith(load, world.settings, contextWith(clock)));
    expect(error.code).toBe('invalid_argument');
    expect(error.message).toContain(name);
    expect(error.hint).toContain(`npm install ${name}`);
  });

  test('does not need the backend, nor the credentials, to be there', async () => {
    const provider = await open({ endpointUrl: 'http://127.0.0.1:1', profile: 'no-such-profile' });
    const { parts } = await provider.list(SELECTOR, options());
    expect(parts[0]?.error?.message).toMatch(/^DescribeInstances: NoCredentials: /);
    const error = await failure(provider.create(request('linux-1ff1015a', { diskSize: 0n, diskType: '' }), options()));
    expect(error).toMatchObject({ code: 'unavailable', hint: expect.stringContaining('credentials_file') });
    await provider.close();
  });

  test('finds credentials by itself that the host has only later', async () => {
    const home = await mkdtemp(join(tmpdir(), 'rungar-home-'));
    vi.stubEnv('HOME', home);
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    const { credentialsFile: _, ...settings } = world.settings;
    const provider = await openAws(settings, contextWith(clock));
    const errorOfListing = async () => (await provider.list(SELECTOR, options())).parts[0]?.error;
    try {
      expect(await errorOfListing()).toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('NoCredentials'),
        hint: expect.stringContaining('credentials_file'),
      });
      await mkdir(join(home, '.aws'));
      await writeFile(join(home, '.aws', 'credentials'), credentialsText(world.emulator.credentials));
      expect(await errorOfListing()).toBeUndefined();
    } finally {
      vi.unstubAllEnvs();
      await provider.close();
      await rm(home, { recursive: true });
    }
  });
});
