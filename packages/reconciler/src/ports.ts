import type { OpenProvider } from '@rungar/model';

/** A provider the fleet may use, opened by whoever embeds the reconciler. */
export interface FleetProvider {
  readonly name: string;
  readonly type: string;
  /** Shown, never used. */
  readonly endpoint: string;
  /** Positive. */
  readonly weight: number;
  /** 0 is no limit. */
  readonly maxRunners: number;
  readonly disabled: boolean;
  readonly provider: OpenProvider;
}

/** Metrics with a count that only grows, by name (docs/reference/metrics.md). */
export type CounterName =
  | 'rungar_runners_created_total'
  | 'rungar_runners_removed_total'
  | 'rungar_runners_lost_total'
  | 'rungar_scale_up_failures_total'
  | 'rungar_jobs_started_total'
  | 'rungar_jobs_completed_total'
  | 'rungar_provider_calls_total';

/** What has a value at any moment (docs/reference/metrics.md). */
export type GaugeName =
  | 'rungar_runners_min'
  | 'rungar_runners_desired'
  | 'rungar_scale_set_paused'
  | 'rungar_scale_set_split'
  | 'rungar_runners_current'
  | 'rungar_jobs_assigned'
  | 'rungar_scale_set_last_poll_timestamp_seconds'
  | 'rungar_scale_set_last_reconcile_timestamp_seconds'
  | 'rungar_provider_reachable'
  | 'rungar_provider_runners';

/** What is measured in seconds, each time it happens (docs/reference/metrics.md). */
export type HistogramName =
  | 'rungar_job_wait_seconds'
  | 'rungar_job_runner_wait_seconds'
  | 'rungar_runner_create_duration_seconds'
  | 'rungar_runner_boot_duration_seconds'
  | 'rungar_reconcile_duration_seconds'
  | 'rungar_provider_call_duration_seconds';

/** The labels of a series; their names belong to its metric. */
export type MetricLabels = Readonly<Record<string, string>>;

/** Takes measurements; never waits and never throws. */
export interface Metrics {
  /** Counts up by 1, or by `by`. */
  add(name: CounterName, labels: MetricLabels, by?: number): void;
  /** Says what the value is now. */
  set(name: GaugeName, labels: MetricLabels, value: number): void;
  /** Takes a series away, so that it is absent rather than old. */
  unset(name: GaugeName, labels: MetricLabels): void;
  /** Takes one measurement. */
  observe(name: HistogramName, labels: MetricLabels, seconds: number): void;
}
