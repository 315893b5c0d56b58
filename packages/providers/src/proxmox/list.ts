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
import type { ListedVm, Resources, SharedResources } from './resources.js';
import { readVmConfig, type VmConfig } from './vm-config.js';

/** What listing needs, shared by all listings of one provider. */
export interface ListTools {
  readonly pve: Pve;
  readonly resources: SharedResources;
  readonly clones: KnownClones;
  readonly configs: ConfigMemory;
  /** What the cluster says it is, if it says so. */
  readonly identity: (signal: AbortSignal) => Promise<string | undefined>;
  /** How big a VM is, for people. */
  readonly sizeOf: (cores: number, memory: number) => string;
}

/** How many configurations are read at a time. */
const READS_AT_ONCE = 8;
/** What the names of runners end with. */
const RUNNER_NAME = /-[0-9a-f]{8}$/;
/** A tag that stands for a label: a template's own, which clones begin with, may begin as ours do. */
const LABEL_TAG = /(?:^|[;, ])rungar-[0-9a-f]{16}(?:$|[;, ])/;
const LOCKED_BY_BIRTH: readonly string[] = ['clone', 'create'];

/**
 * The machines whose labels carry `selector`, node by node. A node that cannot be reached and has machines that may be
 * ours says so in its part; one that has none is known to have none, because the cluster itself keeps the tags.
 * @throws PveError when the cluster could not be asked
 */
export async function listMachines(tools: ListTools, selector: Labels, signal: AbortSignal): Promise<MachineListing> {
  const [resources, identity] = await Promise.all([tools.resources.fresh(signal), tools.identity(signal)]);
  tools.configs.keepOnly(resources.vmids);
  const parts = new Map(resources.nodes.map((node) => [node.name, emptyPart(node.isOnline)]));
  const toAsk = sortIn(tools, resources, selector, parts);
  const answers = await settleAll(toAsk, READS_AT_ONCE, (vm) => examine(tools, vm, selector, signal));
  signal.throwIfAborted();
  for (const [at, answer] of answers.entries()) {
    const part = partOf(parts, toAsk[at]?.node ?? '');
    if (answer.status === 'rejected') part.error ??= asRungarError(answer.reason);
    else if (answer.value) part.machines.push(answer.value);
  }
  const { begunAt } = resources;
  const offset = tools.pve.clockOffsetMs;
  return {
    parts: [...parts].map(
      ([part, { machines, error }]): ListingPart =>
        error === undefined ? { part, begunAt, machines } : { part, begunAt, machines: [], error },
    ),
    ...(identity !== undefined && { identity }),
    upToDate: true,
    ...(offset !== undefined && { clockOffsetMs: offset }),
  };
}

interface PartDraft {
  readonly isOnline: boolean;
  readonly machines: Machine[];
  error: Error | undefined;
}

type Parts = Map<string, PartDraft>;

function emptyPart(isOnline: boolean): PartDraft {
  return { isOnline, machines: [], error: undefined };
}

function partOf(parts: Parts, node: string): PartDraft {
  let part = parts.get(node);
  if (!part) {
    part = emptyPart(true);
    parts.set(node, part);
  }
  return part;
}

/**
 * Puts every machine that is known already into its part.
 * @returns the VMs that something must be asked of first
 */
function sortIn(tools: ListTools, { vms }: Resources, selector: Labels, parts: Parts): readonly ListedVm[] {
  const wanted = toProxmoxTags(selector);
  const toAsk: ListedVm[] = [];
  for (const vm of vms) {
    const known = vm.isTemplate ? undefined : fromMemory(tools, vm, selector);
    if (known === undefined || (known === 'unread' && !mayBeOurs(vm, wanted))) continue;
    const part = partOf(parts, vm.node);
    if (!part.isOnline) part.error ??= new RungarError('unavailable', `node ${vm.node} is offline`);
    else if (typeof known === 'string') toAsk.push(vm);
    else part.machines.push(known);
  }
  return toAsk;
}

/**
 * Whether the description of a VM must be looked at: it has the tags of the selector, or it has no tag of a label and
 * may be a runner all the same, because whoever cloned it did not come to tag it.
 */
function mayBeOurs({ tags, name, lock }: ListedVm, wanted: readonly string[]): boolean {
  const lower = tags.toLowerCase();
  if (wanted.every((tag) => lower.includes(tag))) return true;
  if (LABEL_TAG.test(lower)) return false;
  // A clone says nothing of itself until it has its name, which may be before it has all of its disks.
  return RUNNER_NAME.test(name) || (name === '' && !LOCKED_BY_BIRTH.includes(lock));
}

/**
 * The machine a VM is, as far as that is known: nothing when it is none, `unread` when its description must be looked
 * at, `unclear` when it is one whose state must be asked for.
 */
function fromMemory(tools: ListTools, vm: ListedVm, selector: Labels): Machine | 'unread' | 'unclear' | undefined {
  const clone = tools.clones.get(vm.vmid);
  if (clone) {
    if (!clone.isBeingMade && !LOCKED_BY_BIRTH.includes(vm.lock)) return 'unclear';
    return matchesSelector(clone.labels, selector) ? cloneAsMachine(clone) : undefined;
  }
  const config = tools.configs.get(vm);
  if (!config) return 'unread';
  if (!config.labels || !matchesSelector(config.labels, selector)) return undefined;
  const state = stateListed(vm);
  return state === undefined ? 'unclear' : toMachine(tools, vm, config, config.labels, state);
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
