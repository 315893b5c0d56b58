import type { ScaleSetPolicy } from '@rungar/model';
import type { ProviderFacts } from '../decide/placement.js';
import { orderCandidates } from '../decide/placement.js';
import type { PlacementFacts } from '../decide/plan-scaling.js';
import { windowInForce, zoneReader } from '../decide/schedule.js';
import { targetOf } from '../decide/target.js';
import { planScaleSet } from '../explain/plan-scale-set.js';
import type { ScaleSetPlan } from '../explain/scale-set-plan.js';
import type { FleetProvider } from '../ports.js';
import type { Fleet } from './fleet.js';
import { previewPass } from './pass.js';
import type { Deps, ScaleSet } from './scale-set.js';

/** A configuration to plan under in place of the one that is in force. */
export interface PlannedChange {
  readonly scaleSet: ScaleSetPolicy;
  /** All providers of it. */
  readonly providers: readonly Pick<FleetProvider, 'name' | 'weight' | 'maxRunners' | 'disabled'>[];
}

/** What the next pass of a scale set would do, under its own configuration or another. Changes nothing. */
export async function previewScaleSet(set: ScaleSet, change?: PlannedChange): Promise<ScaleSetPlan> {
  const { deps } = set;
  const policy = change?.scaleSet ?? set.policy;
  const paused = policy.paused === set.policy.paused ? set.paused : policy.paused;
  const minRunners = minRunnersOf(policy, deps.clock.wallNow());
  const placement = placementUnder(deps.fleet, policy, change);
  const desired =
    set.assigned === undefined
      ? undefined
      : targetOf({ paused, minRunners, maxRunners: policy.maxRunners, assignedJobs: set.assigned });
  const { usable } = orderCandidates(placement.providers, placement.claimant, deps.clock.now(), placement.holdDown);
  const memory = { hasCandidate: usable.length > 0, ...(desired !== undefined && { desired }) };
  const pass = set.serving ? await previewPass(set, change ? { policy, memory } : {}) : undefined;
  return planScaleSet({
    policy,
    phase: set.phase,
    ...(set.phaseReason !== undefined && { phaseReason: set.phaseReason }),
    paused,
    minRunners,
    ...(set.assigned !== undefined && { assignedJobs: set.assigned }),
    doubted: set.doubted,
    memory: set.memory(),
    creations: [...set.creations.values()]
      .filter(({ cancel }) => !cancel.signal.aborted)
      .map(({ name, startedAt, sent }) => ({ name, startedAt, sent })),
    unseen: set.unseen,
    skip: new Set(),
    placement,
    ...(pass && { pass }),
    now: deps.clock.now(),
    wallNow: deps.clock.wallNow(),
  });
}

/** What a scale set that is not there yet would do at first, before GitHub has assigned it anything. */
export function previewNew(deps: Deps, change: PlannedChange): ScaleSetPlan {
  const policy = change.scaleSet;
  const now = deps.clock.now();
  const pass = {
    scaleSet: policy.name,
    at: now,
    providers: [],
    github: 'not_asked' as const,
    items: [],
    unreachable: {},
    orphans: {},
    forgetLeft: [],
    lookUps: [],
  };
  return planScaleSet({
    policy,
    phase: 'starting',
    paused: policy.paused,
    minRunners: minRunnersOf(policy, deps.clock.wallNow()),
    assignedJobs: 0,
    doubted: false,
    memory: { runners: new Map() },
    creations: [],
    unseen: 0,
    skip: new Set(),
    placement: placementUnder(deps.fleet, policy, change),
    pass,
    now,
    wallNow: deps.clock.wallNow(),
  });
}

function minRunnersOf({ schedule, minRunners }: ScaleSetPolicy, wallNow: number): number {
  const window = schedule && windowInForce(schedule, zoneReader(schedule.timeZone)(wallNow));
  return window?.minRunners ?? minRunners;
}

/** The facts of the providers, those of another configuration in place of the present ones. */
function placementUnder(fleet: Fleet, policy: ScaleSetPolicy, change: PlannedChange | undefined): PlacementFacts {
  const known = fleet.placementFacts(policy);
  if (!change) return known;
  const providers = policy.providers.flatMap(({ name }): readonly ProviderFacts[] => {
    const next = change.providers.find((provider) => provider.name === name);
    if (!next) return [];
    const now = known.providers.find((provider) => provider.name === name);
    const { weight, maxRunners } = next;
    if (!now) {
      const nothing = { unreachable: false, taken: 0, own: 0, claimed: 0 };
      return [{ ...nothing, name, weight, maxRunners, disabled: next.disabled }];
    }
    // What somebody disabled or enabled by hand stays so, unless the configuration changes just that.
    const changed = next.disabled !== fleet.state(name).config.disabled;
    return [{ ...now, weight, maxRunners, ...(changed && { disabled: next.disabled }) }];
  });
  return { ...known, providers };
}
