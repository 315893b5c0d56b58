import type { Labels, Machine } from '@rungar/model';

/** A clone this process has asked for. Until it has its name and description, only this memory knows whose it is. */
export interface KnownClone {
  readonly vmid: number;
  readonly name: string;
  readonly labels: Labels;
  readonly size: string;
  /** Epoch milliseconds, by the host's wall clock. */
  readonly createdAt: number;
  /** On the monotonic clock. */
  readonly askedAt: number;
  /** Whether its creation is still under way. */
  isBeingMade: boolean;
  /** Whether the cluster has said that it took the clone. Until then the VM may appear, or may never. */
  isConfirmed: boolean;
}

/** The clones this process has asked for, until each is labelled or gone. */
export interface KnownClones {
  add(clone: Omit<KnownClone, 'isBeingMade' | 'isConfirmed'>): KnownClone;
  get(vmid: number): KnownClone | undefined;
  named(name: string): readonly KnownClone[];
  forget(vmid: number): void;
}

export function rememberClones(): KnownClones {
  const clones = new Map<number, KnownClone>();
  return {
    add(clone) {
      const known: KnownClone = { ...clone, isBeingMade: true, isConfirmed: false };
      clones.set(clone.vmid, known);
      return known;
    },
    get: (vmid) => clones.get(vmid),
    named: (name) => [...clones.values()].filter((clone) => clone.name === name),
    forget: (vmid) => void clones.delete(vmid),
  };
}

/** A clone as a machine, while the VM itself does not tell yet. */
export function cloneAsMachine({ vmid, name, labels, size, createdAt }: KnownClone): Machine {
  return { name, id: String(vmid), labels, state: 'starting', size, createdAt };
}
