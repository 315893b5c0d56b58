import type { GitHubStatus, RunnerState } from '@rungar/model';
import type { ExclusionKind } from '../decide/placement.js';
import type { PassPlan } from '../decide/plan.js';
import type { ScalingFacts, ScalingPlan } from '../decide/plan-scaling.js';
import type { ScaleSetPhase } from '../status.js';

/** One thing that would be done, in words and with the facts it rests on. */
export interface PlanStep {
  /** The kind of step: an item of a {@link PassPlan}, or `create`, `cancel` and `give_back` of the scaling decision. */
  readonly do: string;
  /** The runner or registration it is about; empty where it is about none yet. */
  readonly runner: string;
  /** Empty where it is about none. */
  readonly provider: string;
  /** `remove it`. */
  readonly what: string;
  /** `its revision is not the current one`. */
  readonly why: string;
  /** Names to values for a program: `proof`, `state`, `revision`. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Whether a provider would take a runner of the scale set, and why not. */
export interface ProviderVerdict {
  readonly provider: string;
  /** Its place in the order of trying, from 1; absent where it is not tried. */
  readonly rank?: number;
  readonly kind: 'usable' | ExclusionKind;
  /** In words: `held for birch-rel`, `at its limit of 4 runners`, `2 of its runners, weight 1`. */
  readonly why: string;
  /** Places taken there, by all scale sets. */
  readonly taken: number;
  /** 0 is no limit. */
  readonly maxRunners: number;
  readonly weight: number;
}

/** A runner that is not of the current revision. */
export interface OutdatedRunner {
  readonly runner: string;
  readonly provider: string;
  readonly state: RunnerState;
  readonly githubStatus?: GitHubStatus;
  readonly oldRevision: string;
  /** Absent where the scale set does not use that provider (any more). */
  readonly newRevision?: string;
}

/** The scaling decision after the pass, with what it was made from. */
export interface ScalingView extends ScalingPlan, ScalingFacts {
  /** `min_runners 1 + 3 assigned jobs = 4`, and what bounds it. */
  readonly why: string;
}

/** What the next pass of one scale set would do, and why: plain data, fit to print. Asking changed nothing. */
export interface ScaleSetPlan {
  readonly scaleSet: string;
  /** Epoch milliseconds by the wall clock. */
  readonly at: number;
  readonly phase: ScaleSetPhase;
  readonly paused: boolean;
  /** What keeps it from doing more, in sentences; none while nothing does. */
  readonly reasons: readonly string[];
  readonly steps: readonly PlanStep[];
  /** In the order of trying; those not tried last. */
  readonly placement: readonly ProviderVerdict[];
  /** Runners of another revision: idle ones are replaced one at a time, busy ones end with their job. */
  readonly outdated: readonly OutdatedRunner[];
  /** Absent before GitHub has told a number of jobs. */
  readonly scaling?: ScalingView;
  /** The plan of the pass itself; absent while the scale set does not serve. */
  readonly pass?: PassPlan;
}
