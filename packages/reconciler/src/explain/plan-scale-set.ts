import type { ScaleSetPolicy } from '@rungar/model';
import type { Memory, Replacement, RunnerFacts } from '../decide/facts.js';
import type { PassPlan } from '../decide/plan.js';
import { type PlacementFacts, planScaling, type ScalingQuestion } from '../decide/plan-scaling.js';
import type { UnsentCreation } from '../decide/scale-down.js';
import { isSuspect } from '../decide/suspects.js';
import type { ScaleSetPhase } from '../status.js';
import { afterPass } from './after-pass.js';
import { describePass } from './describe-pass.js';
import {
  describeScaling,
  outdatedRunners,
  verdictsOf,
  whyNotFewer,
  whyNotMore,
  whyTarget,
} from './describe-scaling.js';
import type { ScaleSetPlan } from './scale-set-plan.js';

/** All that the plan of one scale set is made from. */
export interface PlanFacts {
  readonly policy: ScaleSetPolicy;
  readonly phase: ScaleSetPhase;
  readonly phaseReason?: string;
  readonly paused: boolean;
  /** In force now. */
  readonly minRunners: number;
  /** Absent before GitHub has told. */
  readonly assignedJobs?: number;
  readonly doubted: boolean;
  readonly memory: Pick<Memory, 'runners' | 'replacement'>;
  readonly creations: readonly (UnsentCreation & { readonly sent: boolean })[];
  /** Runners GitHub has that nobody can see. */
  readonly unseen: number;
  readonly skip: ReadonlySet<string>;
  readonly placement: PlacementFacts;
  /** Absent while the scale set does not serve. */
  readonly pass?: PassPlan;
  readonly now: number;
  readonly wallNow: number;
}

/** Puts a plan together: the pass, then the scaling decision that follows it. Pure. */
export function planScaleSet(facts: PlanFacts): ScaleSetPlan {
  const { policy, phase, paused, memory, placement, pass, now } = facts;
  const after = pass
    ? afterPass(memory.runners, memory.replacement, pass)
    : { runners: memory.runners, replacement: memory.replacement };
  const question = pass && questionOf(facts, after.runners, after.replacement);
  const scaling = question && planScaling(question);
  const why = question ? whyTarget(question.scaling) : '';
  return {
    scaleSet: policy.name,
    at: facts.wallNow,
    phase,
    paused,
    reasons: [
      ...whyNotServing(facts),
      ...(question && scaling ? whyNotMore(policy.name, question.scaling, scaling, placement, now) : []),
      ...(question && scaling ? whyNotFewer(question, scaling) : []),
    ],
    steps: [
      ...(pass ? describePass(pass, memory.runners) : []),
      ...(scaling ? describeScaling(scaling, why, after.runners, policy, now) : []),
    ],
    placement: verdictsOf(placement, now),
    outdated: outdatedRunners(after.runners, policy),
    ...(question && scaling && { scaling: { ...question.scaling, ...scaling, why } }),
    ...(pass && { pass }),
  };
}

const PHASES: Readonly<Record<ScaleSetPhase, string>> = {
  starting: 'it is being looked up on GitHub',
  waiting_for_session: 'another daemon holds its session',
  listening: '',
  github_unreachable: 'GitHub does not answer',
  waiting_for_lead: 'this daemon does not hold the session of the first scale set',
  failed: 'GitHub has refused it',
};

function whyNotServing({ phase, phaseReason, pass, assignedJobs }: PlanFacts): readonly string[] {
  const lost = phase === 'starting' && phaseReason !== undefined;
  const what = (!lost && PHASES[phase]) || 'its session is not held';
  // The reason may begin with the same words, and say more.
  const said =
    phaseReason === undefined ? what : phaseReason.startsWith(what) ? phaseReason : `${what}: ${phaseReason}`;
  if (!pass) return [`nothing is begun while ${said}`];
  return assignedJobs === undefined ? ['GitHub has not told its number of jobs yet'] : [];
}

function questionOf(
  facts: PlanFacts,
  runners: ReadonlyMap<string, RunnerFacts>,
  replacement: Replacement | undefined,
): ScalingQuestion | undefined {
  const { policy, paused, minRunners, assignedJobs, doubted, creations, unseen, skip, placement, now } = facts;
  if (assignedJobs === undefined) return undefined;
  const all = [...runners.values()];
  const removing = all.filter((runner) => runner.removing).length;
  const suspects = all.filter((runner) => !runner.removing && isSuspect(runner, now)).length;
  const alive = all.length + creations.length;
  const by = replacement?.by;
  const underWay = by === undefined || runners.has(by) || creations.some(({ name }) => name === by);
  return {
    scaling: {
      paused,
      minRunners,
      maxRunners: policy.maxRunners,
      assignedJobs,
      doubted,
      spare: replacement !== undefined && !replacement.removedFirst && !paused && underWay,
      counts: { alive, able: alive - removing - suspects, removing, unseen },
    },
    placement,
    giveBack: {
      unsent: creations.filter(({ sent }) => !sent),
      sent: creations.filter(({ sent }) => sent).length,
      runners: all,
      revisions: new Map(policy.providers.map(({ name, revision }) => [name, revision])),
      skip,
    },
    now,
  };
}
