import { roundedDuration, type ScaleSetPolicy } from '@rungar/model';
import { isSkipped } from '../decide/backoff.js';
import type { RunnerFacts } from '../decide/facts.js';
import { describeExclusions, orderCandidates, type ProviderFacts } from '../decide/placement.js';
import type { PlacementFacts, ScalingFacts, ScalingPlan, ScalingQuestion } from '../decide/plan-scaling.js';
import { isSuspect } from '../decide/suspects.js';
import { plural } from './plural.js';
import type { OutdatedRunner, PlanStep, ProviderVerdict } from './scale-set-plan.js';

/** How the target came about, in one line. */
export function whyTarget(facts: ScalingFacts): string {
  const { paused, minRunners, maxRunners, assignedJobs, spare } = facts;
  if (paused) return 'it is paused: none is wanted';
  const wanted = minRunners + assignedJobs;
  const sum = `min_runners ${minRunners} + ${plural(assignedJobs, 'assigned job')} = ${wanted}`;
  const bound = wanted > maxRunners ? `, at its limit of max_runners ${maxRunners}` : '';
  return `${sum}${bound}${spare ? ', and one more that replaces another' : ''}`;
}

/** What keeps a scale set from having more runners; nothing while nothing does. */
export function whyNotMore(
  scaleSet: string,
  facts: ScalingFacts,
  plan: ScalingPlan,
  placement: PlacementFacts,
  now: number,
): readonly string[] {
  const { paused, assignedJobs, minRunners, maxRunners, doubted, counts } = facts;
  const reasons: string[] = [];
  if (paused) reasons.push('it is paused: jobs wait on GitHub until it is resumed');
  if (assignedJobs === 0) reasons.push('GitHub has assigned nothing to it');
  if (!paused && minRunners + assignedJobs > maxRunners)
    reasons.push(`it is at its limit of ${plural(maxRunners, 'runner')} (max_runners)`);
  if (doubted) reasons.push("GitHub's number of jobs contradicts its message, so nobody is given back for now");
  if (counts.unseen > 0)
    reasons.push(
      `GitHub has ${plural(counts.unseen, 'runner')} of it that no provider lists; while a provider does not ` +
        'answer, nothing is created instead',
    );
  if (plan.placed.length < plan.create) {
    const { excluded } = orderCandidates(placement.providers, placement.claimant, now, placement.holdDown);
    const left = plan.create - plan.placed.length;
    reasons.push(
      plan.placed.length === 0
        ? describeExclusions(scaleSet, excluded)
        : `${left} more cannot be placed now: the providers would be at their limits`,
    );
  }
  return reasons;
}

/** Why fewer go than are too many; nothing where all of them do. */
export function whyNotFewer({ scaling, giveBack }: ScalingQuestion, plan: ScalingPlan): readonly string[] {
  const staying = plan.giveBack - plan.cancel.length - plan.remove.length;
  if (staying <= 0 || scaling.doubted) return [];
  const created = Math.min(staying, giveBack.sent);
  const busy = staying - created;
  const reasons: string[] = [];
  if (busy > 0)
    reasons.push(
      `${busy} of the ${plan.giveBack} too many ${busy === 1 ? 'has a job and goes after it' : 'have jobs and go after them'}`,
    );
  if (created > 0)
    reasons.push(`${created} of the ${plan.giveBack} too many ${created === 1 ? 'is' : 'are'} still being created`);
  return reasons;
}

/** What the scaling decision would begin. */
export function describeScaling(
  plan: ScalingPlan,
  why: string,
  runners: ReadonlyMap<string, RunnerFacts>,
  policy: ScaleSetPolicy,
  now: number,
): readonly PlanStep[] {
  const { target, create } = plan;
  const steps: PlanStep[] = plan.placed.map((provider) => ({
    do: 'create',
    runner: '',
    provider,
    what: 'create a runner',
    why: `${create} missing: ${why}`,
    facts: { target: String(target), size: policy.providers.find(({ name }) => name === provider)?.size ?? '' },
  }));
  for (const runner of plan.cancel) {
    const what = 'undo its creation';
    const because = 'it is not wanted any more, and no provider has been asked';
    steps.push({ do: 'cancel', runner, provider: '', what, why: because, facts: { target: String(target) } });
  }
  for (const name of plan.remove) steps.push(giveBackStep(name, plan, why, runners.get(name), policy, now));
  return steps;
}

function giveBackStep(
  name: string,
  { target, giveBack }: ScalingPlan,
  why: string,
  runner: RunnerFacts | undefined,
  policy: ScaleSetPolicy,
  now: number,
): PlanStep {
  const provider = runner?.place.provider ?? '';
  const current = policy.providers.find((one) => one.name === provider)?.revision;
  const first = !runner
    ? ''
    : isSuspect(runner, now)
      ? 'it is under suspicion'
      : runner.state === 'starting'
        ? 'it has not connected yet'
        : runner.revision !== current
          ? 'it is of another revision'
          : 'it is the oldest idle one';
  const age = runner?.createdAt === undefined ? undefined : roundedDuration(Math.max(0, now - runner.createdAt));
  return {
    do: 'give_back',
    runner: name,
    provider,
    what: 'give it back, its registration first',
    why: `${giveBack} too many (${why})${first === '' ? '' : `; ${first}`}`,
    facts: {
      target: String(target),
      ...(runner && { state: runner.state, revision: runner.revision }),
      ...(age !== undefined && { age }),
    },
  };
}

/** Each provider's verdict, in the order of trying; those that are not tried come last. */
export function verdictsOf({ providers, claimant, holdDown }: PlacementFacts, now: number): readonly ProviderVerdict[] {
  const { usable, excluded } = orderCandidates(providers, claimant, now, holdDown);
  const tried = usable.map((provider, index): ProviderVerdict => {
    const why = `${provider.own} of its runners, weight ${provider.weight}`;
    return { ...sizeOf(provider), rank: index + 1, kind: 'usable', why };
  });
  const others = excluded.flatMap(({ provider: name, exclusion }): readonly ProviderVerdict[] => {
    const provider = providers.find((one) => one.name === name);
    if (!provider) return [];
    return [{ ...sizeOf(provider), kind: exclusion.kind, why: `${exclusion.reason}${nextTry(provider, now)}` }];
  });
  return [...tried, ...others];
}

function nextTry({ backoff }: ProviderFacts, now: number): string {
  return isSkipped(backoff, now) ? `, tried again in ${roundedDuration(backoff.skipUntil - now)}` : '';
}

function sizeOf({ name, taken, maxRunners, weight }: ProviderFacts) {
  return { provider: name, taken, maxRunners, weight };
}

/** The runners of another revision than the policy makes now. */
export function outdatedRunners(
  runners: ReadonlyMap<string, RunnerFacts>,
  policy: ScaleSetPolicy,
): readonly OutdatedRunner[] {
  const revisions = new Map(policy.providers.map(({ name, revision }) => [name, revision]));
  return [...runners.values()].flatMap(({ name, place, state, githubStatus, revision }): readonly OutdatedRunner[] => {
    const current = revisions.get(place.provider);
    if (revision === current) return [];
    return [
      {
        runner: name,
        provider: place.provider,
        state,
        ...(githubStatus && { githubStatus }),
        oldRevision: revision,
        ...(current !== undefined && { newRevision: current }),
      },
    ];
  });
}
