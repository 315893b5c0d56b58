import type { EmulatedMachine, MachineState } from '../machine/machine.js';
import type { PveTemplate } from './catalogue.js';

/** What a VM is doing, in the words of Proxmox VE. */
export type PveStatus = 'running' | 'stopped';

/** A VM, from the clone that makes it until it is destroyed. */
export interface Vm {
  readonly vmid: number;
  node: string;
  /** Absent while it is being cloned. */
  name: string | undefined;
  readonly isTemplate: boolean;
  /** Its template, if it has one: what is in the machine. */
  readonly template: PveTemplate | undefined;
  storage: string;
  pool: string | undefined;
  lock: string | undefined;
  status: PveStatus;
  cores: number;
  /** MiB. */
  memory: number;
  tags: string;
  description: string;
  /** Whether it was told that it has a guest agent. */
  agent: boolean;
  isProtected: boolean;
  /** Counts changes of its configuration. */
  digest: number;
  /** When it came to have a name. */
  namedAt: number;
  /** When each status was entered, the present one last. */
  readonly history: { readonly status: PveStatus; readonly at: number }[];
  /** When its guest agent answers, while it runs. */
  agentAt: number | undefined;
  readonly files: Map<string, string>;
  /** The configuration its runner was started with. */
  delivered: string | undefined;
  machine: EmulatedMachine | undefined;
}

/** A VM as tests see it, whatever the API shows already. */
export interface EmulatedVm {
  readonly vmid: number;
  readonly node: string;
  readonly name: string | undefined;
  readonly lock: string | undefined;
  readonly status: PveStatus;
  readonly cores: number;
  /** MiB. */
  readonly memory: number;
  readonly storage: string;
  readonly pool: string | undefined;
  readonly tags: readonly string[];
  readonly description: string;
  readonly agent: boolean;
  /** The configuration that was written into it. */
  readonly delivered: string | undefined;
  readonly runnerName: string | undefined;
  readonly machine: MachineState | undefined;
  /** Why no runner is on it. */
  readonly problem: string | undefined;
}

export function viewOf(vm: Vm): EmulatedVm {
  const { vmid, node, name, lock, status, cores, memory, storage, pool, tags, description, agent, delivered } = vm;
  return {
    vmid,
    node,
    name,
    lock,
    status,
    cores,
    memory,
    storage,
    pool,
    tags: tags.split(/[;, ]+/).filter((tag) => tag !== ''),
    description,
    agent,
    delivered,
    runnerName: vm.machine?.runnerName,
    machine: vm.machine?.state,
    problem: vm.machine?.problem,
  };
}

/** What a VM's configuration file holds, as the API shows it. */
export function configOf(vm: Vm): Record<string, unknown> {
  const digest = vm.digest.toString(16).padStart(40, '0');
  if (vm.lock === 'clone' && vm.name === undefined) {
    return { digest, lock: 'clone', description: ' qmclone temporary file\n' };
  }
  return {
    digest,
    name: vm.name,
    cores: vm.cores,
    memory: String(vm.memory),
    scsi0: `${vm.storage}:${vm.isTemplate ? 'base' : 'vm'}-${vm.vmid}-disk-0,size=10G`,
    net0: 'virtio=BC:24:11:00:00:01,bridge=vmbr0',
    ...(vm.agent && { agent: '1' }),
    ...(vm.tags !== '' && { tags: vm.tags }),
    ...(vm.description !== '' && { description: `${vm.description.trimEnd()}\n` }),
    ...(vm.lock !== undefined && { lock: vm.lock }),
    ...(vm.isTemplate && { template: 1 }),
    ...(vm.isProtected && { protection: 1 }),
  };
}
