import { describe, expect, test } from 'vitest';
import { type PveWorld, startPveWorld } from '../../test/pve.js';
import { pveTemplate, RUNNER_PRIVILEGES } from './catalogue.js';

const TEMPLATE = '/nodes/pve1/qemu/9000';
const CLONE = { newid: '105', name: 'linux-1', description: 'a clone' };

/** Makes a VM as a runner tool does, up to its start. */
async function makeVm({ data, clock }: PveWorld, target = 'pve1'): Promise<void> {
  await data('POST', `${TEMPLATE}/clone`, { ...CLONE, target });
  clock.advance(1_000);
  await data('PUT', `/nodes/${target}/qemu/105/config`, { cores: '4', memory: '4096', agent: '1', tags: 'B;a' });
}

async function startVm(world: PveWorld): Promise<void> {
  await makeVm(world);
  await world.data('POST', '/nodes/pve1/qemu/105/status/start');
  world.clock.advance(500);
}

describe('who calls', () => {
  test.each([
    ['an unknown token', 'root@pam!x=y', 401, "no such token 'x' for user 'root@pam'"],
    ['another secret', 'rungar@pve!emulator=guess', 401, 'invalid token value!'],
    ['half a header', 'rungar@pve!emulator', 401, 'no such token'],
  ])('%s is refused', async (_, token, status, reason) => {
    const { call } = await startPveWorld();
    const answer = await call('GET', '/version', {}, token);
    expect(answer).toMatchObject({ status, reason: expect.stringContaining(reason), body: { data: null } });
  });

  test('a privilege that is missing is named with its path', async () => {
    const world = await startPveWorld();
    world.pve.deny('VM.Clone');
    expect(await world.call('POST', `${TEMPLATE}/clone`, CLONE)).toMatchObject({
      status: 403,
      reason: 'Permission check failed (/vms/9000, VM.Clone)',
    });
  });

  test.each([
    ['9.0.3', 'SDN.Use', 403],
    ['7.4.3', 'SDN.Use', 200],
    ['9.0.3', 'Datastore.AllocateSpace', 403],
  ])('a clone in version %s without %s is answered with %i', async (version, privilege, status) => {
    const world = await startPveWorld({ version });
    world.pve.deny(privilege);
    expect((await world.call('POST', `${TEMPLATE}/clone`, CLONE)).status).toBe(status);
  });

  test('the deepest path that is named decides, and a pool counts for its VMs', async () => {
    const privileges = {
      '/': RUNNER_PRIVILEGES,
      '/vms/9000': ['VM.Audit'],
      '/vms/105': [],
      '/pool/ci': ['VM.Allocate'],
    };
    const { pve, call } = await startPveWorld({
      catalogue: { tokens: [{ id: 'a@pve!b', secret: 'c', privileges }] },
    });
    expect((await call('POST', `${TEMPLATE}/clone`, CLONE)).status).toBe(403);
    expect(pve.token.id).toBe('a@pve!b');
    expect((await call('GET', `${TEMPLATE}/config`)).status).toBe(200);
    const { body } = await call('GET', '/access/permissions', { path: '/vms/9000' });
    expect(body.data).toEqual({ '/vms/9000': { 'VM.Audit': 1 } });
  });
});

describe('what it does not read', () => {
  test.each([
    ['an unknown parameter', 'POST', `${TEMPLATE}/clone`, { ...CLONE, colour: 'red' }, 400, 'colour'],
    ['a missing one', 'POST', `${TEMPLATE}/clone`, { name: 'x' }, 400, 'newid'],
    ['a VMID that is too low', 'POST', `${TEMPLATE}/clone`, { newid: '99' }, 400, 'newid'],
    ['a word for a number', 'POST', `${TEMPLATE}/clone`, { newid: 'next' }, 400, 'newid'],
    ['a name with an underscore', 'POST', `${TEMPLATE}/clone`, { ...CLONE, name: 'a_b' }, 400, 'name'],
    [
      'storage of a linked clone',
      'POST',
      `${TEMPLATE}/clone`,
      { ...CLONE, full: '0', storage: 'ceph' },
      400,
      'storage',
    ],
    ['a pool that is not there', 'POST', `${TEMPLATE}/clone`, { ...CLONE, pool: 'x' }, 400, 'pool'],
    ['a tag with a slash', 'PUT', `${TEMPLATE}/config`, { tags: 'a/b' }, 400, 'tags'],
    ['an unknown kind', 'GET', '/cluster/resources', { type: 'qemu' }, 400, 'type'],
  ])('%s is refused by its name', async (_, method, path, params, status, name) => {
    const { call } = await startPveWorld();
    const answer = await call(method, path, params as unknown as Record<string, string>);
    expect(answer).toMatchObject({
      status,
      reason: 'Parameter verification failed.',
      body: { errors: { [name]: expect.any(String) } },
    });
  });

  test('a path or a query parameter that is none is refused', async () => {
    const { call } = await startPveWorld();
    expect((await call('GET', '/nowhere')).status).toBe(501);
    expect((await call('GET', '/version', { x: '1' })).status).toBe(400);
  });
});

describe('a clone', () => {
  test('is nameless and locked until its task is done', async () => {
    const world = await startPveWorld();
    const upid = await world.data<string>('POST', `${TEMPLATE}/clone`, { ...CLONE, target: 'pve2' });
    expect(upid).toMatch(/^UPID:pve1:[0-9A-F]{8}:[0-9A-F]{8}:[0-9A-F]{8}:qmclone:9000:rungar@pve!emulator:$/);
    const task = `/nodes/pve1/tasks/${encodeURIComponent(upid)}`;
    expect(await world.data('GET', `${task}/status`)).toMatchObject({ status: 'running', type: 'qmclone' });
    expect(await world.data('GET', '/nodes/pve1/qemu/105/config')).toMatchObject({
      lock: 'clone',
      description: ' qmclone temporary file\n',
    });
    expect((await world.call('DELETE', '/nodes/pve1/qemu/105')).reason).toBe('VM is locked (clone)');
    world.clock.advance(1_000);
    expect(await world.data('GET', `${task}/status`)).toMatchObject({ status: 'stopped', exitstatus: 'OK' });
    expect(await world.data('GET', `${task}/log`)).toEqual([
      { n: 1, t: 'create linked clone of drive scsi0' },
      { n: 2, t: 'TASK OK' },
    ]);
    expect(await world.data('GET', '/nodes/pve2/qemu/105/config')).toMatchObject({
      name: 'linux-1',
      description: 'a clone\n',
    });
    expect((await world.call('GET', '/nodes/pve1/qemu/105/config')).reason).toBe(
      "Configuration file 'nodes/pve1/qemu-server/105.conf' does not exist",
    );
  });

  test.each([
    ['a taken VMID', {}, { ...CLONE, newid: '9000' }, 'unable to create VM 9000: config file already exists'],
    [
      'another node',
      { storage: 'local-lvm' },
      { ...CLONE, target: 'pve2' },
      "can't clone VM to node 'pve2' (VM uses local storage)",
    ],
    [
      'a link',
      { storage: 'nas' },
      CLONE,
      "Linked clone feature is not supported for drive 'scsi0' (nas:base-9000-disk-0)",
    ],
  ])('is refused for %s that cannot be', async (_, template, params, reason) => {
    const { call } = await startPveWorld({ catalogue: { templates: [pveTemplate(template)] } });
    expect(await call('POST', `${TEMPLATE}/clone`, params)).toMatchObject({ status: 500, reason });
  });

  test('waits for the lock of its storage, and not for ever', async () => {
    const world = await startPveWorld({ times: { lockWaitMs: 1_500 } });
    const upids = [];
    for (const newid of ['105', '106', '107', '108']) {
      upids.push(await world.data<string>('POST', `${TEMPLATE}/clone`, { ...CLONE, newid }));
    }
    world.clock.advance(4_000);
    const exits = [];
    for (const upid of upids) {
      const { exitstatus } = await world.data('GET', `/nodes/pve1/tasks/${encodeURIComponent(upid)}/status`);
      exits.push(exitstatus);
    }
    const late = "clone failed: can't lock file '/var/lock/pve-manager/pve-storage-ceph' - got timeout";
    expect(exits).toEqual(['OK', 'OK', late, late]);
    expect(world.pve.vms().map(({ vmid }) => vmid)).toEqual([105, 106]);
  });

  test('that does not fit leaves nothing', async () => {
    const storages = [{ name: 'ceph', shared: true, linkedClones: true, free: 1 }];
    const world = await startPveWorld({ catalogue: { storages } });
    const upid = await world.data<string>('POST', `${TEMPLATE}/clone`, { ...CLONE, full: '1' });
    world.clock.advance(5_000);
    expect(await world.data('GET', `/nodes/pve1/tasks/${encodeURIComponent(upid)}/status`)).toMatchObject({
      exitstatus: 'clone failed: write error: No space left on device',
    });
    expect(world.pve.vms()).toEqual([]);
  });
});

describe('a VM', () => {
  test('is listed with what its node broadcast, which lags behind', async () => {
    const world = await startPveWorld({ times: { broadcastMs: 10_000 } });
    await makeVm(world);
    const listed = async () =>
      (await world.data<{ vmid?: number }[]>('GET', '/cluster/resources', { type: 'vm' })).find(
        ({ vmid }) => vmid === 105,
      );
    const young = await listed();
    expect(young).toMatchObject({ status: 'unknown', node: 'pve1', template: 0, tags: 'a;b' });
    expect(young).not.toHaveProperty('name');
    world.clock.advance(10_000);
    expect(await listed()).toMatchObject({ name: 'linux-1', status: 'stopped', maxcpu: 4, maxmem: 4_294_967_296 });
  });

  test('on a node that is offline is unknown, and cannot be asked', async () => {
    const world = await startPveWorld();
    await makeVm(world);
    world.pve.setOnline('pve1', false);
    const resources = await world.data<Record<string, unknown>[]>('GET', '/cluster/resources');
    expect(resources.find(({ vmid }) => vmid === 105)).toMatchObject({ status: 'unknown', name: 'linux-1' });
    expect(resources.find(({ id }) => id === 'node/pve1')).toEqual({
      id: 'node/pve1',
      type: 'node',
      node: 'pve1',
      status: 'offline',
    });
    expect(await world.call('GET', '/nodes/pve1/qemu/105/config')).toMatchObject({
      status: 595,
      reason: 'No route to host',
    });
  });

  test('goes through its life', async () => {
    const world = await startPveWorld();
    await startVm(world);
    const agent = '/nodes/pve1/qemu/105/agent';
    expect((await world.call('POST', `${agent}/ping`)).reason).toBe('QEMU guest agent is not running');
    world.clock.advance(3_000);
    expect((await world.call('POST', `${agent}/ping`)).status).toBe(200);
    expect((await world.call('POST', `${agent}/file-write`, { file: '/nowhere/x', content: 'x' })).reason).toContain(
      'No such file or directory',
    );
    await world.data('POST', `${agent}/file-write`, { file: '/tmp/x', content: 'hello' });
    expect((await world.call('GET', `${agent}/file-read`, { file: '/tmp/x' })).status).toBe(403);
    expect((await world.call('DELETE', '/nodes/pve1/qemu/105')).reason).toBe('VM 105 is running - destroy failed');
    await world.data('POST', '/nodes/pve1/qemu/105/status/stop');
    world.clock.advance(500);
    expect(await world.data('GET', '/nodes/pve1/qemu/105/status/current')).toMatchObject({ status: 'stopped' });
    expect((await world.call('POST', `${agent}/ping`)).reason).toBe('VM 105 is not running');
    await world.data('DELETE', '/nodes/pve1/qemu/105', { purge: '1', 'destroy-unreferenced-disks': '1' });
    world.clock.advance(500);
    expect(world.pve.vms()).toEqual([]);
  });

  test('does not start where there is no memory for it', async () => {
    const nodes = [{ name: 'pve1', cores: 4, memory: 4 * 1024 ** 3, memoryUsed: 1024 ** 3 }];
    const world = await startPveWorld({ catalogue: { nodes } });
    await makeVm(world);
    const upid = await world.data<string>('POST', '/nodes/pve1/qemu/105/status/start');
    world.clock.advance(500);
    expect(await world.data('GET', `/nodes/pve1/tasks/${encodeURIComponent(upid)}/status`)).toMatchObject({
      exitstatus: expect.stringContaining('Cannot allocate memory'),
    });
  });

  test.each([
    ['9.0.3', 'VM.GuestAgent.Audit'],
    ['8.4.1', 'VM.Monitor'],
  ])('of version %s asks for %s to be pinged', async (version, privilege) => {
    const world = await startPveWorld({ version });
    await startVm(world);
    world.clock.advance(3_000);
    world.pve.deny(privilege);
    expect((await world.call('POST', '/nodes/pve1/qemu/105/agent/ping')).reason).toBe(
      `Permission check failed (/vms/105, ${privilege})`,
    );
  });
});

test('free VMIDs come from the range that is set', async () => {
  const world = await startPveWorld({ nextId: { lower: 200, upper: 202 } });
  expect(await world.data('GET', '/cluster/options')).toMatchObject({ 'next-id': { lower: '200', upper: '202' } });
  expect(await world.data('GET', '/cluster/nextid')).toBe('200');
  world.pve.addVm({ name: 'a', vmid: 200 });
  world.pve.addVm({ name: 'b', vmid: 201 });
  expect((await world.call('GET', '/cluster/nextid')).status).toBe(500);
  expect((await world.call('GET', '/cluster/nextid', { vmid: '200' })).reason).toBe('VM 200 already exists');
});

test('faults strike as they were planned', async () => {
  const world = await startPveWorld();
  world.pve.refuse('version', { message: 'no quorum', status: 503 });
  expect(await world.call('GET', '/version')).toMatchObject({ status: 503, reason: 'no quorum' });
  world.pve.echoNextRequest('version');
  expect((await world.call('GET', '/version')).reason).toContain(world.pve.token.secret);
  world.pve.failTasks('qmclone', 'clone failed: no reason');
  const upid = await world.data<string>('POST', `${TEMPLATE}/clone`, CLONE);
  world.clock.advance(1_000);
  expect(await world.data('GET', `/nodes/pve1/tasks/${encodeURIComponent(upid)}/status`)).toMatchObject({
    exitstatus: 'clone failed: no reason',
  });
  expect(world.pve.vms()).toEqual([]);
  expect(world.pve.calls()).toMatchObject({ version: 2, clone: 1 });
});

test('a call in process is answered like one over the network', async () => {
  const world = await startPveWorld({ latency: { version: 50, refusal: 70 } });
  let answered = 0;
  const ask = async (method: string, path: string, params = {}): Promise<unknown> => {
    const answer = await world.pve.ask({ method, path, params });
    answered += 1;
    return { status: answer.status, reason: answer.reason, data: (JSON.parse(answer.body) as { data: unknown }).data };
  };
  const version = ask('GET', '/version');
  const wrong = ask('GET', '/version', { x: '1' });
  world.clock.advance(49);
  await new Promise(setImmediate);
  expect(answered).toBe(0);
  world.clock.advance(21);
  expect(await version).toMatchObject({ status: 200, reason: 'OK', data: { release: '9.0' } });
  expect(await wrong).toMatchObject({ status: 400, reason: 'Parameter verification failed.' });
  expect(await ask('GET', '/nodes/pve1/qemu/9000/config')).toMatchObject({ data: { template: 1 } });
  expect(await ask('GET', '/nowhere')).toMatchObject({ status: 501 });
  expect(world.pve.calls()).toEqual({ version: 2, config: 1 });
});
