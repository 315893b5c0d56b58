import type { LossReason, RemovalReason, RunnerState } from '@rungar/model';
import type { MachinePlace, Outcome } from './facts.js';
import type { StatusChange } from './github-status.js';
import type { Proof } from './proof.js';

/** One thing a pass would do, with the facts it rests on. */
export type PlanItem =
  /** GitHub says something new of a runner. */
  | ({ readonly do: 'note_status'; readonly runner: string } & StatusChange)
  /** The listing says something new of a runner's machine. */
  | {
      readonly do: 'note_machine';
      readonly runner: string;
      readonly place: MachinePlace;
      readonly twins: readonly MachinePlace[];
      readonly listed: boolean;
      readonly missingSince?: number;
      readonly unknownSince?: number;
      readonly why?: string;
    }
  | {
      readonly do: 'adopt';
      readonly runner: string;
      readonly place: MachinePlace;
      readonly twins: readonly MachinePlace[];
      readonly state: RunnerState;
      readonly size: string;
      readonly revision: string;
      readonly createdAt?: number;
      readonly unknownSince?: number;
    }
  /** A machine that ended before this daemon knew its runner. */
  | {
      readonly do: 'adopt_ended';
      readonly runner: string;
      readonly place: MachinePlace;
      readonly twins: readonly MachinePlace[];
      readonly size: string;
      readonly revision: string;
      readonly createdAt?: number;
      readonly endedAt: number;
      /** Why it ended, in its backend's words. */
      readonly why?: string;
    }
  /** A runner's machine has ended: the machine goes, and what became of the runner is found out. */
  | {
      readonly do: 'let_go';
      readonly runner: string;
      readonly endedAt: number;
      readonly proof: Proof;
      /** Why it ended, in its backend's words. */
      readonly why?: string;
    }
  /** A runner nobody has been able to see for too long is forgotten; its machine is not touched. */
  | {
      readonly do: 'write_off';
      readonly runner: string;
      readonly reason: LossReason;
      readonly proof: Proof;
    }
  /** A runner goes the safe way round. */
  | {
      readonly do: 'remove';
      readonly runner: string;
      readonly reason: RemovalReason;
      readonly force: boolean;
      readonly replacement: boolean;
      readonly proof: Proof;
      /** Set when it goes only as its machine is gone from the listings: then it is lost, not removed. */
      readonly lost?: LossReason;
    }
  /** What became of a leaving runner is known. */
  | { readonly do: 'settle'; readonly runner: string; readonly outcome: Outcome }
  /** A leaving runner's machine is due to be deleted (again). */
  | { readonly do: 'delete'; readonly runner: string }
  /** A machine whose runner has left and been recorded is still there. */
  | {
      readonly do: 'delete_again';
      readonly runner: string;
      readonly place: MachinePlace;
      readonly twins: readonly MachinePlace[];
    }
  | {
      readonly do: 'replace';
      readonly runner: string;
      readonly reason: 'outdated' | 'expired';
      readonly mode: 'create_first';
    }
  | { readonly do: 'drop_replacement' }
  /** A runner that should go, and why it does not yet. */
  | { readonly do: 'wait'; readonly runner: string; readonly why: string }
  | {
      readonly do: 'remove_orphan';
      readonly registration: string;
      readonly id: number;
      readonly since: number;
      readonly proof: Proof;
    };

/** What one pass of one scale set would do and why: plain data, fit to print. */
export interface PassPlan {
  readonly scaleSet: string;
  /** On the monotonic clock. */
  readonly at: number;
  readonly providers: readonly { readonly name: string; readonly error?: string }[];
  readonly github: 'not_asked' | 'no_answer' | 'answered';
  /** The listing it answered with. */
  readonly answer?: { readonly begunAt: number; readonly pages: number };
  readonly items: readonly PlanItem[];
  /** The new memory of what does not answer, and since when. */
  readonly unreachable: Readonly<Record<string, number>>;
  /** The new memory of registrations without a machine. */
  readonly orphans: Readonly<Record<string, number>>;
  /** Names that left long enough ago. */
  readonly forgetLeft: readonly string[];
  /** Names whose look-up at GitHub would let more be decided. */
  readonly lookUps: readonly string[];
}
