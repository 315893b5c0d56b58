import { type Call, majorOf, type Operation, vmidOf, vmPaths } from '../operation.js';
import { configOf, type Vm } from '../vm.js';

const VM_PATH = '/nodes/:node/qemu/:vmid';
const VMID = { min: 100, max: 999_999_999 };
const DNS_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const TAG = /^[a-z0-9_][a-z0-9_\-+.]*$/i;
const NAME = { max: 253 };

/** Of the bridge that every template's network is on. */
const BRIDGE_PATH = '/sdn/zones/localnetwork/vmbr0';
const FIRST_WITH_BRIDGE_PRIVILEGES = 8;

/** The VM a call names, once the caller may do with it what it asks. */
function allowedVm(call: Call, privilege: string): Vm {
  const vm = call.cluster.vmOn(call.path.node ?? '', vmidOf(call));
  call.caller.require(vmPaths(vm.vmid, vm.pool), privilege);
  return vm;
}

const list: Operation = {
  name: 'vms',
  method: 'GET',
  path: '/nodes/:node/qemu',
  run({ input, path, cluster, caller }) {
    input.check();
    const { name } = cluster.node(path.node ?? '');
    return cluster.vms
      .filter((vm) => vm.node === name && caller.mayOnAny(vmPaths(vm.vmid, vm.pool), 'VM.Audit'))
      .map(currentStatus);
  },
};

const config: Operation = {
  name: 'config',
  method: 'GET',
  path: `${VM_PATH}/config`,
  query: ['current'],
  run(call) {
    call.input.boolean('current');
    call.input.check();
    return configOf(allowedVm(call, 'VM.Audit'));
  },
};

const setConfig: Operation = {
  name: 'set_config',
  method: 'PUT',
  path: `${VM_PATH}/config`,
  run(call) {
    const { input, caller } = call;
    const cores = input.integer('cores', { min: 1, max: 8192 });
    const memory = input.integer('memory', { min: 16, max: 4_178_944 });
    const agent = input.text('agent');
    const tags = input.text('tags');
    const description = input.text('description');
    const name = input.text('name', NAME);
    if (agent !== undefined && !/^(?:enabled=)?[01](?:,.*)?$/.test(agent)) input.reject('agent', 'invalid format');
    if (name !== undefined && !DNS_NAME.test(name))
      input.reject('name', 'invalid format - value does not look like a valid DNS name');
    if (tags?.split(/[;, ]/).some((tag) => tag !== '' && !TAG.test(tag)))
      input.reject('tags', 'invalid format - invalid characters in tag');
    input.check();
    const vm = allowedVm(call, 'VM.Audit');
    const paths = vmPaths(vm.vmid, vm.pool);
    if (cores !== undefined) caller.require(paths, 'VM.Config.CPU');
    if (memory !== undefined) caller.require(paths, 'VM.Config.Memory');
    if ([agent, tags, description, name].some((value) => value !== undefined))
      caller.require(paths, 'VM.Config.Options');
    call.cluster.configure(vm, {
      cores,
      memory,
      agent: agent?.replace('enabled=', '').startsWith('1'),
      tags,
      description,
      name,
    });
    return null;
  },
};

const clone: Operation = {
  name: 'clone',
  method: 'POST',
  path: `${VM_PATH}/clone`,
  run(call) {
    const { input, caller, cluster } = call;
    const newid = input.requiredInteger('newid', VMID);
    const name = input.text('name', NAME);
    const description = input.text('description');
    const wantsFull = input.boolean('full');
    const target = input.text('target');
    const storage = input.text('storage');
    const pool = input.text('pool');
    if (name !== undefined && !DNS_NAME.test(name))
      input.reject('name', 'invalid format - value does not look like a valid DNS name');
    input.check();
    const source = allowedVm(call, 'VM.Clone');
    const full = wantsFull ?? !source.isTemplate;
    caller.require(vmPaths(newid, pool), 'VM.Allocate');
    caller.require([`/storage/${storage ?? source.storage}`], 'Datastore.AllocateSpace');
    if (majorOf(call) >= FIRST_WITH_BRIDGE_PRIVILEGES) caller.require([BRIDGE_PATH], 'SDN.Use');
    if (!full && storage !== undefined) input.reject('storage', "parameter 'storage' not allowed for linked clones");
    if (pool !== undefined && !cluster.catalogue.pools.includes(pool))
      input.reject('pool', `pool '${pool}' does not exist`);
    input.check();
    return cluster.clone(source, {
      newid,
      name: name ?? `Copy-of-VM-${source.name}`,
      description,
      full,
      target: target ?? source.node,
      storage,
      pool,
      user: caller.token.id,
    }).upid;
  },
};

const destroy: Operation = {
  name: 'destroy',
  method: 'DELETE',
  path: VM_PATH,
  query: ['purge', 'destroy-unreferenced-disks', 'skiplock'],
  run(call) {
    call.input.boolean('purge');
    call.input.boolean('destroy-unreferenced-disks');
    call.input.check();
    const vm = allowedVm(call, 'VM.Allocate');
    return call.cluster.destroy(vm, call.caller.token.id).upid;
  },
};

const current: Operation = {
  name: 'status',
  method: 'GET',
  path: `${VM_PATH}/status/current`,
  run(call) {
    call.input.check();
    return currentStatus(allowedVm(call, 'VM.Audit'));
  },
};

const start: Operation = {
  name: 'start',
  method: 'POST',
  path: `${VM_PATH}/status/start`,
  run(call) {
    call.input.check();
    return call.cluster.start(allowedVm(call, 'VM.PowerMgmt'), call.caller.token.id).upid;
  },
};

const stop: Operation = {
  name: 'stop',
  method: 'POST',
  path: `${VM_PATH}/status/stop`,
  run(call) {
    call.input.check();
    return call.cluster.stop(allowedVm(call, 'VM.PowerMgmt'), call.caller.token.id).upid;
  },
};

function currentStatus(vm: Vm): Record<string, unknown> {
  return {
    vmid: vm.vmid,
    status: vm.status,
    qmpstatus: vm.status,
    ...(vm.name !== undefined && { name: vm.name }),
    ...(vm.lock !== undefined && { lock: vm.lock }),
    ...(vm.tags !== '' && { tags: vm.tags }),
    ...(vm.isTemplate && { template: 1 }),
    cpus: vm.cores,
    maxmem: vm.memory * 1024 ** 2,
  };
}

/** What is asked of VMs. */
export const vmOperations: readonly Operation[] = [list, config, setConfig, clone, destroy, current, start, stop];
