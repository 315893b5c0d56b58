import type { Clock } from '@rungar/model';
import type { ListedVm } from './resources.js';

/** Memory that a machine being made will take on its node. */
export interface MemoryPromise {
  /** Says which VM it is for, once that is known: what it uses already is not counted twice. */
  forVm(vmid: number): void;
  /** The machine is made: the promise ends once its node has had the time to tell. */
  kept(): void;
  /** The machine will not be made. Does nothing after {@link MemoryPromise.kept}. */
  dropped(): void;
}

/** What machines being made will take: a node's own figure does not have it yet. */
export interface MemoryPromises {
  make(node: string, bytes: number): MemoryPromise;
  /** What is promised on a node beyond what these VMs use already. */
  on(node: string, vms: readonly ListedVm[]): number;
}

interface Promised {
  readonly node: string;
  readonly bytes: number;
  vmid: number | undefined;
  until: number;
}

/** Nodes tell every ten seconds how much memory is in use. */
const TOLD_AFTER_MS = 15_000;

export function keepMemoryPromises(clock: Clock): MemoryPromises {
  const open = new Set<Promised>();
  return {
    make(node, bytes) {
      const promised: Promised = { node, bytes, vmid: undefined, until: Number.POSITIVE_INFINITY };
      open.add(promised);
      return {
        forVm(vmid) {
          promised.vmid = vmid;
        },
        kept() {
          promised.until = clock.now() + TOLD_AFTER_MS;
        },
        dropped() {
          if (promised.until === Number.POSITIVE_INFINITY) open.delete(promised);
        },
      };
    },
    on(node, vms) {
      let sum = 0;
      for (const promised of open) {
        if (promised.until <= clock.now()) open.delete(promised);
        else if (promised.node === node) sum += Math.max(0, promised.bytes - usedBy(promised, vms));
      }
      return sum;
    },
  };
}

function usedBy({ vmid, node }: Promised, vms: readonly ListedVm[]): number {
  return vms.find((vm) => vm.vmid === vmid && vm.node === node)?.memoryUsed ?? 0;
}
