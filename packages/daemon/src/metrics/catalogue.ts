import type { CounterName, GaugeName, HistogramName } from '@rungar/reconciler';

/** For what takes as long as a machine or a queue does, in seconds. */
const WAIT = [5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1800] as const;

/** For what takes as long as a call does, in seconds. */
const CALL = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] as const;

interface MetricShape {
  readonly help: string;
  readonly labels: readonly string[];
}

interface HistogramShape extends MetricShape {
  readonly buckets: readonly number[];
}

type OwnCounterName = 'rungar_github_requests_total' | 'rungar_events_dropped_total' | 'rungar_machine_hours_total';

/** Counters: the reconciler's, and the daemon's own. */
export const COUNTERS = {
  rungar_github_requests_total: {
    help: 'Requests sent to GitHub, repetitions included, by the status of the answer.',
    labels: ['code'],
  },
  rungar_runners_created_total: { help: 'Runners created.', labels: ['scale_set', 'provider'] },
  rungar_runners_removed_total: {
    help: 'Runners removed, by reason. The provider is empty for a registration without a machine.',
    labels: ['scale_set', 'provider', 'reason'],
  },
  rungar_runners_lost_total: {
    help: 'Runners whose machine ended by itself or became unreachable.',
    labels: ['scale_set', 'provider', 'reason'],
  },
  rungar_scale_up_failures_total: {
    help: 'Runners that were wanted and could not be created.',
    labels: ['scale_set', 'reason'],
  },
  rungar_jobs_started_total: { help: 'Jobs taken by runners.', labels: ['scale_set'] },
  rungar_jobs_completed_total: { help: 'Jobs finished, by result.', labels: ['scale_set', 'result'] },
  rungar_provider_calls_total: {
    help: 'Calls to providers, by outcome. Cancelled calls are left out.',
    labels: ['provider', 'call', 'result'],
  },
  rungar_events_dropped_total: {
    help: 'Events that the file did not take as they came, since the disk was too slow; it gets them when it is rewritten.',
    labels: [],
  },
  rungar_machine_hours_total: {
    help: 'How long machines have stood since the daemon started, in hours.',
    labels: ['scale_set', 'provider'],
  },
} as const satisfies Record<CounterName | OwnCounterName, MetricShape>;

type OwnGaugeName =
  | 'rungar_build_info'
  | 'rungar_start_time_seconds'
  | 'rungar_event_file_failing'
  | 'rungar_github_rate_limit'
  | 'rungar_github_rate_limit_remaining'
  | 'rungar_github_token_expiry_timestamp_seconds'
  | 'rungar_github_credential_expiry_timestamp_seconds'
  | 'rungar_scale_set_role'
  | 'rungar_scale_set_session_start_timestamp_seconds'
  | 'rungar_provider_backoff_seconds'
  | 'rungar_runners_by_version'
  | 'rungar_runner_version_end_timestamp_seconds';

/** Gauges: the reconciler's, and the daemon's own. */
export const GAUGES = {
  rungar_build_info: { help: 'Always 1: what is running.', labels: ['version', 'commit', 'node_version'] },
  rungar_start_time_seconds: { help: 'When the daemon started, in Unix seconds.', labels: [] },
  rungar_event_file_failing: { help: '1 while events are kept in memory only.', labels: [] },
  rungar_github_rate_limit: {
    help: "Requests that GitHub's REST API allows in a window; absent while not known.",
    labels: [],
  },
  rungar_github_rate_limit_remaining: {
    help: 'How many of them are left in the present window; absent while not known.',
    labels: [],
  },
  rungar_github_token_expiry_timestamp_seconds: {
    help: "When the App's present token expires, in Unix seconds. It is renewed before.",
    labels: [],
  },
  rungar_github_credential_expiry_timestamp_seconds: {
    help: 'When the personal access token itself expires, in Unix seconds. Nobody renews it; absent where it has no end.',
    labels: [],
  },
  rungar_scale_set_role: {
    help: 'Always 1: whether its session is the one others depend on, one of those, or held by nobody here.',
    labels: ['scale_set', 'role'],
  },
  rungar_scale_set_session_start_timestamp_seconds: {
    help: 'When its session was opened, in Unix seconds; absent while none is held.',
    labels: ['scale_set'],
  },
  rungar_provider_backoff_seconds: {
    help: 'How long the scale set still skips the provider after refusals; absent while it is tried.',
    labels: ['scale_set', 'provider'],
  },
  rungar_runners_by_version: {
    help: 'Runners there are, by the version of the runner program, of those GitHub has told it of.',
    labels: ['scale_set', 'version'],
  },
  rungar_runner_version_end_timestamp_seconds: {
    help: 'When GitHub stops giving jobs to that version, which runners here have, in Unix seconds; absent while it has named no day.',
    labels: ['version'],
  },
  rungar_runners_min: { help: 'The minimum of runners in force.', labels: ['scale_set'] },
  rungar_runners_desired: { help: 'Runners wanted by the latest decision; 0 while paused.', labels: ['scale_set'] },
  rungar_scale_set_paused: { help: '1 while the scale set takes no jobs.', labels: ['scale_set'] },
  rungar_scale_set_split: {
    help: '1 while another daemon serves it, for over three minutes now, and this one leads.',
    labels: ['scale_set'],
  },
  rungar_runners_current: { help: 'Runners there are, by state.', labels: ['scale_set', 'state'] },
  rungar_jobs_assigned: { help: 'Jobs assigned to the scale set, running ones included.', labels: ['scale_set'] },
  rungar_scale_set_last_poll_timestamp_seconds: {
    help: "When GitHub last answered the scale set's poll, in Unix seconds.",
    labels: ['scale_set'],
  },
  rungar_scale_set_last_reconcile_timestamp_seconds: {
    help: 'When the last pass ended whose listing worked, fully or in part, in Unix seconds.',
    labels: ['scale_set'],
  },
  rungar_provider_reachable: { help: '1 while the provider can be listed.', labels: ['provider'] },
  rungar_provider_runners: { help: 'Runners on the provider; absent when none.', labels: ['scale_set', 'provider'] },
} as const satisfies Record<GaugeName | OwnGaugeName, MetricShape>;

export const HISTOGRAMS = {
  rungar_job_wait_seconds: {
    help: 'From when a job was queued until a runner took it.',
    labels: ['scale_set'],
    buckets: WAIT,
  },
  rungar_job_runner_wait_seconds: {
    help: 'From when a job was assigned to the scale set until a runner took it.',
    labels: ['scale_set'],
    buckets: WAIT,
  },
  rungar_runner_create_duration_seconds: {
    help: 'How long the provider took to create a machine; successes only.',
    labels: ['scale_set', 'provider'],
    buckets: CALL,
  },
  rungar_runner_boot_duration_seconds: {
    help: "From a machine's creation until its runner connected.",
    labels: ['scale_set', 'provider'],
    buckets: WAIT,
  },
  rungar_reconcile_duration_seconds: { help: 'How long a pass took.', labels: ['scale_set'], buckets: CALL },
  rungar_provider_call_duration_seconds: {
    help: 'How long a call to the provider took, whatever came of it. Cancelled calls are left out.',
    labels: ['provider', 'call'],
    buckets: CALL,
  },
} as const satisfies Record<HistogramName, HistogramShape>;

/** The results a job can have, as a metric's word: whatever else GitHub says is `other`. */
export const JOB_RESULTS = ['succeeded', 'failed', 'canceled', 'skipped', 'abandoned', 'other'] as const;

/** The states a runner can be in. */
export const RUNNER_STATES = ['starting', 'idle', 'busy'] as const;

/** Why a runner could not be created. */
export const SCALE_UP_FAILURES = ['no_capacity', 'error'] as const;

/** GitHub's word for a job's result as one of a fixed few, so that the number of series stays fixed. */
export function toResultWord(result: string): (typeof JOB_RESULTS)[number] {
  const word = result.toLowerCase();
  return JOB_RESULTS.find((known) => known === word) ?? 'other';
}

/** An answer's status as a label: `100` to `599`, else `error`. */
export function toCodeWord(code: number | 'error'): string {
  return typeof code === 'number' && Number.isInteger(code) && code >= 100 && code <= 599 ? String(code) : 'error';
}
