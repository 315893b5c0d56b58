import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ConfigChange } from '@rungar/config';
import type { ScaleSetPlan, ScaleSetStatus } from '@rungar/reconciler';
import type { ConfigurationChangeSchema, ScaleSetPlanSchema } from '../../gen/rungar/v1/rungar_pb.js';
import { PHASES, STATES, toTimestamp } from './messages.js';

/** What a scale set is to another configuration. */
export type PlannedAs = 'configured' | 'added' | 'removed';

export function toPlan(
  plan: ScaleSetPlan,
  status: PlannedAs,
  counts: ScaleSetStatus['counts'],
): MessageInitShape<typeof ScaleSetPlanSchema> {
  const { scaling, pass } = plan;
  const silent = (pass?.providers ?? []).flatMap(({ name, error }) => (error === undefined ? [] : [[name, error]]));
  return {
    scaleSet: plan.scaleSet,
    time: toTimestamp(plan.at),
    status,
    phase: PHASES[plan.phase],
    paused: plan.paused,
    reasons: [...plan.reasons],
    ...(scaling && {
      scaling: {
        target: scaling.target,
        current: scaling.counts.alive,
        able: scaling.counts.able,
        create: scaling.create,
        giveBack: scaling.giveBack,
        minRunners: scaling.minRunners,
        maxRunners: scaling.maxRunners,
        assignedJobs: scaling.assignedJobs,
        why: scaling.why,
      },
    }),
    placement: plan.placement.map(({ provider, rank = 0, kind, why, taken, maxRunners, weight }) => ({
      ...{ provider, rank, verdict: kind, why, runners: taken, maxRunners, weight },
    })),
    steps: plan.steps.map((step) => ({ ...step, facts: { ...step.facts } })),
    outdated: plan.outdated.map(({ runner, provider, state, oldRevision, newRevision = '' }) => ({
      ...{ runner, provider, state: STATES[state], oldRevision, newRevision },
    })),
    ...(counts && { runnerCounts: counts }),
    unreachableProviders: Object.fromEntries(silent),
  };
}

/** A scale set that another configuration leaves out. */
export function toRemovedPlan(status: ScaleSetStatus, now: number): MessageInitShape<typeof ScaleSetPlanSchema> {
  const { name, counts } = status;
  const left = counts ? counts.busy + counts.idle + counts.starting : 0;
  const why = 'the other configuration does not have it';
  const facts = { runners: String(left), busy: String(counts?.busy ?? 0) };
  return {
    scaleSet: name,
    time: toTimestamp(now),
    status: 'removed',
    phase: PHASES[status.phase],
    paused: status.paused,
    steps: [
      { do: 'close_session', what: 'close its session, so that its jobs wait on GitHub', why },
      ...(left > 0
        ? [{ do: 'leave', what: `leave its ${left} runners where they are: they become leftovers`, why, facts }]
        : []),
    ],
    ...(counts && { runnerCounts: counts }),
  };
}

export function toConfigurationChange(change: ConfigChange): MessageInitShape<typeof ConfigurationChangeSchema> {
  const { kind, applies, scaleSet = '', provider = '' } = change;
  const shared = { kind, applies, scaleSet, provider };
  switch (change.kind) {
    case 'runners_outdated':
      return { ...shared, oldRevision: change.oldRevision, newRevision: change.newRevision, keys: [...change.keys] };
    case 'value_changed': {
      const { key, from, to } = change;
      return { ...shared, key, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    }
    default:
      return shared;
  }
}
