import { roundedDuration } from '@rungar/model';
import type { ProviderStatus, RunnerView, ScaleSetPhase, ScaleSetStatus } from '../status.js';
import { plural } from './plural.js';
import type { PlanStep, ScaleSetPlan } from './scale-set-plan.js';

/** How a scale set stands, in sentences: what it wants, what keeps it, who takes its runners. */
export function sayScaleSet(status: ScaleSetStatus, plan: ScaleSetPlan | undefined): readonly string[] {
  const { counts, phase, phaseReason, holdingBackReason, waitingJobs } = status;
  const standing = `${STANDING[phase]}${phase !== 'listening' && phaseReason ? `: ${phaseReason}` : ''}`;
  const has = counts
    ? `${counts.busy} busy, ${counts.idle} idle, ${counts.starting} starting, ${status.creating} being created`
    : 'its runners not known yet';
  const oldest = waitingJobs[0];
  return [
    `${standing}, with ${has}`,
    ...(plan?.scaling ? [`its target is ${plan.scaling.target}: ${plan.scaling.why}`] : []),
    ...(plan?.reasons ?? []),
    ...(holdingBackReason === '' ? [] : [holdingBackReason]),
    ...(oldest
      ? [
          waitingJobs.length === 1
            ? `1 of its jobs waits for a runner: ${oldest.displayName || oldest.jobId}`
            : `${waitingJobs.length} of its jobs wait for a runner, first ${oldest.displayName || oldest.jobId}`,
        ]
      : []),
    ...(plan?.placement ?? []).map(
      ({ provider, rank, why }) => `${provider}: ${rank === undefined ? why : `tried as number ${rank}, ${why}`}`,
    ),
    ...(plan?.steps ?? []).slice(0, STEPS).map(sayStep),
  ];
}

const STANDING: Readonly<Record<ScaleSetPhase, string>> = {
  starting: 'it is starting',
  waiting_for_lead: 'it waits for the session of the first scale set',
  waiting_for_session: 'it waits for its session',
  listening: 'it serves',
  github_unreachable: 'it does not reach GitHub',
  failed: 'it has failed',
};

/** How many steps of the next pass are told of a scale set. */
const STEPS = 5;

/** How a provider stands: whether it answers, who skips it and why, what it cannot delete. */
export function sayProvider(status: ProviderStatus): readonly string[] {
  const { name, runnerCount, maxRunners, hold, sameBackendAs } = status;
  const has =
    maxRunners === 0 ? plural(runnerCount, 'runner') : `${runnerCount} of at most ${plural(maxRunners, 'runner')}`;
  const atLimit = maxRunners > 0 && runnerCount >= maxRunners;
  return [
    status.reachable ? 'it answers' : `it does not answer: ${status.error ?? 'no reason is known'}`,
    `it has ${has}${atLimit ? ': it is at its limit' : ''}`,
    ...(status.disabled ? ['it is disabled: no runner is created there'] : []),
    ...(sameBackendAs === undefined ? [] : [`it is the same backend as ${sameBackendAs}, and is not used`]),
    ...(hold
      ? [
          `it is held for ${hold.scaleSet} (priority ${hold.priority}), which found no room, for another ` +
            roundedDuration(hold.remainingMs),
        ]
      : []),
    ...status.scaleSets.map(({ scaleSet, full, refusals, refusal, backoffForMs }) => {
      const next = backoffForMs === undefined ? 'tried as usual again' : `tried in ${roundedDuration(backoffForMs)}`;
      const row = refusals > 1 ? ` ${refusals} times in a row` : '';
      return `it refused ${scaleSet}${row} (${full ? 'full' : 'failing'}: ${refusal}); ${next}`;
    }),
    ...status.slowed.map(({ scaleSet, why }) => `${scaleSet} creates slowly on ${name}: ${why}`),
    ...status.undeletable.map(
      ({ runner, attempts, error }) =>
        `the machine of ${runner} could not be deleted in ${attempts} attempts: ${error}`,
    ),
  ];
}

/** How a runner stands on both sides, and what the next pass would do about it. */
export function sayRunner(view: RunnerView, plan: ScaleSetPlan | undefined): readonly string[] {
  const { name, provider, state, machineState, githubStatus, job } = view;
  const where = provider === '' ? 'it has no machine' : `its machine on ${provider} is ${machineState ?? 'unknown'}`;
  const github = githubStatus === undefined ? 'GitHub has not been asked since' : `GitHub shows it ${githubStatus}`;
  return [
    `it is ${state ?? 'not counted by this daemon'}; ${where}; ${github.replaceAll('_', ' ')}`,
    ...(job ? [`it runs ${job.displayName || job.id} of ${job.repository}`] : []),
    ...(plan?.steps ?? []).filter(({ runner }) => runner === name).map(sayStep),
  ];
}

function sayStep({ runner, what, why, provider }: PlanStep): string {
  const subject = runner === '' ? `on ${provider}` : runner;
  return `the next pass would ${what} (${subject}): ${why}`;
}
