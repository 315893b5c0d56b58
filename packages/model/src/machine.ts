import type { Secret } from './secret.js';

/** Labels of a machine: key to value. */
export type Labels = Readonly<Record<string, string>>;

/**
 * What a backend says of a machine. `starting` and `running` are alive; `stopped` is ended for good. Anything a
 * provider does not recognise, or a backend cannot say at the moment, is `unknown`: kept, counted and left alone.
 */
export type MachineState = 'starting' | 'running' | 'stopped' | 'unknown';

/** A machine as a provider lists it. A machine is started once and never restarted. */
export interface Machine {
  /** Also the name of its runner. */
  readonly name: string;
  /** The backend's own identifier, empty where it has none. */
  readonly id: string;
  readonly labels: Labels;
  readonly state: MachineState;
  /** How big it is, for people: `2 vCPU, 4 GiB` or `m7i.xlarge`. May be empty. */
  readonly size: string;
  /** When the backend says it was created, in epoch milliseconds. */
  readonly createdAt?: number;
  /** Why it is in this state, in the backend's words, where it says. */
  readonly stateReason?: string;
}

/** What a provider is asked to create. */
export interface MachineRequest<Spec = unknown> {
  readonly name: string;
  /** The five labels of docs/reference/labels.md. */
  readonly labels: Labels;
  /** GitHub's just-in-time configuration, good for one registration. */
  readonly jitConfig: Secret;
  /** The runner specification, as this provider's own type parsed it. */
  readonly spec: Spec;
  /** Of creations that wait for their backend's pace, those of a higher priority go first; 0 unless given. */
  readonly priority?: number;
  /** Epoch milliseconds after which the backend may destroy the machine by itself. */
  readonly deadline?: number;
}

/** A machine to delete, as last seen or as created. Only the name is always known. */
export interface MachineRef {
  readonly name: string;
  readonly id?: string;
  readonly labels?: Labels;
}

/**
 * How a deletion ended: the backend took it; there was no such machine; or a machine of that name is not ours and
 * was left alone. All three free the place.
 */
export type DeleteOutcome = 'deleted' | 'absent' | 'stranger';

/** One part of a provider (a region, zone or node) that answers for itself. */
export interface ListingPart {
  readonly part: string;
  /** On the monotonic clock, taken before the first byte of the question was sent. */
  readonly begunAt: number;
  readonly machines: readonly Machine[];
  /** Why this part could not be listed. Its machines are then unknown, never none. */
  readonly error?: Error;
}

/** What a provider has, part by part. */
export interface MachineListing {
  readonly parts: readonly ListingPart[];
  /**
   * What the backend says it is, with the type as a prefix (`aws:123456789012/eu-central-1`), once an answer has told.
   * Two providers that say the same are one backend: each would list the other's machines.
   */
  readonly identity?: string;
  /**
   * Whether it has every machine whose creation had been answered when it was begun. A backend whose listings lag
   * behind, or of which nobody knows, says nothing: a machine missing from its first listings proves nothing then.
   */
  readonly upToDate?: boolean;
  /** How far the backend's clock is ahead of this host's, in milliseconds, where an answer told. */
  readonly clockOffsetMs?: number;
}
