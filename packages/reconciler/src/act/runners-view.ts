import { LABEL } from '@rungar/labels';
import { type GitHubStatus, messageOf, type RunnerStatuses } from '@rungar/model';
import { isConnected, type SeenMachine } from '../decide/facts.js';
import { answerFor } from '../decide/github-status.js';
import type { RunnersView, RunnerView } from '../status.js';
import { machinesOf } from './listed-fleet.js';
import type { ProviderListing } from './observe.js';
import { GITHUB_LIMIT_MS } from './registration.js';
import type { Runner } from './runners.js';
import type { Deps, ScaleSet } from './scale-set.js';
import { withLimit } from './time-limit.js';

/**
 * Every runner of this installation, from a listing taken now, with GitHub's view of each.
 * @throws RungarError `not_found` for a provider nobody configured
 */
export async function viewRunners(
  deps: Deps,
  sets: ReadonlyMap<string, ScaleSet>,
  filter: { scaleSet?: string; provider?: string },
  signal: AbortSignal,
): Promise<RunnersView> {
  const [listings, github] = await Promise.all([list(deps, filter.provider, signal), statusesNow(deps, signal)]);
  const runners: RunnerView[] = [];
  const unreachable: Record<string, string> = {};
  for (const { provider, byScaleSet } of listings) {
    const error = provider.error ?? provider.parts.find((part) => part.error !== undefined)?.error;
    if (error !== undefined) unreachable[provider.name] = error;
    for (const [scaleSet, groups] of byScaleSet) {
      if (filter.scaleSet !== undefined && filter.scaleSet !== scaleSet) continue;
      for (const seen of machinesOf(groups).values()) runners.push(viewOf(scaleSet, seen, sets.get(scaleSet), github));
    }
  }
  runners.sort((a, b) => compare(a.scaleSet, b.scaleSet) || compare(a.name, b.name));
  return { runners, unreachable, ...('error' in github && { githubError: github.error }) };
}

function list(
  { fleet, listings, clock }: Deps,
  provider: string | undefined,
  signal: AbortSignal,
): Promise<readonly ProviderListing[]> {
  const wish = { begunAfter: clock.now(), signal };
  if (provider === undefined) return listings.all(wish);
  fleet.require(provider);
  return listings.one(provider, wish).then((one) => [one]);
}

/** GitHub's listing of all runners, or why there is none. */
export type GitHubView = RunnerStatuses | { readonly error: string };

export async function statusesNow({ github, clock }: Deps, signal?: AbortSignal): Promise<GitHubView> {
  try {
    return await withLimit(clock, GITHUB_LIMIT_MS, 'listing of runners at GitHub', signal, (inner) =>
      github.runnerStatuses({ signal: inner }),
    );
  } catch (error) {
    signal?.throwIfAborted();
    return { error: messageOf(error) };
  }
}

/** One machine as a runner, with what is known of it. */
export function viewOf(
  scaleSet: string,
  { provider, machine }: SeenMachine,
  set: ScaleSet | undefined,
  github: GitHubView,
): RunnerView {
  const { name, labels, size, createdAt } = machine;
  const runner = set?.book.runners.get(name);
  const githubStatus = 'error' in github ? undefined : statusOf(name, runner, github);
  const version = runner?.version ?? ('error' in github ? undefined : github.runners.get(name)?.version);
  return {
    name,
    scaleSet,
    provider,
    ...(runner && { state: runner.state }),
    machineState: machine.state,
    ...(githubStatus && { githubStatus }),
    ...(version !== undefined && { version }),
    ...(createdAt !== undefined && { createdAt }),
    size: runner?.size || size,
    revision: labels[LABEL.revision] ?? '',
    adopted: runner?.adopted ?? false,
    ...(runner?.job && { job: runner.job }),
  };
}

/** What the listing shows of a runner. It is silent on what happened after it was begun. */
function statusOf(name: string, runner: Runner | undefined, statuses: RunnerStatuses): GitHubStatus | undefined {
  if (!runner) return statuses.runners.get(name)?.status ?? 'not_registered';
  const answer = answerFor(runner, statuses);
  if (!answer || isConnected(answer.status)) return answer?.status;
  return runner.connectedAt !== undefined && runner.connectedAt > answer.at ? undefined : answer.status;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
