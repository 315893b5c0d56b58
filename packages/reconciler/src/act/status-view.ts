import type { RunnerState } from '@rungar/model';
import { isSkipped } from '../decide/backoff.js';
import { describeBrake, isBraked } from '../decide/brake.js';
import { holdInForce } from '../decide/holds.js';
import { describeDays, describeTime, windowInForce } from '../decide/schedule.js';
import type { ProviderStatus, RunnerCounts, ScaleSetStatus } from '../status.js';
import { minRunnersNow } from './decision.js';
import type { ProviderState } from './provider-state.js';
import type { RunnerBook } from './runners.js';
import type { ScaleSet } from './scale-set.js';

/** A scale set for people and programs. Asks nobody. */
export function scaleSetStatus(set: ScaleSet): ScaleSetStatus {
  const { policy } = set;
  const schedule = scheduleStatus(set);
  return {
    name: set.name,
    labels: policy.labels,
    providers: policy.providers.map(({ name }) => name),
    placement: policy.placement,
    runnerSizes: policy.providers.map(({ name, size }) => ({ provider: name, size })),
    minRunners: minRunnersNow(set).minRunners,
    configuredMinRunners: policy.minRunners,
    maxRunners: policy.maxRunners,
    priority: policy.priority,
    runnerGroup: policy.runnerGroup,
    phase: set.phase,
    ...(set.phaseReason !== undefined && { phaseReason: set.phaseReason }),
    phaseSince: toWall(set, set.phaseSince),
    ...(set.retryAt !== undefined && { retryAt: toWall(set, set.retryAt) }),
    role: set.session?.role ?? 'standby',
    ...(set.session && { sessionSince: toWall(set, set.session.since) }),
    paused: set.paused,
    configuredPaused: policy.paused,
    ...(set.desired !== undefined && { desired: set.desired }),
    ...(set.serving && { counts: { ...set.book.counts }, countsByProvider: countsByProvider(set.book) }),
    runnerVersions: runnerVersions(set.book),
    creating: set.wantedCreations,
    suspects: set.suspects,
    ...(set.assigned !== undefined && { assignedJobs: set.assigned }),
    waitingJobs: [...set.waitingJobs.values()],
    holdingBackReason: holdingBack(set),
    waiting: [...set.waits].map(([runner, why]) => ({ runner, why })),
    ...(schedule && { schedule }),
  };
}

function countsByProvider({ runners }: RunnerBook): Record<string, RunnerCounts> {
  const counts = new Map<string, Record<RunnerState, number>>();
  for (const { place, state } of runners.values()) {
    const here = counts.get(place.provider) ?? { starting: 0, idle: 0, busy: 0 };
    here[state]++;
    counts.set(place.provider, here);
  }
  return Object.fromEntries(counts);
}

function runnerVersions({ runners }: RunnerBook): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { version } of runners.values())
    if (version !== undefined) counts.set(version, (counts.get(version) ?? 0) + 1);
  return Object.fromEntries(counts);
}

export function providerStatus(
  state: ProviderState,
  sets: readonly ScaleSet[],
  now: number,
  holdDown: number,
): ProviderStatus {
  const { config, hold } = state;
  return {
    name: config.name,
    type: config.type,
    endpoint: config.endpoint,
    weight: config.weight,
    maxRunners: config.maxRunners,
    disabled: state.disabled || state.sameAs !== undefined,
    configuredDisabled: config.disabled,
    ...(state.retired && { retired: true as const }),
    ...(state.sameAs !== undefined && { sameBackendAs: state.sameAs }),
    reachable: state.reachable,
    ...(state.error !== undefined && { error: state.error }),
    runnerCount: sets.reduce((count, { book }) => count + book.placesOn(config.name), 0),
    ...(holdInForce(hold, now, holdDown) && {
      hold: { scaleSet: hold.scaleSet, priority: hold.priority, remainingMs: holdDown - (now - hold.since) },
    }),
    scaleSets: [...state.backoffs].map(([scaleSet, backoff]) => ({
      scaleSet,
      ...(isSkipped(backoff, now) && { backoffForMs: backoff.skipUntil - now }),
      refusals: backoff.refusals,
      refusal: backoff.refusal,
      full: backoff.full,
    })),
    slowed: [...state.brakes]
      .filter(([, brake]) => isBraked(brake))
      .map(([scaleSet, brake]) => ({
        scaleSet,
        why: describeBrake(brake),
        nextTryInMs: Math.max(0, brake.tryAgainAt - now),
      })),
    undeletable: undeletableOn(config.name, sets),
  };
}

function undeletableOn(provider: string, sets: readonly ScaleSet[]): ProviderStatus['undeletable'] {
  return sets
    .flatMap(({ book }) => [...book.leaving.values()])
    .filter(
      ({ runner, deleted, deleteFailures }) => runner.place.provider === provider && !deleted && deleteFailures > 0,
    )
    .map(({ runner, deleteFailures, lastError }) => ({
      runner: runner.name,
      attempts: deleteFailures,
      error: lastError ?? '',
    }))
    .sort((a, b) => b.attempts - a.attempts);
}

function holdingBack({ name, policy, deps }: ScaleSet): string {
  const now = deps.clock.now();
  const { excluded } = deps.fleet.candidates(policy);
  return excluded
    .filter(({ exclusion }) => exclusion.kind === 'held')
    .map(({ provider }) => {
      const { hold } = deps.fleet.state(provider);
      return holdInForce(hold, now, deps.fleet.holdDown)
        ? `${name} leaves ${provider} to ${hold.scaleSet}, which waits for room there`
        : '';
    })
    .join('; ');
}

function scheduleStatus(set: ScaleSet): ScaleSetStatus['schedule'] {
  const { schedule } = set.policy;
  if (!schedule || !set.zone) return undefined;
  const inForce = windowInForce(schedule, set.zone(set.deps.clock.wallNow()));
  return {
    timeZone: schedule.timeZone,
    windows: schedule.windows.map((window) => ({
      days: describeDays(window.days),
      from: describeTime(window.from),
      to: describeTime(window.to),
      minRunners: window.minRunners,
      inForce: window === inForce,
    })),
  };
}

/** An instant of our own clock on the wall clock. */
const toWall = ({ deps }: ScaleSet, instant: number): number => deps.clock.wallNow() - (deps.clock.now() - instant);
