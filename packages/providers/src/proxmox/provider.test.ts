import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manualClock } from '@rungar/emulators';
import { type PveEmulatorOptions, pveTemplate } from '@rungar/emulators/proxmox';
import { parseProxmoxDescription, toProxmoxDescription, toProxmoxTags } from '@rungar/labels';
import { createRedactor, type Machine, type MachineListing, type OpenProvider, Secret } from '@rungar/model';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { labelsOf, SELECTOR } from '../../test/aws-builders.js';
import { type PveWorld, someContext, someRequest, startPveWorld } from '../../test/pve-harness.js';
import { recordingLogger, textOf } from '../testing/seen-text.js';
import { openProxmox } from './provider.js';
import type { ProxmoxRunner, ProxmoxSettings } from './settings.js';

const GIB = 1024 ** 3;
const NAME = 'linux-00000001';
const SOON = { interval: 1, timeout: 10_000 };
const NOON = Date.UTC(2026, 0, 2, 12);
const forEver = (): { signal: AbortSignal } => ({ signal: new AbortController().signal });

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

interface Opened extends PveWorld {
  readonly provider: OpenProvider<ProxmoxRunner>;
  list(): Promise<MachineListing>;
  /** Every machine listed, by the part it is in. */
  listed(): Promise<[part: string, machine: Machine][]>;
}

async function start(options: PveEmulatorOptions = {}, settings: Partial<ProxmoxSettings> = {}): Promise<Opened> {
  const world = await startPveWorld(options);
  const provider = await world.open(settings);
  endings.push(async () => {
    await provider.close();
    await world.close();
    expect(world.emulator.failures).toEqual([]);
  });
  const list = (): Promise<MachineListing> => provider.list(SELECTOR, forEver());
  return {
    ...world,
    provider,
    list,
    async listed() {
      const { parts } = await list();
      return parts.flatMap(({ part, machines }) => machines.map((machine): [string, Machine] => [part, machine]));
    },
  };
}

function formsOf({ emulator }: PveWorld, operation: string): Record<string, string>[] {
  return emulator.requests
    .filter((request) => request.operation === operation)
    .map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
}

/** A VM of ours, as this or another process would have left it. */
function addOurs(world: PveWorld, more: { name?: string; node?: string; tags?: string[]; vmid?: number } = {}): number {
  const { name = NAME, ...rest } = more;
  const labels = labelsOf(name);
  const description = toProxmoxDescription(labels, new Date(Date.UTC(2026, 0, 2)));
  return world.emulator.addVm({ name, tags: toProxmoxTags(labels), description, ...rest }).vmid;
}

describe('creating', () => {
  test('clones, sets up, starts and gives the registration', async () => {
    const world = await start();
    const { provider, emulator } = world;
    const machine = await provider.create(someRequest(NAME, { cores: 4, memory: 8n * 1024n ** 3n }), forEver());
    const [vm] = emulator.vms();
    const labels = labelsOf(NAME);
    expect(vm).toMatchObject({
      name: NAME,
      status: 'running',
      cores: 4,
      memory: 8192,
      agent: true,
      tags: toProxmoxTags(labels),
      delivered: 'a-registration-good-once',
    });
    expect(parseProxmoxDescription(vm?.description)).toEqual({ labels, created: new Date(machine.createdAt ?? 0) });
    expect(machine).toEqual({
      name: NAME,
      id: String(vm?.vmid),
      labels,
      state: 'running',
      size: '4 vCPU, 8 GiB',
      createdAt: machine.createdAt,
    });
    expect(await world.listed()).toEqual([['pve1', machine]]);
    expect(formsOf(world, 'clone')).toEqual([
      { newid: machine.id, name: NAME, description: vm?.description, full: '0' },
    ]);
    expect(formsOf(world, 'start')).toEqual([{}]);
    expect(emulator.requests.find(({ operation }) => operation === 'start')?.headers['content-length']).toBe('0');
    expect(formsOf(world, 'file_write')).toEqual([
      { file: '/run/rungar/jitconfig', content: 'a-registration-good-once' },
    ]);
  });

  test('sends every setting of the block', async () => {
    const world = await start({}, { nodes: ['pve2'] });
    await world.provider.create(someRequest(NAME, { fullClone: true, storage: 'nas', pool: 'ci' }), forEver());
    expect(formsOf(world, 'clone')).toMatchObject([{ full: '1', storage: 'nas', pool: 'ci', target: 'pve2' }]);
    expect(world.emulator.vms()).toMatchObject([{ node: 'pve2', storage: 'nas', pool: 'ci' }]);
  });

  test('takes VMIDs from the range the administrator set, and other ones when those are taken', async () => {
    const world = await start({ nextId: { lower: 500, upper: 502 } });
    await world.provider.create(someRequest('linux-00000001'), forEver());
    await world.provider.create(someRequest('linux-00000002'), forEver());
    expect(
      world.emulator
        .vms()
        .map(({ vmid }) => vmid)
        .sort(),
    ).toEqual([500, 501]);
    await expect(world.provider.create(someRequest('linux-00000003'), forEver())).rejects.toMatchObject({
      code: 'no_capacity',
      message: 'every VMID from 500 to 501 is taken',
    });
    expect(world.emulator.calls().options).toBe(1);
  });

  test('shares what it asks of the cluster among machines made at a time', async () => {
    const world = await start();
    const names = Array.from({ length: 6 }, (_, at) => `linux-0000000${at}`);
    await Promise.all(names.map((name) => world.provider.create(someRequest(name), forEver())));
    expect(world.emulator.calls()).toMatchObject({ resources: 1, config: 1, options: 1, clone: 6, set_config: 6 });
    expect(world.emulator.calls().nextid).toBeUndefined();
  });

  test('counts the memory that machines being made will take', async () => {
    const nodes = ['pve1', 'pve2'].map((name) => ({ name, cores: 8, memory: 8 * GIB, memoryUsed: 0 }));
    const world = await start({ catalogue: { nodes } });
    const make = (name: string): Promise<Machine> =>
      world.provider.create(someRequest(name, { memory: 5n * 1024n ** 3n }), forEver());
    const made = await Promise.allSettled([make('linux-0000000a'), make('linux-0000000b'), make('linux-0000000c')]);
    expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(made[2]).toMatchObject({ reason: { code: 'no_capacity' } });
    expect(
      world.emulator
        .vms()
        .map(({ node }) => node)
        .sort(),
    ).toEqual(['pve1', 'pve2']);
  });

  test('and that machines took a moment ago', async () => {
    const nodes = ['pve1', 'pve2'].map((name) => ({ name, cores: 8, memory: 8 * GIB, memoryUsed: 0 }));
    const world = await start({ catalogue: { nodes } });
    for (const name of ['linux-0000000a', 'linux-0000000b']) {
      await world.provider.create(someRequest(name, { memory: 5n * 1024n ** 3n }), forEver());
    }
    expect(world.emulator.vms().map(({ node }) => node)).toEqual(['pve1', 'pve2']);
  });

  test.each([
    ['no such VM', { template: 9999 }, 'there is no template 9999'],
    ['a VM that is no template', { template: 200 }, 'VM 200 is not a template'],
    ['more cores than any node has', { cores: 17 }, 'no node has 17 cores'],
  ])('refuses for good: %s', async (_, spec, message) => {
    const world = await start();
    world.emulator.addVm({ name: 'a-database', vmid: 200 });
    await expect(world.provider.create(someRequest(NAME, spec), forEver())).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(message),
      hint: expect.any(String),
    });
    expect(world.emulator.calls().clone).toBeUndefined();
  });

  test.each([
    ['linked clones that the storage does not have', { storage: 'nas' }, {}, 'full_clone'],
    ['a template on storage of its node alone', { storage: 'local-lvm' }, { nodes: ['pve2'] }, 'nodes'],
  ])('says the cure for %s', async (_, template, settings, hint) => {
    const world = await start({ catalogue: { templates: [pveTemplate(template)] } }, settings);
    await expect(world.provider.create(someRequest(), forEver())).rejects.toMatchObject({
      code: 'invalid_argument',
      hint: expect.stringContaining(hint),
    });
    expect(world.emulator.vms()).toEqual([]);
  });

  test('finds another VMID when the one it chose was taken meanwhile', async () => {
    const world = await start();
    world.emulator.refuse('clone', { message: 'unable to create VM 105: config file already exists', times: 9 });
    await world.provider.create(someRequest(), forEver());
    const ids = formsOf(world, 'clone').map(({ newid }) => newid);
    expect(new Set(ids).size).toBe(10);
    expect(world.emulator.vms()).toHaveLength(1);
  });

  test('does not choose a VMID again that was refused', async () => {
    const world = await startPveWorld({ nextId: { lower: 500, upper: 502 } });
    const lowest = { fraction: () => 0, bytes: (count: number) => new Uint8Array(count) };
    const provider = await world.open({}, { random: lowest });
    world.emulator.refuse('clone', { message: 'unable to create VM 500: config file already exists' });
    await provider.create(someRequest(), forEver());
    expect(formsOf(world, 'clone').map(({ newid }) => newid)).toEqual(['500', '501']);
    await provider.close();
    await world.close();
  });

  test('gives up after ten', async () => {
    const world = await start();
    world.emulator.refuse('clone', { message: 'unable to create VM 105: config file already exists', times: 11 });
    await expect(world.provider.create(someRequest(), forEver())).rejects.toMatchObject({ code: 'internal' });
    expect(world.emulator.calls().clone).toBe(10);
  });

  test('waits for a lock that others have, at every step', async () => {
    const world = await start();
    const late = "can't lock file '/var/lock/qemu-server/lock-105.conf' - got timeout";
    world.emulator.failTasks('qmclone', `clone failed: ${late}`, 2);
    world.emulator.refuse('set_config', { message: late });
    world.emulator.failTasks('qmstart', late);
    await world.provider.create(someRequest(), forEver());
    expect(world.emulator.calls()).toMatchObject({ clone: 3, set_config: 2, start: 2 });
    expect(world.emulator.vms()).toMatchObject([{ status: 'running', delivered: 'a-registration-good-once' }]);
  });

  test.each([
    ['disk', 'qmclone', 'clone failed: write error: No space left on device'],
    ['memory', 'qmstart', "start failed: cannot set up guest memory 'pc.ram': Cannot allocate memory"],
  ])('is full without %s', async (_, type, message) => {
    const world = await start();
    world.emulator.failTasks(type, message);
    await expect(world.provider.create(someRequest(), forEver())).rejects.toMatchObject({
      code: 'no_capacity',
      message,
    });
  });

  test('goes on when it cannot look at a task for a moment', async () => {
    const world = await start();
    world.emulator.fault({ operation: 'task_status', kind: 'html', times: 2 });
    world.emulator.refuse('task_status', { message: 'no such task', times: 2 });
    await world.provider.create(someRequest(), forEver());
    expect(world.emulator.vms()).toMatchObject([{ status: 'running' }]);
  });

  test.each(['set_config', 'start', 'file_write'])(
    'makes one machine when the answer to %s is lost',
    async (operation) => {
      const world = await start();
      world.emulator.dropNextReply(operation);
      await world.provider.create(someRequest(), forEver());
      expect(world.emulator.vms()).toMatchObject([{ status: 'running', delivered: 'a-registration-good-once' }]);
    },
  );

  test('is accepted once its VM has been started, before the guest agent answers', async () => {
    const world = await start();
    const startedWhenAccepted: (number | undefined)[] = [];
    const pingedWhenAccepted: (number | undefined)[] = [];
    await world.provider.create(someRequest(), {
      ...forEver(),
      onAccepted() {
        startedWhenAccepted.push(world.emulator.calls().start);
        pingedWhenAccepted.push(world.emulator.calls().ping);
      },
    });
    expect(startedWhenAccepted).toEqual([1]);
    expect(pingedWhenAccepted).toEqual([undefined]);
  });

  test('tells a guest agent that may not be asked from one that does not run yet', async () => {
    const world = await start();
    world.emulator.refuse('ping', { message: 'QEMU guest agent is not running', times: 3 });
    await world.provider.create(someRequest('linux-00000001'), forEver());
    expect(world.emulator.calls().ping).toBeGreaterThanOrEqual(4);
    world.emulator.deny('VM.GuestAgent.Audit');
    await expect(world.provider.create(someRequest('linux-00000002'), forEver())).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('VM.GuestAgent.Audit'),
      hint: expect.stringContaining('VM.Monitor'),
    });
  });

  test('ends at once when the VM has ended', async () => {
    const world = await start({ times: { agentMs: 60_000 } });
    const made = world.provider.create(someRequest(), forEver());
    await vi.waitFor(() => expect(world.emulator.calls().ping).toBeGreaterThan(0), SOON);
    world.emulator.powerOff(world.emulator.vms()[0]?.vmid ?? 0);
    await expect(made).rejects.toMatchObject({ code: 'internal', message: expect.stringContaining('ended before') });
  });

  test('says what is wrong with a template that has no folder for the registration', async () => {
    const world = await start();
    await expect(
      world.provider.create(someRequest(NAME, { jitPath: '/nowhere/jit' }), forEver()),
    ).rejects.toMatchObject({ code: 'invalid_argument', hint: expect.stringContaining('jit_path') });
  });
});

describe('a creation that ends half way', () => {
  test('leaves a clone that is known as ours from its first moment, and can be deleted', async () => {
    const clock = manualClock(NOON);
    const world = await start({ clock });
    const stop = new AbortController();
    const made = world.provider.create(someRequest(), { signal: stop.signal });
    await vi.waitFor(() => expect(world.emulator.vms()).toHaveLength(1), SOON);
    stop.abort(new Error('start_timeout'));
    await expect(made).rejects.toThrow('start_timeout');
    expect(world.emulator.vms()).toMatchObject([{ lock: 'clone', name: undefined }]);
    expect(await world.listed()).toMatchObject([['pve1', { name: NAME, state: 'starting', labels: labelsOf(NAME) }]]);
    const deleted = world.provider.delete({ name: NAME }, SELECTOR, forEver());
    await vi.waitFor(() => expect(world.emulator.calls().config).toBeGreaterThan(2), SOON);
    expect(world.emulator.calls().destroy).toBeUndefined();
    const ticking = setInterval(() => clock.advance(10), 1);
    expect(await deleted.finally(() => clearInterval(ticking))).toBe('deleted');
    expect(world.emulator.vms()).toEqual([]);
  });

  test('and whose process ended, too', async () => {
    const clock = manualClock(NOON);
    const world = await start({ clock });
    const killed = await world.open();
    const made = killed.create(someRequest(), forEver()).catch(() => {});
    await vi.waitFor(() => expect(world.emulator.vms()).toHaveLength(1), SOON);
    await killed.close();
    await made;
    expect(await world.listed()).toEqual([]);
    clock.advance(1_000);
    expect(world.emulator.vms()).toMatchObject([{ name: NAME, tags: [] }]);
    expect(await world.listed()).toMatchObject([['pve1', { name: NAME, state: 'stopped', labels: labelsOf(NAME) }]]);
    const ticking = setInterval(() => clock.advance(10), 1);
    const deleted = world.provider.delete({ name: NAME }, SELECTOR, forEver());
    expect(await deleted.finally(() => clearInterval(ticking))).toBe('deleted');
  });

  test('and whose process ended, of a template that has a tag like ours', async () => {
    const clock = manualClock(NOON);
    const world = await start({ clock, catalogue: { templates: [pveTemplate({ tags: 'rungar-runner' })] } });
    const killed = await world.open();
    const made = killed.create(someRequest(), forEver()).catch(() => {});
    await vi.waitFor(() => expect(world.emulator.vms()).toHaveLength(1), SOON);
    await killed.close();
    await made;
    clock.advance(1_000);
    expect(world.emulator.vms()).toMatchObject([{ name: NAME, tags: ['rungar-runner'] }]);
    expect(await world.listed()).toMatchObject([['pve1', { name: NAME, labels: labelsOf(NAME) }]]);
  });

  test('and whose process ended, with a clone that was cut off between two disks, and stays locked', async () => {
    const world = await start();
    const description = toProxmoxDescription(labelsOf(NAME), new Date(NOON));
    const { vmid } = world.emulator.addVm({ name: NAME, description, status: 'stopped', lock: 'clone' });
    expect(await world.listed()).toMatchObject([['pve1', { name: NAME, state: 'starting', labels: labelsOf(NAME) }]]);
    await expect(world.provider.delete({ name: NAME }, SELECTOR, forEver())).rejects.toMatchObject({
      code: 'busy',
      hint: expect.stringContaining(`qm unlock ${vmid}`),
    });
    world.emulator.lock(vmid, undefined);
    expect(await world.listed()).toMatchObject([['pve1', { name: NAME, state: 'stopped' }]]);
    expect(await world.provider.delete({ name: NAME }, SELECTOR, forEver())).toBe('deleted');
    expect(world.emulator.vms()).toEqual([]);
  });

  test('and whose clone was not answered is not called absent before that is known', async () => {
    const world = await start();
    world.emulator.fault({ operation: 'clone', kind: 'reset' });
    await expect(world.provider.create(someRequest(), forEver())).rejects.toMatchObject({ code: 'unavailable' });
    await expect(world.provider.delete({ name: NAME }, SELECTOR, forEver())).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('not known yet'),
    });
  });

  test('and whose clone was cut off is told of for as long as something is left of it', async () => {
    const world = await startPveWorld();
    endings.push(() => world.close());
    let now = NOON;
    const clock = { ...someContext().clock, now: () => (now += 1_000) };
    const provider = await world.open({}, { clock });
    endings.push(() => provider.close());
    world.emulator.failTasks('qmclone', 'unexpected status');
    await expect(provider.create(someRequest(), forEver())).rejects.toMatchObject({ code: 'internal' });
    const [left] = world.emulator.vms();
    expect(left).toMatchObject({ lock: 'clone', name: undefined });
    const { parts } = await provider.list(SELECTOR, forEver());
    expect(parts.flatMap(({ machines }) => machines)).toMatchObject([{ name: NAME, id: String(left?.vmid) }]);
    await expect(provider.delete({ name: NAME }, SELECTOR, forEver())).rejects.toMatchObject({ code: 'busy' });
    world.emulator.remove(left?.vmid ?? 0);
    expect(await provider.delete({ name: NAME }, SELECTOR, forEver())).toBe('absent');
  });

  test('and whose clone failed leaves nothing', async () => {
    const world = await start();
    world.emulator.failTasks('qmclone', 'clone failed: no reason');
    await expect(world.provider.create(someRequest(), forEver())).rejects.toMatchObject({ code: 'internal' });
    expect(await world.provider.delete({ name: NAME }, SELECTOR, forEver())).toBe('absent');
  });
});

describe('listing', () => {
  test('tells which cluster it is, where the token may know', async () => {
    const world = await start();
    world.emulator.deny('Sys.Audit');
    expect(await world.list()).not.toHaveProperty('identity');
    world.emulator.deny('Sys.Audit', false);
    const other = await world.open();
    endings.push(() => other.close());
    expect(await other.list(SELECTOR, forEver())).toMatchObject({ identity: 'proxmox:emulated/pve1@10.0.0.1' });
  });

  test('answers node by node, and reads a configuration once', async () => {
    const world = await start();
    addOurs(world, { name: 'linux-00000001' });
    addOurs(world, { name: 'linux-00000002', node: 'pve3' });
    const { parts } = await world.list();
    expect(parts.map(({ part, machines }) => [part, machines.map(({ name }) => name)])).toEqual([
      ['pve1', ['linux-00000001']],
      ['pve2', []],
      ['pve3', ['linux-00000002']],
    ]);
    await world.list();
    expect(world.emulator.calls()).toEqual({ resources: 2, config: 2, cluster_status: 1 });
  });

  test('reads again what may have changed', async () => {
    const world = await start();
    const vmid = addOurs(world);
    await world.list();
    world.emulator.edit(vmid, { tags: 'rungar-0000000000000000', description: 'mine now' });
    expect(await world.listed()).toEqual([]);
    world.emulator.edit(vmid, { tags: toProxmoxTags(SELECTOR).join(';') });
    expect(await world.listed()).toEqual([]);
    expect(world.emulator.calls().config).toBe(2);
  });

  test('reads a VM again that was away', async () => {
    const world = await start();
    const vmid = addOurs(world);
    await world.list();
    world.emulator.remove(vmid);
    await world.list();
    world.emulator.addVm({ name: NAME, vmid, tags: toProxmoxTags(labelsOf(NAME)), description: 'mine now' });
    expect(await world.listed()).toEqual([]);
  });

  test('believes the description, and not the tags', async () => {
    const world = await start();
    world.emulator.addVm({ name: 'a-copy', tags: toProxmoxTags(labelsOf(NAME)), description: 'no labels' });
    const mixed = [...toProxmoxTags(labelsOf(NAME)), 'production'].map((tag) => tag.toUpperCase());
    addOurs(world, { tags: mixed.reverse() });
    expect((await world.listed()).map(([, { name }]) => name)).toEqual([NAME]);
  });

  test('finds a VM of ours that was never tagged, and asks strangers with such names once', async () => {
    const world = await start();
    addOurs(world, { tags: [] });
    world.emulator.addVm({ name: 'web-deadbeef', description: 'theirs' });
    world.emulator.addVm({ name: 'a-database' });
    expect((await world.listed()).map(([, { name }]) => name)).toEqual([NAME]);
    await world.list();
    expect(world.emulator.calls().config).toBe(2);
  });

  test('shows a VM that has moved where it is now', async () => {
    const world = await start();
    const vmid = addOurs(world);
    await world.list();
    world.emulator.migrate(vmid, 'pve2');
    expect((await world.listed()).map(([part, { name }]) => [part, name])).toEqual([['pve2', NAME]]);
  });

  test('looks for a VM that moved while it was listed', async () => {
    const world = await start();
    const vmid = addOurs(world);
    world.emulator.refuse('config', {
      message: `Configuration file 'nodes/pve1/qemu-server/${vmid}.conf' does not exist`,
    });
    const moving = world.list();
    await vi.waitFor(() => expect(world.emulator.calls().resources).toBe(1), SOON);
    world.emulator.migrate(vmid, 'pve2');
    const { parts } = await moving;
    expect(parts.flatMap(({ machines }) => machines)).toMatchObject([{ name: NAME }]);
  });

  test('keeps to the exact names of nodes', async () => {
    const nodes = [{ name: 'PVE-One', cores: 8, memory: 8 * GIB, memoryUsed: 0 }];
    const world = await start(
      { catalogue: { nodes, templates: [pveTemplate({ node: 'PVE-One' })] } },
      { nodes: ['PVE-One'] },
    );
    await world.provider.create(someRequest(), forEver());
    expect(await world.listed()).toMatchObject([['PVE-One', { name: NAME }]]);
  });

  test('does not know what a node has that is offline, unless it has none of ours', async () => {
    const world = await start();
    addOurs(world, { name: 'linux-00000001', node: 'pve1' });
    addOurs(world, { name: 'linux-00000002', node: 'pve2' });
    world.emulator.setOnline('pve2', false);
    world.emulator.setOnline('pve3', false);
    const { parts } = await world.list();
    expect(parts.map(({ part, machines, error }) => [part, machines.length, error?.message])).toEqual([
      ['pve1', 1, undefined],
      ['pve2', 0, 'node pve2 is offline'],
      ['pve3', 0, undefined],
    ]);
  });

  test('has one node fail alone', async () => {
    const world = await start();
    addOurs(world, { name: 'linux-00000001', node: 'pve1' });
    addOurs(world, { name: 'linux-00000002', node: 'pve2' });
    world.emulator.refuse('config', { message: 'Connection refused', status: 595 });
    const { parts } = await world.list();
    expect(parts.map(({ error }) => (error as { code?: string } | undefined)?.code).sort()).toEqual([
      'unavailable',
      undefined,
      undefined,
    ]);
  });

  test.each([
    ['running', {}, 'running'],
    ['stopped', { status: 'stopped' }, 'stopped'],
    ['stopped under a backup', { status: 'stopped', lock: 'backup' }, 'unknown'],
    ['running under a backup', { lock: 'backup' }, 'running'],
    ['being cloned by somebody', { status: 'stopped', lock: 'create' }, 'starting'],
  ] as const)('calls a VM that is %s %s', async (_, more, state) => {
    const world = await start();
    const labels = labelsOf(NAME);
    const description = toProxmoxDescription(labels, new Date(0));
    world.emulator.addVm({ name: NAME, tags: toProxmoxTags(labels), description, ...more });
    expect(await world.listed()).toMatchObject([['pve1', { name: NAME, state }]]);
  });

  test('asks the VM itself before it says that it has ended, because the listing lags behind', async () => {
    const world = await start({ times: { broadcastMs: 60_000 } });
    await world.provider.create(someRequest(), forEver());
    expect(await world.listed()).toMatchObject([['pve1', { name: NAME, state: 'running', size: '' }]]);
    world.emulator.refuse('status', { message: 'got timeout' });
    expect(await world.listed()).toMatchObject([['pve1', { name: NAME, state: 'unknown' }]]);
  });
});

describe('deleting', () => {
  test('reads the description right before it stops and right before it destroys', async () => {
    const world = await start();
    const machine = await world.provider.create(someRequest(), forEver());
    const before = world.emulator.requests.length;
    expect(await world.provider.delete(machine, SELECTOR, forEver())).toBe('deleted');
    const asked = world.emulator.requests.slice(before).map(({ operation }) => operation);
    expect(asked.filter((operation) => operation !== 'task_status')).toEqual([
      'resources',
      'config',
      'stop',
      'config',
      'destroy',
    ]);
    const last = world.emulator.requests.find(({ operation }) => operation === 'destroy');
    expect(last?.query).toBe('?purge=1&destroy-unreferenced-disks=1');
  });

  test.each([
    ['another description', { description: 'mine now' }],
    ['another name', { name: 'mine' }],
  ])('leaves a VM that was given %s while it was stopped', async (_, change) => {
    const world = await start();
    const vmid = addOurs(world);
    const stop = world.emulator.on('vm', ({ status }) => {
      if (status === 'stopped') world.emulator.edit(vmid, change);
    });
    expect(await world.provider.delete({ name: NAME }, SELECTOR, forEver())).toBe('stranger');
    stop();
    expect(world.emulator.vms()).toHaveLength(1);
  });

  test('leaves the VM that has the VMID now', async () => {
    const world = await start();
    const machine = await world.provider.create(someRequest(), forEver());
    const vmid = Number(machine.id);
    world.emulator.remove(vmid);
    world.emulator.addVm({ name: 'a-database', vmid });
    expect(await world.provider.delete(machine, SELECTOR, forEver())).toBe('absent');
    expect(world.emulator.vms()).toMatchObject([{ name: 'a-database', status: 'running' }]);
  });

  test('takes every VM that is the machine, and no stranger of its name', async () => {
    const world = await start();
    addOurs(world, { node: 'pve1' });
    addOurs(world, { node: 'pve2' });
    world.emulator.addVm({ name: NAME, vmid: 777 });
    expect(await world.provider.delete({ name: NAME }, SELECTOR, forEver())).toBe('deleted');
    expect(world.emulator.vms()).toMatchObject([{ vmid: 777 }]);
  });

  test('is busy while somebody has locked the VM', async () => {
    const world = await start();
    const vmid = addOurs(world);
    world.emulator.lock(vmid, 'backup');
    const remove = (): Promise<unknown> => world.provider.delete({ name: NAME }, SELECTOR, forEver());
    await expect(remove()).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringContaining('is locked (backup)'),
    });
    world.emulator.lock(vmid, undefined);
    expect(await remove()).toBe('deleted');
  });

  test('follows a VM that moved away', async () => {
    const world = await start();
    const vmid = addOurs(world);
    world.emulator.refuse('config', {
      message: `Configuration file 'nodes/pve1/qemu-server/${vmid}.conf' does not exist`,
    });
    expect(await world.provider.delete({ name: NAME }, SELECTOR, forEver())).toBe('deleted');
    expect(world.emulator.calls().resources).toBe(2);
  });

  test('counts a VM as gone only when a later listing lacks it', async () => {
    const world = await start();
    const vmid = addOurs(world);
    const message = `Configuration file 'nodes/pve1/qemu-server/${vmid}.conf' does not exist`;
    world.emulator.refuse('config', { message, times: 50 });
    await expect(world.provider.delete({ name: NAME }, SELECTOR, forEver())).rejects.toMatchObject({
      code: 'unavailable',
    });
    world.emulator.remove(vmid);
    expect(await world.provider.delete({ name: NAME }, SELECTOR, forEver())).toBe('absent');
  });

  test.each([
    ["storage 'local-lvm' does not exist"],
    ["node 'pve9' does not exist"],
    ["can't remove VM 100 - protection mode enabled"],
  ])('is no success when %s', async (message) => {
    const world = await start();
    addOurs(world);
    world.emulator.refuse('destroy', { message });
    await expect(world.provider.delete({ name: NAME }, SELECTOR, forEver())).rejects.toMatchObject({ message });
  });

  test('stops a VM that runs though the listing says otherwise', async () => {
    const world = await start();
    addOurs(world);
    world.emulator.refuse('destroy', { message: 'VM 100 is running - destroy failed' });
    expect(await world.provider.delete({ name: NAME }, SELECTOR, forEver())).toBe('deleted');
    expect(world.emulator.calls()).toMatchObject({ destroy: 2, stop: 2 });
  });

  test('looks again whose a VM is that had to be stopped after all', async () => {
    const world = await start();
    const vmid = addOurs(world);
    world.emulator.refuse('stop', { message: `VM ${vmid} not running` });
    world.emulator.on('vm', ({ status }) => {
      if (status === 'stopped') world.emulator.edit(vmid, { description: 'mine now' });
    });
    expect(await world.provider.delete({ name: NAME }, SELECTOR, forEver())).toBe('stranger');
    expect(world.emulator.vms()).toHaveLength(1);
    expect(world.emulator.calls()).toMatchObject({ stop: 2, destroy: 1 });
  });

  test('gives up on a VM that runs again each time', async () => {
    const world = await start();
    const vmid = addOurs(world);
    world.emulator.refuse('stop', { message: `VM ${vmid} not running`, times: 9 });
    await expect(world.provider.delete({ name: NAME }, SELECTOR, forEver())).rejects.toMatchObject({
      message: `VM ${vmid} is running - destroy failed`,
    });
    expect(world.emulator.calls().destroy).toBe(3);
  });

  test('is done with a VM that stops by itself', async () => {
    const world = await start();
    addOurs(world);
    world.emulator.failTasks('qmstop', 'VM 100 not running');
    await expect(world.provider.delete({ name: NAME }, SELECTOR, forEver())).resolves.toBe('deleted');
  });
});

describe('reaching the cluster', () => {
  const listWith = async (world: PveWorld, settings: Partial<ProxmoxSettings>): Promise<MachineListing> => {
    const provider = await world.open(settings);
    try {
      return await provider.list(SELECTOR, forEver());
    } finally {
      await provider.close();
    }
  };

  test('a certificate with another fingerprint is not sent a byte', async () => {
    const world = await start();
    const tls = { fingerprint: 'AB'.repeat(32), insecureSkipVerify: false };
    await expect(listWith(world, { tls })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(world.emulator.fingerprint.replaceAll(':', '')),
      hint: expect.stringContaining('tls.fingerprint'),
    });
    expect(world.emulator.requests).toEqual([]);
  });

  test('a self-made certificate is refused unless something says it is good', async () => {
    const world = await start();
    const folder = await mkdtemp(join(tmpdir(), 'rungar-pve-'));
    const caFile = join(folder, 'ca.pem');
    await writeFile(caFile, `# the cluster's\n${world.emulator.certificate}`);
    await expect(listWith(world, { tls: { insecureSkipVerify: false } })).rejects.toMatchObject({
      code: 'unavailable',
      hint: expect.stringContaining('tls.ca_file'),
    });
    expect(world.emulator.requests).toEqual([]);
    for (const tls of [{ caFile, insecureSkipVerify: false }, { insecureSkipVerify: true }]) {
      expect((await listWith(world, { tls })).parts).toHaveLength(3);
    }
    await rm(folder, { recursive: true });
  });

  test('the secret may be in a file, and a wrong one is told in the words of Proxmox VE', async () => {
    const world = await start();
    const folder = await mkdtemp(join(tmpdir(), 'rungar-pve-'));
    const tokenSecretPath = join(folder, 'secret');
    const { tokenSecret: _, ...settings } = world.settings;
    await writeFile(tokenSecretPath, `${world.emulator.token.secret}\n`);
    const open = async (more: Partial<ProxmoxSettings>): Promise<MachineListing> => {
      const provider = await openProxmox({ ...settings, ...more }, someContext());
      return provider.list(SELECTOR, forEver()).finally(() => provider.close());
    };
    expect((await open({ tokenSecretPath })).parts).toHaveLength(3);
    await expect(open({ tokenSecret: new Secret('guess') })).rejects.toMatchObject({
      code: 'internal',
      message: 'invalid token value!',
    });
    await rm(folder, { recursive: true });
  });

  test('what Proxmox VE repeats of the token is not shown', async () => {
    const world = await startPveWorld();
    const { logger, logged } = recordingLogger();
    const provider = await world.open({}, { logger, redactor: createRedactor() });
    world.emulator.echoNextRequest('resources');
    const error = await provider.list(SELECTOR, forEver()).catch((reason: unknown) => reason);
    expect(`${textOf(error)}${logged.join()}`).not.toContain(world.emulator.token.secret);
    expect(textOf(error)).toContain('REDACTED');
    await provider.close();
    await world.close();
  });

  test('the answer tells how far the clocks are apart', async () => {
    const world = await start();
    expect(Math.abs((await world.list()).clockOffsetMs ?? Number.NaN)).toBeLessThan(60_000);
  });
});
