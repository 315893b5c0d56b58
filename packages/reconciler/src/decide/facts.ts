import type {
  GitHubStatus,
  Labels,
  LossReason,
  Machine,
  RemovalReason,
  RunnerJob,
  RunnerRegistration,
  RunnerState,
  RunnerStatuses,
} from '@rungar/model';
import type { Proof } from './proof.js';

/**
 * What the decisions are made from. Everything here is data: instants are milliseconds on the monotonic clock, and
 * the instant of an answer is always the one at which its question was begun.
 */

/** A place where a machine stands: enough to delete it, and nothing else. */
export interface MachinePlace {
  readonly provider: string;
  readonly part?: string;
  readonly id?: string;
  readonly labels?: Labels;
}

/** A runner that counts. What is not known of it may be there and undefined: objects of one shape are read quickly. */
export interface RunnerFacts {
  readonly name: string;
  readonly place: MachinePlace;
  /** Further machines of the same name: they hold a place each and go when the runner goes. */
  readonly twins: readonly MachinePlace[];
  readonly state: RunnerState;
  readonly job?: RunnerJob | undefined;
  readonly size: string;
  readonly adopted: boolean;
  /** Empty for a machine without the label. */
  readonly revision: string;
  /** When the machine was created, where that is known. */
  readonly createdAt?: number | undefined;
  /** When it began to count: no listing begun earlier can show it missing. */
  readonly countedAt: number;
  readonly connectedAt?: number | undefined;
  /** The last answer about it; absent until there was one. */
  readonly githubStatus?: GitHubStatus | undefined;
  /** When a job message or an answer about its name told of it: no listing begun earlier says anything of it. */
  readonly toldAt?: number | undefined;
  /** The first answer, of an unbroken row, that showed it not connected. */
  readonly offlineSince?: number | undefined;
  /** Whether a listing has ever had it. */
  readonly listed: boolean;
  /** The first listing, of an unbroken row, that did not have it. */
  readonly missingSince?: number | undefined;
  /** Since when its provider cannot say what has become of it. */
  readonly unknownSince?: number | undefined;
  /** Whether a removal of it is under way. */
  readonly removing: boolean;
}

/** How a runner stopped counting, and by what that is known. */
export type Outcome =
  | { readonly kind: 'removed'; readonly reason: RemovalReason; readonly proof: Proof }
  | { readonly kind: 'lost'; readonly reason: LossReason; readonly proof: Proof };

/** A runner that no longer counts, until its machine is gone and it is known what became of it. */
export interface LeavingFacts {
  readonly runner: RunnerFacts;
  readonly outcome?: Outcome;
  /** When a listing first showed its end. */
  readonly endedAt?: number;
  /** What showed it. */
  readonly endProof?: Proof;
  readonly deleted: boolean;
  readonly deleting: boolean;
  readonly deleteFailures: number;
  readonly deleteAgainAt: number;
}

/** Where and when a machine was seen. */
export interface Sighting {
  readonly provider: string;
  readonly part: string;
  readonly begunAt: number;
  /** Further machines of the same name. */
  readonly twins: readonly SeenMachine[];
}

/** A machine of this scale set, as one part of a listing has it. */
export interface SeenMachine extends Sighting {
  readonly machine: Machine;
}

/** One part of a provider, a zone or a region, in a pass. */
export interface SeenPart {
  readonly part: string;
  readonly begunAt: number;
  readonly error?: string;
}

/** What a provider said in a pass. */
export interface SeenProvider {
  readonly name: string;
  /** Why it did not answer at all. */
  readonly error?: string;
  readonly parts: readonly SeenPart[];
  /** Whether its listings have a machine as soon as its creation was answered. */
  readonly upToDate?: boolean;
  /** How far the backend's clock is ahead of this host's. */
  readonly clockOffsetMs: number;
}

/** One listing of every provider, seen from one scale set. */
export interface SeenFleet {
  readonly providers: ReadonlyMap<string, SeenProvider>;
  readonly machines: ReadonlyMap<string, SeenMachine>;
}

/** What asking for one runner by name gave. */
export interface LookUp {
  readonly at: number;
  /** Absent when there is none. */
  readonly registration?: RunnerRegistration;
}

/** What GitHub said in a pass. */
export interface SeenGitHub {
  /** Whether a listing was wanted at all; without one every status is as it was. */
  readonly asked: boolean;
  /** Absent when GitHub did not answer. */
  readonly statuses?: RunnerStatuses;
  readonly lookUps: ReadonlyMap<string, LookUp>;
}

/** All that a pass looked at. */
export interface Seen {
  readonly fleet: SeenFleet;
  readonly github: SeenGitHub;
}

/** A runner that waits for its replacement, or is replaced before it. */
export interface Replacement {
  readonly old: string;
  readonly reason: 'outdated' | 'expired';
  /** The new one, once its creation has begun. */
  readonly by?: string;
  /** Whether the old one has gone already. */
  readonly removedFirst: boolean;
}

/** What a scale set remembers from one pass to the next. */
export interface Memory {
  readonly runners: ReadonlyMap<string, RunnerFacts>;
  readonly creating: ReadonlySet<string> | ReadonlyMap<string, unknown>;
  readonly leaving: ReadonlyMap<string, LeavingFacts>;
  /** Name to the instant it left. */
  readonly left: ReadonlyMap<string, number>;
  /** Registration name to the answer that first showed it offline without a machine. */
  readonly orphans: ReadonlyMap<string, number>;
  /** Part of a provider to the time from which it has not answered. */
  readonly unreachable: ReadonlyMap<string, number>;
  /** Names given up while their provider could not say what they are. */
  readonly writtenOff: ReadonlySet<string>;
  readonly replacement?: Replacement;
  /** Whether a creation has failed since the last pass. */
  readonly creationFailed: boolean;
  /** What is wanted now, without replacements; absent before the first decision. */
  readonly desired?: number;
  /** Runners and creations in progress. */
  readonly alive: number;
  /** Whether some provider would take a runner now. */
  readonly hasCandidate: boolean;
}

export const MINUTE = 60_000;
/** How long a provider, a part of one or a machine may be silent before its runners are given up. */
export const WRITE_OFF_MS = 5 * MINUTE;
/** How long a name that has left is not adopted again. */
export const LEFT_GRACE_MS = 60_000;
/** How long it is remembered at most: while a provider is silent for good, nothing proves that a name is gone. */
export const LEFT_MOST_MS = 60 * MINUTE;
/** Two listings prove that a machine is gone only when they were begun this far apart. */
export const SECOND_LISTING_MS = 30_000;

export const isConnected = (status: GitHubStatus | undefined): boolean => status === 'busy' || status === 'idle';

export function placeOf({ provider, part, machine }: Omit<SeenMachine, 'begunAt' | 'twins'>): MachinePlace {
  return { provider, part, id: machine.id, labels: machine.labels };
}

/** Whether everything of that name has ended for good. */
export const hasEnded = ({ machine, twins }: SeenMachine): boolean =>
  machine.state === 'stopped' && twins.every((twin) => twin.machine.state === 'stopped');
