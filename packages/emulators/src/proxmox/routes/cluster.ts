import type { PveNode } from '../catalogue.js';
import { failed } from '../errors.js';
import type { Call, Operation } from '../operation.js';
import { vmPaths } from '../operation.js';
import type { Vm } from '../vm.js';

const MIB = 1024 ** 2;
const LOWEST_VMID = 100;
const HIGHEST_VMID = 999_999_999;
const DEFAULT_UPPER = 1_000_000;
const KINDS = ['vm', 'storage', 'node', 'sdn'];

const resources: Operation = {
  name: 'resources',
  method: 'GET',
  path: '/cluster/resources',
  query: ['type'],
  run({ input, cluster, caller }) {
    const type = input.text('type');
    if (type !== undefined && !KINDS.includes(type)) {
      input.reject('type', `value '${type}' does not have a value in the enumeration '${KINDS.join(', ')}'`);
    }
    input.check();
    const wants = (kind: string): boolean => type === undefined || type === kind;
    return [
      ...(type === undefined
        ? cluster.catalogue.pools
            .map((pool) => ({ id: `/pool/${pool}`, type: 'pool', pool }))
            .filter(({ id }) => caller.may(id, 'Pool.Audit'))
        : []),
      ...(wants('vm') ? visibleVms(cluster.vms, caller).map((vm) => vmEntry(vm, cluster)) : []),
      ...(wants('node')
        ? cluster.catalogue.nodes.map((node) =>
            nodeEntry(node, cluster, caller.may(`/nodes/${node.name}`, 'Sys.Audit')),
          )
        : []),
      ...(wants('storage')
        ? storageEntries(cluster).filter(({ storage }) => caller.may(`/storage/${storage}`, 'Datastore.Audit'))
        : []),
    ];
  },
};

function visibleVms(vms: readonly Vm[], caller: Call['caller']): readonly Vm[] {
  return vms.filter((vm) => caller.mayOnAny(vmPaths(vm.vmid, vm.pool), 'VM.Audit'));
}

function vmEntry(vm: Vm, cluster: Call['cluster']): Record<string, unknown> {
  const online = cluster.isOnline(vm.node);
  const sized = online && cluster.hasBroadcast(vm);
  return {
    id: `qemu/${vm.vmid}`,
    type: 'qemu',
    vmid: vm.vmid,
    node: vm.node,
    template: vm.isTemplate ? 1 : 0,
    status: cluster.broadcastStatus(vm),
    ...(vm.pool !== undefined && { pool: vm.pool }),
    ...(vm.lock !== undefined && { lock: vm.lock }),
    ...(vm.tags !== '' && { tags: vm.tags }),
    ...(cluster.hasBroadcast(vm) && vm.name !== undefined && { name: vm.name }),
    ...(sized && {
      maxcpu: vm.cores,
      maxmem: vm.memory * MIB,
      mem: vm.status === 'running' ? vm.memory * MIB : 0,
      cpu: 0,
      uptime: 0,
    }),
  };
}

function nodeEntry(node: PveNode, cluster: Call['cluster'], audited: boolean): Record<string, unknown> {
  const online = cluster.isOnline(node.name);
  return {
    id: `node/${node.name}`,
    type: 'node',
    node: node.name,
    status: online ? 'online' : 'offline',
    ...(online && audited && { maxcpu: node.cores, maxmem: node.memory, mem: cluster.memoryUsed(node), cpu: 0.01 }),
  };
}

function storageEntries({ catalogue }: Call['cluster']): Record<string, unknown>[] {
  return catalogue.nodes.flatMap((node) =>
    catalogue.storages.map(({ name, shared }) => ({
      id: `storage/${node.name}/${name}`,
      type: 'storage',
      storage: name,
      node: node.name,
      status: 'available',
      shared: shared ? 1 : 0,
    })),
  );
}

const nextid: Operation = {
  name: 'nextid',
  method: 'GET',
  path: '/cluster/nextid',
  query: ['vmid'],
  run({ input, cluster, nextId }) {
    const wanted = input.integer('vmid', { min: LOWEST_VMID, max: HIGHEST_VMID });
    input.check();
    if (wanted !== undefined) {
      if (cluster.vm(wanted) !== undefined) throw failed(`VM ${wanted} already exists`);
      return String(wanted);
    }
    const { lower = LOWEST_VMID, upper = DEFAULT_UPPER } = nextId;
    for (let vmid = lower; vmid < upper; vmid++) if (cluster.vm(vmid) === undefined) return String(vmid);
    throw failed(`unable to get any free VMID in range [${lower}, ${upper}]`);
  },
};

const options: Operation = {
  name: 'options',
  method: 'GET',
  path: '/cluster/options',
  run({ input, caller, nextId }) {
    input.check();
    caller.require(['/'], 'Sys.Audit');
    const range = Object.fromEntries(Object.entries(nextId).map(([key, value]) => [key, String(value)]));
    return { keyboard: 'en-us', ...(Object.keys(range).length > 0 && { 'next-id': range }) };
  },
};

const status: Operation = {
  name: 'cluster_status',
  method: 'GET',
  path: '/cluster/status',
  run({ input, caller, cluster }) {
    input.check();
    caller.require(['/'], 'Sys.Audit');
    const { nodes } = cluster.catalogue;
    return [
      { id: 'cluster', type: 'cluster', name: 'emulated', nodes: nodes.length, quorate: 1, version: 3 },
      ...nodes.map(({ name }, index) => ({
        id: `node/${name}`,
        type: 'node',
        name,
        nodeid: index + 1,
        ip: `10.0.0.${index + 1}`,
        online: cluster.isOnline(name) ? 1 : 0,
        local: index === 0 ? 1 : 0,
        level: '',
      })),
    ];
  },
};

const version: Operation = {
  name: 'version',
  method: 'GET',
  path: '/version',
  run({ input, version: full }) {
    input.check();
    return { version: full, release: full.split('.').slice(0, 2).join('.'), repoid: 'e08a8ad9' };
  },
};

const permissions: Operation = {
  name: 'permissions',
  method: 'GET',
  path: '/access/permissions',
  query: ['path'],
  run({ input, caller }) {
    const path = input.text('path');
    input.check();
    const paths = path === undefined ? Object.keys(caller.token.privileges) : [path];
    return Object.fromEntries(
      paths.map((at) => [at, Object.fromEntries(caller.privilegesOn(at).map((privilege) => [privilege, 1]))]),
    );
  },
};

/** What is asked of the cluster as a whole. */
export const clusterOperations: readonly Operation[] = [resources, nextid, options, status, version, permissions];
