import { type Clock, type Logger, messageOf, RungarError, type Secret } from '@rungar/model';
import { type Pve, vmPath } from './api.js';
import { PveError, saysVmNotRunning } from './errors.js';

export interface GuestTools {
  readonly pve: Pve;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From the start of a VM until its guest agent is first asked, in milliseconds. */
  readonly firstPingMs: number;
  readonly pingMs: number;
}

/** A VM that has been started. */
export interface StartedVm {
  readonly node: string;
  readonly vmid: number;
  readonly name: string;
}

/**
 * Waits until the guest agent of a VM answers.
 * @throws RungarError when it never will: the token may not ask, or the VM has ended; the signal's reason when it aborts
 */
export async function waitForAgent(tools: GuestTools, vm: StartedVm, signal: AbortSignal): Promise<void> {
  const { pve, clock, logger } = tools;
  let last = 'it was not asked yet';
  try {
    await clock.sleep(tools.firstPingMs, signal);
    for (;;) {
      try {
        await pve.post(vmPath(vm.node, vm.vmid, '/agent/ping'), signal);
        return;
      } catch (error) {
        signal.throwIfAborted();
        throwIfHopeless(error, vm);
        last = messageOf(error);
      }
      await clock.sleep(tools.pingMs, signal);
    }
  } finally {
    if (signal.aborted) logger.warn('the guest agent has not answered', { machine: vm.name, vmid: vm.vmid, last });
  }
}

/** An agent that does not run yet is no failure; one that may not be asked is. */
function throwIfHopeless(error: unknown, { vmid }: StartedVm): void {
  if (!(error instanceof PveError)) throw error;
  if (error.refusal === 'unauthorised') {
    throw new RungarError('internal', `the guest agent of VM ${vmid} may not be asked: ${error.message}`, {
      cause: error,
      hint: 'give the token VM.GuestAgent.Audit and VM.GuestAgent.FileWrite; before Proxmox VE 9, VM.Monitor',
    });
  }
  if (saysVmNotRunning(error)) {
    throw new RungarError('internal', `VM ${vmid} ended before its guest agent answered`, {
      cause: error,
      hint: 'look at how the template boots',
    });
  }
}

/**
 * Writes a runner's registration into its machine.
 * @throws PveError; RungarError when the folder is not there
 */
export async function writeRegistration(
  pve: Pve,
  { node, vmid }: StartedVm,
  path: string,
  jitConfig: Secret,
  signal: AbortSignal,
): Promise<void> {
  try {
    await pve.post(vmPath(node, vmid, '/agent/file-write'), signal, { file: path, content: jitConfig.reveal() });
  } catch (error) {
    if (error instanceof PveError && /no such file or directory/i.test(error.message)) {
      throw new RungarError('invalid_argument', `${path} cannot be written in VM ${vmid}: ${error.message}`, {
        cause: error,
        hint: 'the template must make the folder of jit_path at every boot, before its guest agent starts',
      });
    }
    throw error;
  }
}
