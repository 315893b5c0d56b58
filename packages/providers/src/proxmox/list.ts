import { matchesSelector, toProxmoxTags } from '@rungar/labels';
import {
  type Labels,
  type ListingPart,
  type Machine,
  type MachineListing,
  type MachineState,
  RungarError,
} from '@rungar/model';
import { type Pve, vmPath } from './api.js';
import { settleAll } from './at-once.js';
import { cloneAsMachine, type KnownClones } from './clones.js';
import type { ConfigMemory } from './config-memory.js';
import { asRungarError, saysGone } from './errors.js';
import type { ListedNode, ListedVm, Resources, SharedResources } from './resources.js';
import { readVmConfig, type VmConfig } from './vm-config.js';

/** What listing needs, shared by all listings of one provider. */
export interface ListTools {
  readonly pve: Pve;
  readonly resources: SharedResources;
  readonly clones: KnownClones;
  readonly configs: ConfigMemory;
  /** How big a VM is, for people. */
  readonly sizeOf: (cores: number, memory: number) => string;
}

/** How many configurations are read at a time. */
const READS_AT_ONCE = 8;
/** What the names of runners end with. */
const RUNNER_NAME = /-[0-9a-f]{8}$/;
const LOCKED_BY_BIRTH: readonly string[] = ['clone', 'create'];

/**
 * The machines whose labels carry `selector`, node by node. A node that cannot be reached and has machines that may be
 * ours says so in its part; one that has none is known to have none, because the cluster itself keeps the tags.
 * @throws PveError when the cluster could not be asked
 */
export async function listMachines(tools: ListTools, selector: Labels, signal: AbortSignal): Promise<MachineListing> {
  const resources = await tools.resources.fresh(signal);
  tools.configs.keepOnly(resources.vmids);
  const candidates = candidatesIn(resources, selector, tools.clones);
  const offline = new Set(resources.nodes.filter(({ isOnline }) => !isOnline).map(({ name }) => name));
  const parts = new Map(partNames(resources.nodes, candidates).map((name) => [name, emptyPart()]));
  const toAsk: ListedVm[] = [];
  for (const vm of candidates) {
    const part = parts.get(vm.node);
    const known = offline.has(vm.node) ? undefined : fromMemory(tools, vm, selector);
    if (offline.has(vm.node)) noteError(part, new RungarError('unavailable', `node ${vm.node} is offline`));
    else if (known === 'ask') toAsk.push(vm);
    else if (known) part?.machines.push(known);
  }
  const answers = await settleAll(toAsk, READS_AT_ONCE, (vm) => examine(tools, vm, selector, signal));
  signal.throwIfAborted();
  for (const [at, answer] of answers.entries()) {
    const part = parts.get(toAsk[at]?.node ?? '');
    if (answer.status === 'rejected') noteError(part, asRungarError(answer.reason));
    else if (answer.value) part?.machines.push(answer.value);
  }
  const offset = tools.pve.clockOffsetMs;
  return {
    parts: [...parts].map(([part, { machines, error }]): ListingPart => {
      const { begunAt } = resources;
      return error === undefined ? { part, begunAt, machines } : { part, begunAt, machines: [], error };
    }),
    ...(offset !== undefined && { clockOffsetMs: offset }),
  };
}

interface PartDraft {
  readonly machines: Machine[];
  error: Error | undefined;
}

function emptyPart(): PartDraft {
  return { machines: [], error: undefined };
}

function noteError(part: PartDraft | undefined, error: Error): void {
  if (part) part.error ??= error;
}

function partNames(nodes: readonly ListedNode[], vms: readonly ListedVm[]): string[] {
  return [...new Set([...nodes.map(({ name }) => name), ...vms.map(({ node }) => node)])];
}

/**
 * The VMs whose description must be looked at: those with the tags of the selector, and those without any tag of
 * Rungar's that may be a runner all the same, because whoever cloned them did not come to tag them.
 */
function candidatesIn({ vms }: Resources, selector: Labels, clones: KnownClones): ListedVm[] {
  const wanted = toProxmoxTags(selector);
  return vms.filter((vm) => {
    if (vm.isTemplate) return false;
    if (wanted.every((tag) => vm.tags.includes(tag)) || clones.get(vm.vmid) !== undefined) return true;
    const tags = vm.tags.toLowerCase();
    if (wanted.every((tag) => tags.includes(tag))) return true;
    if (tags.includes('rungar-') || LOCKED_BY_BIRTH.includes(vm.lock)) return false;
    return vm.name === '' || RUNNER_NAME.test(vm.name);
  });
}

/** The machine a VM is, where that is known without asking; nothing when it is known to be none. */
function fromMemory(tools: ListTools, vm: ListedVm, selector: Labels): Machine | 'ask' | undefined {
  const clone = tools.clones.get(vm.vmid);
  if (clone) {
    if (!clone.isBeingMade && !LOCKED_BY_BIRTH.includes(vm.lock)) return 'ask';
    return matchesSelector(clone.labels, selector) ? cloneAsMachine(clone) : undefined;
  }
  const config = tools.configs.get(vm);
  if (!config) return 'ask';
  if (!config.labels || !matchesSelector(config.labels, selector)) return undefined;
  const state = stateListed(vm);
  return state === undefined ? 'ask' : toMachine(tools, vm, config, config.labels, state);
}

/** {@link fromMemory}, once what is not known has been asked for. */
async function examine(
  tools: ListTools,
  vm: ListedVm,
  selector: Labels,
  signal: AbortSignal,
): Promise<Machine | undefined> {
  const seen = await configOf(tools, vm, signal);
  if (seen?.config.labels === undefined || !matchesSelector(seen.config.labels, selector)) return undefined;
  tools.clones.forget(vm.vmid);
  const state = stateListed(seen.vm) ?? (await stateNow(tools.pve, seen.vm, signal));
  return toMachine(tools, seen.vm, seen.config, seen.config.labels, state);
}

/** A VM's configuration, from memory where nothing speaks against it. One that has moved is read where it is now. */
async function configOf(
  { pve, resources, configs }: ListTools,
  vm: ListedVm,
  signal: AbortSignal,
): Promise<{ readonly vm: ListedVm; readonly config: VmConfig } | undefined> {
  const known = configs.get(vm);
  if (known) return { vm, config: known };
  let at = vm;
  for (;;) {
    try {
      const config = await readVmConfig(pve, at.node, at.vmid, signal);
      configs.put(vm, config);
      return { vm: at, config };
    } catch (error) {
      if (!saysGone(error, vm.vmid)) throw error;
    }
    const moved = (await resources.fresh(signal)).vms.find(({ vmid }) => vmid === vm.vmid);
    if (moved === undefined || moved.node === at.node) return undefined;
    at = moved;
  }
}

function toMachine(
  { sizeOf }: ListTools,
  vm: ListedVm,
  config: VmConfig,
  labels: Labels,
  state: MachineState,
): Machine {
  const { cores, memory } = vm;
  return {
    name: vm.name || config.name,
    id: String(vm.vmid),
    labels,
    state,
    size: cores && memory ? sizeOf(cores, memory) : '',
    ...(config.createdAt !== undefined && { createdAt: config.createdAt }),
  };
}

/** Where a VM is in its life, if the listing is believed: it lags behind by some seconds. */
function stateListed({ lock, status }: ListedVm): MachineState | undefined {
  if (LOCKED_BY_BIRTH.includes(lock)) return 'starting';
  return status === 'running' || status === 'paused' ? 'running' : undefined;
}

/** The same by the VM itself: only it is believed when it is to have ended. */
async function stateNow(pve: Pve, vm: ListedVm, signal: AbortSignal): Promise<MachineState> {
  try {
    const now = (await pve.get(vmPath(vm.node, vm.vmid, '/status/current'), signal)) as Record<string, unknown> | null;
    if (now?.status === 'running') return 'running';
    return now?.status === 'stopped' && !now.lock ? 'stopped' : 'unknown';
  } catch {
    signal.throwIfAborted();
    return 'unknown';
  }
}
