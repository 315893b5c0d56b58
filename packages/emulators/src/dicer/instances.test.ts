import { create, toBinary } from '@bufbuild/protobuf';
import { CreateInstanceRequestSchema, MountType, PullPolicy, PullStage, RestartMode } from '@rungar/dicer-api';
import { describe, expect, test } from 'vitest';
import { GIB, instanceRequest, refusalOf, startDicerWorld } from '../../test/dicer.js';
import { RUNNER_IMAGE } from './images.js';

const OTHER = { ref: 'registry.example.com/runner:2', sizeBytes: 400n, runnerCommand: '/run' };

describe('creating', () => {
  test('records what was asked for, and what the host adds', async () => {
    const { client } = await startDicerWorld();
    const made = await client.createInstance(
      instanceRequest('linux-1', {
        labels: { team: 'ci' },
        env: { A: 'b' },
        mounts: [{ type: MountType.TMPFS, target: '/tmp' }],
        restartPolicy: { mode: RestartMode.NO },
        start: false,
      }),
    );
    expect(made).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'linux-1',
      hostname: 'linux-1',
      kernelName: 'vmlinux-6.12',
      networkName: 'default',
      vcpus: 2,
      memoryBytes: 4n * GIB,
      labels: { team: 'ci' },
      env: { A: 'b' },
      state: 1,
      removeOnExit: true,
    });
    expect(made.createTime?.seconds).toBe(1_767_355_200n);
    expect((await client.listInstances({})).instances).toEqual([made]);
    expect(await client.getInstance({ name: made.id })).toEqual(made);
  });

  test.each([
    ['no name', { name: '' }, 'InvalidArgument: invalid name ""'],
    ['a name that is none', { name: 'a_b' }, 'InvalidArgument: invalid name "a_b"'],
    ['no image', { imageRef: '' }, 'InvalidArgument: image_ref is required'],
    ['no CPU', { vcpus: 0 }, 'InvalidArgument: vcpus must be at least 1'],
    ['no memory', { memoryBytes: 0n }, 'InvalidArgument: memory_bytes is required'],
    ['no disk', { diskBytes: 0n }, 'InvalidArgument: disk_bytes is required'],
    ['more CPUs than there are', { vcpus: 65 }, 'InvalidArgument: 65 vcpus asked for, the host has 64'],
    ['more memory than there is', { memoryBytes: 129n * GIB }, 'InvalidArgument: 138512695296 bytes of memory'],
    ['more disk than there is', { diskBytes: 1025n * GIB }, 'InvalidArgument: 1100585369600 bytes of disk'],
    ['an unknown kernel', { kernelName: 'x' }, 'NotFound: kernel x not found'],
    ['an unknown network', { networkName: 'x' }, 'NotFound: network x not found'],
    [
      'an unknown volume',
      { mounts: [{ type: MountType.VOLUME, source: 'x', target: '/x' }] },
      'NotFound: volume x not found',
    ],
    [
      'a tmpfs with a source',
      { mounts: [{ type: MountType.TMPFS, source: 'x', target: '/x' }] },
      'InvalidArgument: mount of /x: a tmpfs has no source',
    ],
    ['an unknown pull policy', { pullPolicy: 9 as PullPolicy }, 'InvalidArgument: PullPolicy has no value 9'],
    ['a restart', { restartPolicy: { mode: RestartMode.ALWAYS } }, 'Unimplemented: the emulator does not do restarts'],
    ['a static address', { staticIp: '10.0.0.2' }, 'Unimplemented: the emulator does not do static addresses'],
    [
      'an image the host lacks and must not pull',
      { imageRef: OTHER.ref, pullPolicy: PullPolicy.NEVER },
      `NotFound: image ${OTHER.ref} not found`,
    ],
    ['an image nobody has', { imageRef: 'nowhere/x' }, 'NotFound: image nowhere/x not found in its registry'],
  ])('refuses %s, and records nothing', async (_, more, want) => {
    const registry = [RUNNER_IMAGE, OTHER];
    const { dicer, client } = await startDicerWorld({ registry, images: [RUNNER_IMAGE.ref], pullMs: 0 });
    expect(await refusalOf(client.createInstance(instanceRequest('linux-1', more)))).toContain(want);
    expect(dicer.instances()).toEqual([]);
    expect(Object.keys(dicer.stats().refusals)).toEqual([want.slice(0, want.indexOf(':'))]);
  });

  test('refuses a field that it does not know', async () => {
    const { client } = await startDicerWorld();
    const request = create(CreateInstanceRequestSchema, instanceRequest('linux-1'));
    request.$unknown = [{ no: 18, wireType: 0, data: new Uint8Array([1]) }];
    expect(toBinary(CreateInstanceRequestSchema, request).length).toBeGreaterThan(0);
    expect(await refusalOf(client.createInstance(request))).toBe(
      'InvalidArgument: CreateInstanceRequest has no field 18',
    );
  });

  test('gives a name once', async () => {
    const { client } = await startDicerWorld();
    await client.createInstance(instanceRequest('linux-1'));
    expect(await refusalOf(client.createInstance(instanceRequest('linux-1')))).toBe(
      'AlreadyExists: instance linux-1 already exists',
    );
  });

  test('runs out of processors, memory and addresses, of what is started', async () => {
    const { client } = await startDicerWorld({
      host: {
        vcpus: 1,
        memoryBytes: 16n * GIB,
        networks: [
          { name: 'few', addresses: 3 },
          { name: 'more', addresses: 9 },
        ],
      },
    });
    await client.createInstance(instanceRequest('stopped', { start: false }));
    await client.createInstance(instanceRequest('a', { vcpus: 3 }));
    expect(await refusalOf(client.createInstance(instanceRequest('b', { vcpus: 2 })))).toBe(
      'ResourceExhausted: not enough CPU: 2 asked for, 1 available',
    );
    expect(
      await refusalOf(client.createInstance(instanceRequest('b', { vcpus: 1, memoryBytes: 13n * GIB }))),
    ).toContain('ResourceExhausted: not enough memory');
    const { cpu, memory } = await client.getResources({});
    expect(cpu).toMatchObject({ host: 1n, overcommit: 4, allocatable: 4n, allocated: 3n, available: 1n });
    expect(memory).toMatchObject({ allocatable: 16n * GIB, available: 12n * GIB });
    await client.deleteInstance({ name: 'a', force: true });
    for (const name of ['b', 'c', 'd']) await client.createInstance(instanceRequest(name, { vcpus: 1 }));
    expect(await refusalOf(client.createInstance(instanceRequest('e', { vcpus: 1 })))).toBe(
      'ResourceExhausted: network few has no free address',
    );
    await client.createInstance(instanceRequest('e', { vcpus: 1, networkName: 'more' }));
  });

  test('attaches a volume that is written to once', async () => {
    const { client } = await startDicerWorld();
    const cache = (readOnly: boolean) => ({
      mounts: [{ type: MountType.VOLUME, source: 'cache', target: '/cache', readOnly }],
    });
    await client.createInstance(instanceRequest('a', cache(true)));
    await client.createInstance(instanceRequest('b', cache(true)));
    expect(await refusalOf(client.createInstance(instanceRequest('c', cache(false))))).toBe(
      'FailedPrecondition: volume cache is attached to instance a',
    );
  });
});

describe('images', () => {
  test('are pulled in stages, and then there', async () => {
    const { client, clock } = await startDicerWorld({ registry: [OTHER], images: [], pullMs: 7_000 });
    expect(await refusalOf(client.getImage({ ref: OTHER.ref }))).toBe(`NotFound: image ${OTHER.ref} not found`);
    const told: string[] = [];
    for await (const { stage, downloadedBytes, image } of client.pullImage({ ref: OTHER.ref })) {
      told.push(`${PullStage[stage]} ${downloadedBytes}${image ? ` ${image.name}` : ''}`);
      setImmediate(() => clock.advance(1_000));
    }
    expect(told).toEqual([
      'RESOLVING 0',
      'DOWNLOADING 0',
      'DOWNLOADING 100',
      'DOWNLOADING 200',
      'DOWNLOADING 300',
      'UNPACKING 0',
      'CONVERTING 0',
      `CONVERTING 0 ${OTHER.ref}`,
    ]);
    expect((await client.getImage({ ref: OTHER.ref })).sizeBytes).toBe(400n);
    expect((await client.listImages({})).images).toHaveLength(1);
  });

  test('cannot be pulled while their registry is away', async () => {
    const { dicer, client } = await startDicerWorld({ registry: [OTHER], images: [], pullMs: 0 });
    dicer.setRegistry(false);
    const pull = async (): Promise<void> => {
      for await (const _ of client.pullImage({ ref: OTHER.ref }));
    };
    expect(await refusalOf(pull())).toContain('Unavailable: registry of');
  });
});

describe('the life of an instance', () => {
  test('begins with booting what it was given', async () => {
    const { dicer, client, clock } = await startDicerWorld();
    const env = { ACTIONS_RUNNER_INPUT_JITCONFIG: 'not-a-configuration', RUNNER_ALLOW_RUNASROOT: '1' };
    await client.createInstance(instanceRequest('linux-1', { env }));
    expect(dicer.instances()[0]).toMatchObject({ state: 'STARTING', machine: undefined });
    clock.advance(10_000);
    expect(dicer.instances()[0]).toMatchObject({
      state: 'RUNNING',
      machine: 'runnerless',
      problem: 'the configuration is not base64',
    });
  });

  test.each([
    ['another command', { cmd: ['/bin/true'] }, 'exec: /bin/true: not found'],
    ['no leave to run as root', { env: { ACTIONS_RUNNER_INPUT_JITCONFIG: 'x' } }, 'Must not run with sudo'],
    ['no registration', { env: { RUNNER_ALLOW_RUNASROOT: '1' } }, 'Not configured. Run config.(sh/cmd)'],
  ])('is short with %s', async (_, more, want) => {
    const { client, clock } = await startDicerWorld();
    await client.createInstance(instanceRequest('linux-1', { removeOnExit: false, ...more }));
    clock.advance(11_000);
    expect(await client.getInstance({ name: 'linux-1' })).toMatchObject({ state: 1, exitCode: 1 });
    let text = '';
    for await (const { data } of client.getInstanceLogs({ name: 'linux-1' })) text += Buffer.from(data).toString();
    expect(text).toContain(want);
  });

  test('ends with its removal, where that was asked for', async () => {
    const { dicer, client, clock } = await startDicerWorld();
    await client.createInstance(instanceRequest('linux-1', { cmd: ['/bin/true'] }));
    const states: unknown[] = [];
    dicer.onInstance(({ state }) => states.push(state));
    clock.advance(11_000);
    expect(states).toEqual(['RUNNING', 'STOPPING', 'STOPPED', undefined]);
    expect(dicer.instances()).toEqual([]);
  });

  test('is ended by force alone while it runs', async () => {
    const { dicer, client } = await startDicerWorld();
    const { id } = await client.createInstance(instanceRequest('linux-1'));
    expect(await refusalOf(client.deleteInstance({ name: id }))).toBe(
      'FailedPrecondition: instance linux-1 is starting',
    );
    await client.deleteInstance({ name: id, force: true });
    expect(dicer.instances()).toEqual([]);
    expect(await refusalOf(client.deleteInstance({ name: id, force: true }))).toBe(
      `NotFound: instance ${id} not found`,
    );
  });

  test('can be stopped and started', async () => {
    const { client, clock } = await startDicerWorld();
    await client.createInstance(instanceRequest('linux-1', { removeOnExit: false }));
    await client.stopInstance({ name: 'linux-1' });
    clock.advance(1_000);
    expect(await client.startInstance({ name: 'linux-1' })).toMatchObject({ state: 2 });
  });
});
