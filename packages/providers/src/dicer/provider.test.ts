import { DEFAULT_HOST, RUNNER_IMAGE } from '@rungar/emulators/dicer';
import { type OpenProvider, type RungarError, silentLogger } from '@rungar/model';
import { type FakeClock, fakeClock } from '@rungar/model/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { labelsOf, SELECTOR } from '../../test/aws-builders.js';
import { IMAGE, someDicerRequest } from '../../test/dicer-builders.js';
import { type DicerWorld, startDicerWorld } from '../../test/dicer-harness.js';
import { recordingLogger } from '../testing/seen-text.js';
import type { DicerRunner } from './settings.js';

const OTHER = { ref: 'registry.example.com/runner:2', sizeBytes: 400n, runnerCommand: '/home/runner/run.sh' };
const GIB = 1024n ** 3n;

let world: DicerWorld;
let clock: FakeClock;

beforeEach(async () => {
  world = await startDicerWorld('socket', {
    registry: [RUNNER_IMAGE, OTHER],
    images: [RUNNER_IMAGE.ref],
    pullMs: 20,
    times: { bootMs: 0, stopMs: 0 },
  });
  clock = fakeClock();
});
afterEach(() => world.close());

const options = () => ({ signal: new AbortController().signal });
const open = () => world.open({}, { clock });
const callsOf = (method: string): number => world.dicer.stats().calls[method] ?? 0;
const requestsOf = (method: string): unknown[] =>
  world.dicer.calls.filter((call) => call.method === method).map((call) => JSON.parse(call.request) as unknown);
const failure = (promise: Promise<unknown>): Promise<RungarError> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: RungarError) => error,
  );

describe('creating', () => {
  test('asks for exactly this', async () => {
    const provider = await open();
    const mounts = [
      { type: 'volume', source: 'cache', target: '/cache', readOnly: true },
      { type: 'file', source: '/etc/ssl/ca.crt', target: '/etc/ssl/ca.crt', readOnly: false },
      { type: 'tmpfs', source: '', target: '/var/lib/docker', readOnly: false },
    ] as const;
    const env = new Map([
      ['HTTPS_PROXY', 'http://proxy:3128'],
      ['RUNNER_ALLOW_RUNASROOT', '0'],
      ['ACTIONS_RUNNER_INPUT_JITCONFIG', 'mine'],
    ]);
    await provider.create(
      someDicerRequest('linux-1', { mounts, env, kernel: 'vmlinux-6.12', network: 'default' }),
      options(),
    );
    expect(requestsOf('CreateInstance')).toEqual([
      {
        name: 'linux-1',
        imageRef: IMAGE,
        kernelName: 'vmlinux-6.12',
        vcpus: 2,
        memoryBytes: '4294967296',
        diskBytes: '21474836480',
        networkName: 'default',
        env: {
          RUNNER_ALLOW_RUNASROOT: '0',
          HTTPS_PROXY: 'http://proxy:3128',
          ACTIONS_RUNNER_INPUT_JITCONFIG: 'a-registration-good-once',
        },
        cmd: ['/home/runner/run.sh'],
        labels: labelsOf('linux-1'),
        start: true,
        restartPolicy: { mode: 'RESTART_MODE_NO' },
        removeOnExit: true,
        mounts: [
          { type: 'MOUNT_TYPE_VOLUME', source: 'cache', target: '/cache', readOnly: true },
          { type: 'MOUNT_TYPE_FILE', source: '/etc/ssl/ca.crt', target: '/etc/ssl/ca.crt' },
          { type: 'MOUNT_TYPE_TMPFS', target: '/var/lib/docker' },
        ],
        pullPolicy: 'PULL_POLICY_NEVER',
      },
    ]);
  });

  test('leaves the rest to the host, lets the runner be root, and answers with the machine', async () => {
    const provider = await open();
    const machine = await provider.create(someDicerRequest('linux-1'), options());
    const [instance] = world.dicer.instances();
    expect(machine).toEqual({
      name: 'linux-1',
      id: instance?.id,
      labels: labelsOf('linux-1'),
      state: 'starting',
      size: '2 vCPU, 4 GiB',
      createdAt: expect.any(Number),
    });
    expect(instance?.env).toEqual({
      RUNNER_ALLOW_RUNASROOT: '1',
      ACTIONS_RUNNER_INPUT_JITCONFIG: 'a-registration-good-once',
    });
    expect(world.dicer.stats().calls).toEqual({ GetImage: 1, CreateInstance: 1 });
  });

  test.each([
    ['RESOURCE_EXHAUSTED', 'no_capacity'],
    ['FAILED_PRECONDITION', 'no_capacity'],
    ['INVALID_ARGUMENT', 'invalid_argument'],
    ['NOT_FOUND', 'invalid_argument'],
    ['UNAVAILABLE', 'unavailable'],
    ['DEADLINE_EXCEEDED', 'unavailable'],
    ['ALREADY_EXISTS', 'internal'],
    ['PERMISSION_DENIED', 'internal'],
    ['INTERNAL', 'internal'],
    ['UNIMPLEMENTED', 'internal'],
  ] as const)('refused with %s is %s, in the words of the daemon', async (status, code) => {
    const provider = await open();
    world.dicer.refuseNext('CreateInstance', status, 1, 'the words of the daemon');
    const error = await failure(provider.create(someDicerRequest(), options()));
    expect(error).toMatchObject({ code, cause: { code: status } });
    expect(error.message.replace(' (the outcome is unknown)', '')).toBe('the words of the daemon');
    expect(error.message.includes('unknown')).toBe(code === 'unavailable');
    expect(callsOf('CreateInstance')).toBe(1);
  });

  test('a host that is full says of what', async () => {
    const small = await startDicerWorld('socket', { host: { ...DEFAULT_HOST, vcpus: 1, cpuOvercommit: 3 } });
    const provider = await small.open();
    await provider.create(someDicerRequest('linux-1'), options());
    expect(await failure(provider.create(someDicerRequest('linux-2'), options()))).toMatchObject({
      code: 'no_capacity',
      message: 'not enough CPU: 2 asked for, 1 available',
    });
    expect(await failure(provider.create(someDicerRequest('linux-2', { vcpus: 4 }), options()))).toMatchObject({
      code: 'invalid_argument',
      message: '4 vcpus asked for, the host has 3',
    });
    await provider.close();
    await small.close();
  });
});

describe('an image', () => {
  test('that the host lacks is pulled once, however many machines wait for it, and told about', async () => {
    const { logger, logged } = recordingLogger();
    const provider = await world.open({}, { clock, logger });
    const names = ['linux-1', 'linux-2', 'linux-3', 'linux-4'];
    await Promise.all(names.map((name) => provider.create(someDicerRequest(name, { image: OTHER.ref }), options())));
    expect(callsOf('PullImage')).toBe(1);
    expect(callsOf('CreateInstance')).toBe(4);
    await provider.create(someDicerRequest('linux-5', { image: OTHER.ref }), options());
    expect(callsOf('PullImage')).toBe(1);
    const told = logged.map((line) => line.replace(/\s+/g, ' ')).filter((line) => line.includes('image'));
    expect(told).toEqual([
      `pulling an image { image: '${OTHER.ref}' }`,
      `image is being pulled { image: '${OTHER.ref}', stage: 'resolving' }`,
      `image is being pulled { image: '${OTHER.ref}', stage: 'downloading', percent: 0 }`,
      `image is being pulled { image: '${OTHER.ref}', stage: 'downloading', percent: 25 }`,
      `image is being pulled { image: '${OTHER.ref}', stage: 'downloading', percent: 50 }`,
      `image is being pulled { image: '${OTHER.ref}', stage: 'downloading', percent: 75 }`,
      `image is being pulled { image: '${OTHER.ref}', stage: 'unpacking' }`,
      `image is being pulled { image: '${OTHER.ref}', stage: 'converting' }`,
      `pulled an image { image: '${OTHER.ref}', durationMs: 0 }`,
    ]);
  });

  test('that somebody deleted is pulled again', async () => {
    const provider = await open();
    await provider.create(someDicerRequest('linux-1', { image: OTHER.ref }), options());
    world.dicer.removeImage(OTHER.ref);
    await provider.create(someDicerRequest('linux-2', { image: OTHER.ref }), options());
    expect(callsOf('PullImage')).toBe(2);
  });

  test('that nobody has is named', async () => {
    const provider = await open();
    expect(
      await failure(provider.create(someDicerRequest('linux-1', { image: 'nowhere/x' }), options())),
    ).toMatchObject({
      code: 'invalid_argument',
      message: 'pulling image nowhere/x: image nowhere/x not found in its registry',
      cause: { code: 'NOT_FOUND' },
    });
    world.dicer.setRegistry(false);
    expect(await failure(provider.create(someDicerRequest('linux-1', { image: OTHER.ref }), options()))).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`pulling image ${OTHER.ref}: registry of`),
    });
    world.dicer.refuseNext('GetImage', 'RESOURCE_EXHAUSTED', 1, 'no more');
    expect(await failure(provider.create(someDicerRequest(), options()))).toMatchObject({
      code: 'no_capacity',
      message: `looking up image ${IMAGE}: no more`,
    });
    expect(callsOf('CreateInstance')).toBe(0);
  });

  test('whose pull outlasts a creation is there for the next one', async () => {
    const provider = await open();
    world.dicer.fault({ operation: 'PullImage', kind: 'slow', delayMs: 60 });
    const stop = new AbortController();
    const reason = new Error('start timeout');
    const first = failure(provider.create(someDicerRequest('linux-1', { image: OTHER.ref }), { signal: stop.signal }));
    await vi.waitUntil(() => callsOf('PullImage') === 1, { interval: 1 });
    stop.abort(reason);
    expect(await first).toBe(reason);
    await provider.create(someDicerRequest('linux-2', { image: OTHER.ref }), options());
    expect(callsOf('PullImage')).toBe(1);
    expect(world.dicer.instances().map(({ name }) => name)).toEqual(['linux-2']);
  });

  test('whose pull hangs is given up after an hour, and with the provider', async () => {
    const provider = await open();
    world.dicer.fault({ operation: 'PullImage', kind: 'hang', times: 2 });
    const pulled = () => failure(provider.create(someDicerRequest('linux-1', { image: OTHER.ref }), options()));
    const hanging = pulled();
    await vi.waitUntil(() => callsOf('PullImage') === 1, { interval: 1 });
    await clock.advance(3_599_999);
    expect(callsOf('CreateInstance')).toBe(0);
    await clock.advance(1);
    expect(await hanging).toMatchObject({ code: 'unavailable' });
    const ended = pulled();
    await vi.waitUntil(() => callsOf('PullImage') === 2, { interval: 1 });
    await provider.close();
    expect(await ended).toMatchObject({ code: 'unavailable', message: 'provider cloud is closed' });
  });
});

describe('listing', () => {
  test.each([
    ['STARTING', 'starting'],
    ['RUNNING', 'running'],
    ['PAUSED', 'running'],
    ['STOPPING', 'stopped'],
    ['STOPPED', 'stopped'],
    ['FAILED', 'stopped'],
    ['UNSPECIFIED', 'unknown'],
    ['RESTARTING', 'unknown'],
  ] as const)('an instance that is %s is %s', async (state, want) => {
    const provider = await open();
    world.dicer.addForeignInstance({ name: 'linux-1', labels: labelsOf('linux-1') });
    world.dicer.setState('linux-1', state, 'the kernel panicked');
    const { parts, upToDate } = await provider.list(SELECTOR, options());
    expect(upToDate).toBe(true);
    expect(parts[0]?.machines).toEqual([
      {
        name: 'linux-1',
        id: world.dicer.instances()[0]?.id,
        labels: labelsOf('linux-1'),
        state: want,
        size: '1 vCPU, 1 GiB',
        createdAt: expect.any(Number),
        ...(want === 'stopped' && { stateReason: 'the kernel panicked' }),
      },
    ]);
  });

  test('takes an answer of many MiB, in one call', async () => {
    const provider = await open();
    const env = { ACTIONS_RUNNER_INPUT_JITCONFIG: 'x'.repeat(16 * 1024) };
    for (let n = 0; n < 600; n++)
      world.dicer.addForeignInstance({ name: `linux-${n}`, labels: labelsOf(`linux-${n}`), env });
    const { parts } = await provider.list(SELECTOR, options());
    expect(parts[0]?.machines).toHaveLength(600);
    expect(callsOf('ListInstances')).toBe(1);
  });

  test('is one part, named by the address', async () => {
    const provider = await open();
    const { parts } = await provider.list(SELECTOR, options());
    expect(parts).toEqual([{ part: world.dicer.address, begunAt: clock.now(), machines: [] }]);
  });
});

describe('deleting', () => {
  test('a machine whose labels are known takes one call, which names its ID', async () => {
    const provider = await open();
    const machine = await provider.create(someDicerRequest('linux-1'), options());
    expect(await provider.delete(machine, SELECTOR, options())).toBe('deleted');
    expect(requestsOf('DeleteInstance')).toEqual([{ name: machine.id, force: true }]);
    expect(callsOf('GetInstance')).toBe(0);
    expect(await provider.delete(machine, SELECTOR, options())).toBe('absent');
  });

  test('never takes a new machine for an old one of the same name', async () => {
    const provider = await open();
    const old = await provider.create(someDicerRequest('linux-1'), options());
    await provider.delete(old, SELECTOR, options());
    world.dicer.addForeignInstance({ name: 'linux-1', labels: { owner: 'somebody' } });
    expect(await provider.delete(old, SELECTOR, options())).toBe('absent');
    expect(world.dicer.instances()).toHaveLength(1);
  });

  test('does not take an ID for a name', async () => {
    const provider = await open();
    const { id } = world.dicer.addForeignInstance({ name: 'a-database', labels: labelsOf('a-database') });
    expect(await provider.delete({ name: id }, SELECTOR, options())).toBe('absent');
    expect(world.dicer.instances()).toHaveLength(1);
  });

  test('says whose deletion failed', async () => {
    const provider = await open();
    const machine = await provider.create(someDicerRequest('linux-1'), options());
    world.dicer.refuseNext('DeleteInstance', 'UNAVAILABLE', 1, 'not now');
    expect(await failure(provider.delete(machine, SELECTOR, options()))).toMatchObject({
      code: 'unavailable',
      message: 'deleting linux-1: not now',
    });
  });
});

describe('a creation whose outcome nobody knows', () => {
  const time = { interval: 1, timeout: 10_000 };
  /** Deletes by name, with pauses that last as long as `between` takes. */
  const deleteLater = async (
    provider: OpenProvider<DicerRunner>,
    between: () => Promise<unknown>,
  ): Promise<unknown> => {
    const deleting = provider.delete({ name: 'linux-1' }, SELECTOR, options());
    await vi.waitFor(() => expect(callsOf('GetInstance')).toBeGreaterThan(0), time);
    await between();
    let settled = false;
    void deleting
      .catch(() => {})
      .finally(() => {
        settled = true;
      });
    while (!settled) await clock.advance(500);
    return deleting;
  };

  test('is deleted when its machine comes after it was called off', async () => {
    const provider = await open();
    world.dicer.fault({ operation: 'CreateInstance', kind: 'slow', delayMs: 60 });
    const stop = new AbortController();
    const made = provider.create(someDicerRequest('linux-1'), { signal: stop.signal });
    made.catch(() => {});
    await vi.waitFor(() => expect(callsOf('CreateInstance')).toBe(1), time);
    stop.abort(new Error('no longer wanted'));
    await expect(made).rejects.toThrow('no longer wanted');
    const arrival = () => vi.waitFor(() => expect(world.dicer.instances()).toHaveLength(1), time);
    expect(await deleteLater(provider, arrival)).toBe('deleted');
    expect(world.dicer.instances()).toEqual([]);
  });

  test('is not called absent until its machine can no longer come, and a stranger of its name stays', async () => {
    const provider = await open();
    world.dicer.fault({ operation: 'CreateInstance', kind: 'reset' });
    expect((await failure(provider.create(someDicerRequest('linux-1'), options()))).code).toBe('unavailable');
    const never = deleteLater(provider, async () => {
      world.dicer.addForeignInstance({ name: 'linux-1', labels: { owner: 'somebody' } });
    });
    expect(await failure(never)).toMatchObject({ code: 'unavailable' });
    await clock.advance(60_000);
    expect(await provider.delete({ name: 'linux-1' }, SELECTOR, options())).toBe('stranger');
    expect(world.dicer.instances()).toHaveLength(1);
  });

  test('that was refused, or never sent, is not waited for', async () => {
    const provider = await open();
    world.dicer.refuseNext('CreateInstance', 'INTERNAL', 1, 'no');
    await failure(provider.create(someDicerRequest('linux-1'), options()));
    expect(await provider.delete({ name: 'linux-1' }, SELECTOR, options())).toBe('absent');
    await failure(provider.create(someDicerRequest('linux-1'), { signal: AbortSignal.abort(new Error('over')) }));
    expect(await provider.delete({ name: 'linux-1' }, SELECTOR, options())).toBe('absent');
  });
});

describe('the console', () => {
  const written = async (ref: { name: string; id?: string }): Promise<unknown> =>
    (await open()).readConsole?.(ref, options());

  test('is what the guest wrote, by ID or by name', async () => {
    const provider = await open();
    const machine = await provider.create(someDicerRequest('linux-1'), options());
    await vi.waitUntil(() => world.dicer.instances()[0]?.machine === 'runnerless', { interval: 1 });
    expect(await written(machine)).toEqual(['booted', 'the configuration is not base64']);
    expect(await written({ name: 'linux-1' })).toEqual(['booted', 'the configuration is not base64']);
    expect(requestsOf('GetInstanceLogs')[0]).toEqual({ name: machine.id, source: 'LOG_SOURCE_GUEST', tailLines: 50 });
  });

  test('is nothing when the machine is gone, is a stranger, or the daemon keeps none', async () => {
    expect(await written({ name: 'linux-1' })).toBeUndefined();
    expect(await written({ name: 'linux-1', id: '0123' })).toBeUndefined();
    const { id } = world.dicer.addForeignInstance({ name: 'linux-1', labels: { owner: 'somebody' } });
    expect(await written({ name: 'linux-1' })).toBeUndefined();
    world.dicer.refuseNext('GetInstanceLogs', 'UNIMPLEMENTED');
    expect(await written({ name: 'linux-1', id })).toBeUndefined();
    world.dicer.refuseNext('GetInstanceLogs', 'INTERNAL', 1, 'broken');
    await expect(written({ name: 'linux-1', id })).rejects.toMatchObject({
      code: 'internal',
      message: 'reading the console of linux-1: broken',
    });
  });
});

test('a runner with much memory has its size in words', async () => {
  const provider = await world.open({}, { clock, logger: silentLogger });
  const machine = await provider.create(someDicerRequest('linux-1', { memory: 6n * GIB, vcpus: 3 }), options());
  expect(machine.size).toBe('3 vCPU, 6 GiB');
});
