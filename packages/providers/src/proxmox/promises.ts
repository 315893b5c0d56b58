import type { ListedVm } from './resources.js';

/** Memory that a machine being made will take on its node. */
export interface MemoryPromise {
  /** Says which VM it is for, once that is known: what it uses already is not counted twice. */
  forVm(vmid: number): void;
  /** The machine is made, or will not be. */
  end(): void;
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
}

export function keepMemoryPromises(): MemoryPromises {
  const open = new Set<Promised>();
  return {
    make(node, bytes) {
      const promised: Promised = { node, bytes, vmid: undefined };
      open.add(promised);
      return {
        forVm(vmid) {
          promised.vmid = vmid;
        },
        end: () => void open.delete(promised),
      };
    },
    on(node, vms) {
      let sum = 0;
      for (const { node: at, bytes, vmid } of open) {
        if (at !== node) continue;
        const vm = vmid === undefined ? undefined : vms.find((listed) => listed.vmid === vmid && listed.node === node);
        sum += Math.max(0, bytes - (vm?.memoryUsed ?? 0));
      }
      return sum;
    },
  };
}
