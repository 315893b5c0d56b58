import type { ScaleSetAnswer, StatusAnswer } from '../control/answers.js';
import { providerRunners, providerStatus } from './providers.js';
import { createdAt, runnerState } from './runners.js';
import { scaleSetStatus } from './scale-sets.js';
import { styleFor } from './style.js';

/** What `rungar top --json` prints. Zero values stay. */
export interface TopDocument {
  /** When it was so; RFC 3339. */
  readonly time: string;
  readonly version: string;
  readonly scale_sets: readonly TopScaleSet[];
  readonly providers: readonly { readonly name: string; readonly status: string; readonly runners: string }[];
  /** Whoever pauses before it tries again, the next one first. */
  readonly backoffs: readonly TopBackoff[];
  /** Jobs that no runner has taken, the longest wait first. */
  readonly waiting_jobs: readonly TopJob[];
  /** Starting ones, then those with a job, then idle ones; the oldest of each first. */
  readonly runners: readonly TopRunner[];
  /** Providers that could not be listed, and GitHub, and why. */
  readonly unanswered: Readonly<Record<string, string>>;
}

export interface TopScaleSet {
  readonly name: string;
  readonly status: string;
  /** Assigned by GitHub, those that run included. */
  readonly assigned_jobs: number;
  readonly waiting_jobs: number;
  /** Of a waiting job, since it was queued; null where none waits or GitHub did not say. */
  readonly longest_wait_seconds: number | null;
  readonly starting: number;
  readonly idle: number;
  readonly busy: number;
  readonly desired_runners: number;
  readonly max_runners: number;
}

export interface TopBackoff {
  /** A scale set, a provider, or one at the other. */
  readonly who: string;
  readonly why: string;
  readonly next_try_seconds: number;
}

export interface TopJob {
  readonly scale_set: string;
  readonly repository: string;
  readonly name: string;
  readonly wait_seconds: number | null;
}

export interface TopRunner {
  readonly name: string;
  readonly provider: string;
  readonly state: string;
  /** Since it was created; null where nobody knows. */
  readonly age_seconds: number | null;
  /** Of its job; null without one. */
  readonly job_seconds: number | null;
  readonly job: string;
}

/**
 * What a person watches: the queue, runners, waits and back-offs.
 * @param answeredAt when the daemon said so; back-offs have gone on since
 * @param now both in epoch milliseconds by the wall clock
 */
export function topDocument(status: StatusAnswer, answeredAt: number, now: number): TopDocument {
  const { daemon = {}, scale_sets: scaleSets = [], providers = [], runners = [] } = status;
  const { unreachable_providers: unreachable = {} } = status;
  return {
    time: new Date(now).toISOString(),
    version: daemon.version ?? '',
    scale_sets: scaleSets.map((one) => scaleSetOf(one, now)),
    providers: providers.map((one) => ({
      ...{ name: one.name ?? '', status: providerStatus(one, PLAIN), runners: providerRunners(one) },
    })),
    backoffs: backoffsOf(status, now - answeredAt, now).sort((a, b) => a.next_try_seconds - b.next_try_seconds),
    waiting_jobs: scaleSets
      .flatMap(({ name = '', waiting_jobs: jobs = [] }) =>
        jobs.map((job) => ({
          ...{ scale_set: name, repository: job.repository ?? '', name: job.display_name || (job.id ?? '') },
          wait_seconds: secondsSince(job.queue_time, now),
        })),
      )
      .sort((a, b) => (b.wait_seconds ?? 0) - (a.wait_seconds ?? 0)),
    runners: [...runners]
      .sort((a, b) => rank(a.state) - rank(b.state) || (createdAt(a) ?? 0) - (createdAt(b) ?? 0))
      .map(({ name = '', provider = '', state, create_time: created, job }) => ({
        ...{ name, provider, state: runnerState(state) },
        age_seconds: secondsSince(created, now),
        job_seconds: secondsSince(job?.start_time, now),
        job: job ? [job.repository, job.display_name || job.id].filter(Boolean).join(': ') : '',
      })),
    unanswered: { ...unreachable, ...(daemon.github?.error && { GitHub: daemon.github.error }) },
  };
}

const PLAIN = styleFor({ write: () => true }, {});

function scaleSetOf(one: ScaleSetAnswer, now: number): TopScaleSet {
  const { runner_counts: counts = {}, waiting_jobs: waiting = [], assigned_jobs: assigned = 0 } = one;
  const { starting = 0, idle = 0, busy = 0 } = counts;
  const waits = waiting.flatMap((job) => secondsSince(job.queue_time, now) ?? []);
  return {
    ...{ name: one.name ?? '', status: scaleSetStatus(one, PLAIN).word, assigned_jobs: assigned },
    // Messages name no more than so many jobs; the number of those assigned is always right.
    waiting_jobs: Math.max(waiting.length, assigned - busy, 0),
    longest_wait_seconds: waits.length > 0 ? Math.max(...waits) : null,
    ...{ starting, idle, busy },
    ...{ desired_runners: one.desired_runners ?? 0, max_runners: one.max_runners ?? 0 },
  };
}

function backoffsOf({ scale_sets: scaleSets = [], providers = [] }: StatusAnswer, passed: number, now: number) {
  const left = (duration: string | undefined): number =>
    atLeastZero(Number.parseFloat(duration ?? '0') - passed / 1000);
  const until = (at: string): number => atLeastZero((Date.parse(at) - now) / 1000);
  return [
    ...[...scaleSets, ...providers].flatMap(({ name = '', state_reason: why = '', retry_at: at }): TopBackoff[] =>
      at === undefined ? [] : [{ who: name, why, next_try_seconds: until(at) }],
    ),
    ...providers.flatMap(({ name, scale_sets: uses = [] }) =>
      uses.flatMap(({ scale_set: scaleSet, backoff_for: backoff, full, refusal }): TopBackoff[] =>
        backoff === undefined
          ? []
          : [
              {
                who: `${scaleSet} at ${name}`,
                why: [full ? 'full' : 'failing', refusal].filter(Boolean).join(': '),
                next_try_seconds: left(backoff),
              },
            ],
      ),
    ),
    ...providers.flatMap(({ name, hold }): TopBackoff[] =>
      hold ? [{ who: `${name}`, why: `held for ${hold.scale_set}`, next_try_seconds: left(hold.remaining) }] : [],
    ),
  ];
}

const STATES = ['RUNNER_STATE_STARTING', 'RUNNER_STATE_BUSY', 'RUNNER_STATE_IDLE'];

function rank(state: string | undefined): number {
  const at = STATES.indexOf(state ?? '');
  return at === -1 ? STATES.length : at;
}

function secondsSince(time: string | undefined, now: number): number | null {
  return time === undefined ? null : atLeastZero((now - Date.parse(time)) / 1000);
}

function atLeastZero(value: number): number {
  return Math.max(0, value);
}
