import type { DevMachine } from './machines.js';

/** A provider's type, which is also its name in the configuration of the world. */
export type BackendName = 'dicer' | 'proxmox' | 'gcp' | 'aws';

/** One emulated backend. */
export interface DevBackend {
  readonly name: BackendName;
  /** What people call it. */
  readonly title: string;
  /** Where it listens, as its clients write that. */
  readonly address: string;
  /** How many runners it has room for; any number unless set. */
  readonly room?: number;
  /**
   * Its item of `providers` in a configuration.
   * @param folder where {@link files} are
   */
  entry(folder: string): string;
  /** The files its entry names, and what is in them. */
  readonly files: ReadonlyMap<string, string>;
  /** What of its credentials nobody may be told. */
  readonly secrets: readonly string[];
  /** Every machine there is or has been, in the order in which they came. */
  machines(): readonly DevMachine[];
  /** The most of them that had power at the same time, those of others left out. */
  readonly mostAtOnce: number;
  /** Puts machines there that nobody may touch: one that is no runner, and a runner of another installation. */
  addForeign(): void;
  /** How many calls asked to change a machine of others. */
  callsOnForeign(): number;
  /** Cuts every machine's power and stops listening. */
  close(): Promise<void>;
}

/** The name of a machine that is no runner. */
export const DATABASE = 'database';

/** A runner of another installation, which has a scale set of the same name. */
export const NEIGHBOUR = {
  name: 'linux-small-00c0ffee',
  labels: {
    'rungar.sh/managed': 'true',
    'rungar.sh/installation': 'gh-00c0ffee0000',
    'rungar.sh/scale-set': 'linux-small',
    'rungar.sh/runner': 'linux-small-00c0ffee',
    'rungar.sh/revision': '000000000000',
  },
} as const;
