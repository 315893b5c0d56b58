import { LABEL, matchesSelector } from '@rungar/labels';
import { type DeleteOutcome, type Labels, type Logger, type MachineRef, messageOf, RungarError } from '@rungar/model';
import { vmPath } from './api.js';
import type { KnownClone, KnownClones } from './clones.js';
import type { ConfigMemory } from './config-memory.js';
import { saysGone, saysLocked, saysStillRunning, saysVmNotRunning } from './errors.js';
import type { ListedVm, SharedResources } from './resources.js';
import { type TaskTools, waitForTask } from './task.js';
import { readVmConfig } from './vm-config.js';

/** What deleting a machine needs, shared by all deletions of one provider. */
export interface DeleteTools extends TaskTools {
  readonly resources: SharedResources;
  readonly clones: KnownClones;
  readonly configs: ConfigMemory;
  readonly logger: Logger;
  /** The time limit of a request, after which one may still be carried out for a moment. */
  readonly timeoutMs: number;
}

/** How long a deletion waits for a clone of the machine to end, before it leaves it to the next one. */
const CLONE_PATIENCE_MS = 10_000;
/** How long after its time limit a clone that was not answered may still begin. */
const LATE_CLONE_MS = 30_000;
/** How often a VM is looked for again that was not where it was listed. */
const MOST_LOOKS = 5;
/** How often a VM is stopped that runs again. */
const MOST_STOPS = 3;

/** A machine to delete, and whose it must be. */
interface Deletion {
  readonly machine: MachineRef;
  readonly selector: Labels;
  readonly signal: AbortSignal;
}

type VmOutcome = DeleteOutcome | 'moved';

/**
 * Deletes a machine, wherever in the cluster it is. VMIDs are used again, so whatever is remembered, a VM is stopped or
 * destroyed only when its description has just said that it is this machine.
 * @throws PveError or RungarError when the machine may still be there
 */
export async function deleteMachine(
  tools: DeleteTools,
  machine: MachineRef,
  selector: Labels,
  signal: AbortSignal,
): Promise<DeleteOutcome> {
  const deletion: Deletion = { machine, selector, signal };
  const outcomes = new Set<DeleteOutcome>();
  const done = new Set<number>();
  for (let look = 1; look <= MOST_LOOKS; look++) {
    const { vms } = await tools.resources.fresh(signal);
    const namesakes = vms.filter((vm) => !done.has(vm.vmid) && mayBe(vm, machine, tools.clones));
    if (namesakes.length === 0) return outcomeOf(tools, deletion, outcomes, vms);
    let moved = false;
    for (const vm of namesakes) {
      const outcome = await remove(tools, vm, deletion);
      if (outcome === 'moved') moved = true;
      else {
        outcomes.add(outcome);
        done.add(vm.vmid);
      }
    }
    if (!moved) return outcomeOf(tools, deletion, outcomes, vms);
  }
  throw new RungarError('unavailable', `${machine.name} is not on the node the cluster lists it on`);
}

/** Whether a VM may be the machine: it has its name, or none yet and its VMID. */
function mayBe(vm: ListedVm, { name, id }: MachineRef, clones: KnownClones): boolean {
  if (vm.isTemplate) return false;
  if (vm.name === name || clones.get(vm.vmid)?.name === name) return true;
  return vm.name === '' && String(vm.vmid) === id;
}

function outcomeOf(
  tools: DeleteTools,
  { machine }: Deletion,
  outcomes: ReadonlySet<DeleteOutcome>,
  vms: readonly ListedVm[],
): DeleteOutcome {
  for (const clone of tools.clones.named(machine.name)) {
    if (!vms.some(({ vmid }) => vmid === clone.vmid)) forgetOrWait(tools, clone);
  }
  if (outcomes.has('deleted')) return 'deleted';
  if (!outcomes.has('stranger')) return 'absent';
  tools.logger.warn('machine of that name is not ours, left alone', { machine: machine.name });
  return 'stranger';
}

/** A clone that is not listed: it is gone, unless it may still begin. */
function forgetOrWait({ clones, clock, timeoutMs }: DeleteTools, clone: KnownClone): void {
  if (!clone.isConfirmed && clock.now() - clone.askedAt < timeoutMs + LATE_CLONE_MS) {
    throw new RungarError(
      'unavailable',
      `VM ${clone.vmid} was asked for, and whether it is being made is not known yet`,
    );
  }
  clones.forget(clone.vmid);
}

async function remove(tools: DeleteTools, vm: ListedVm, deletion: Deletion): Promise<VmOutcome> {
  const { signal } = deletion;
  const { vmid } = vm;
  try {
    if (!(await isOurs(tools, vm, deletion))) return leave(tools, vm);
    let isStopped = vm.status === 'stopped';
    for (let tries = 1; ; tries++) {
      if (!isStopped) await stop(tools, vm, signal);
      if (!(await isOurs(tools, vm, deletion))) return leave(tools, vm);
      isStopped = await destroy(tools, vm, signal, tries === MOST_STOPS);
      if (isStopped) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (saysGone(error, vmid)) return 'moved'; // or gone: the next listing tells
    if (!saysLocked(error)) throw error;
    throw new RungarError('busy', `VM ${vmid} cannot be deleted yet: ${messageOf(error)}`, {
      cause: error,
      hint: `if nothing works on it any more, unlock it on its node: qm unlock ${vmid}`,
    });
  }
  tools.clones.forget(vmid);
  tools.configs.forget(vmid);
  return 'deleted';
}

/** A VM that is not the machine, whatever was remembered of its VMID. */
function leave({ clones }: DeleteTools, { vmid }: ListedVm): 'stranger' {
  clones.forget(vmid);
  return 'stranger';
}

/** Whether a VM says now that it is this machine. One that is still being cloned for it is waited for. */
async function isOurs(tools: DeleteTools, vm: ListedVm, { machine, selector, signal }: Deletion): Promise<boolean> {
  const { pve, clock, clones } = tools;
  for (const until = clock.now() + CLONE_PATIENCE_MS; ; await clock.sleep(tools.taskPollMs, signal)) {
    const { name, lock, labels } = await readVmConfig(pve, vm.node, vm.vmid, signal);
    const isBeingCloned = lock === 'clone' && clones.get(vm.vmid)?.name === machine.name;
    if (!isBeingCloned) {
      return name === machine.name && labels?.[LABEL.runner] === machine.name && matchesSelector(labels, selector);
    }
    if (clock.now() >= until) throw new RungarError('busy', `VM ${vm.vmid} is still being cloned`);
  }
}

async function stop(tools: DeleteTools, { node, vmid }: ListedVm, signal: AbortSignal): Promise<void> {
  try {
    await waitForTask(tools, await tools.pve.post(vmPath(node, vmid, '/status/stop'), signal), signal);
  } catch (error) {
    if (!saysVmNotRunning(error)) throw error;
  }
}

/**
 * Destroys a VM with its disks.
 * @returns false when it runs after all, the listing having been behind; at the last try that is an error
 */
async function destroy(
  tools: DeleteTools,
  { node, vmid }: ListedVm,
  signal: AbortSignal,
  isLastTry: boolean,
): Promise<boolean> {
  const query = { purge: '1', 'destroy-unreferenced-disks': '1' };
  try {
    await waitForTask(tools, await tools.pve.delete(vmPath(node, vmid), signal, query), signal);
    return true;
  } catch (error) {
    if (isLastTry || !saysStillRunning(error)) throw error;
    return false;
  }
}
