import type { GitHubStanding } from '@rungar/github';
import type { MetricLabels, Metrics, ProviderStatus, ScaleSetStatus } from '@rungar/reconciler';
import type { VersionUse } from '../runner-versions.js';
import {
  COUNTERS,
  GAUGES,
  HISTOGRAMS,
  JOB_RESULTS,
  RUNNER_STATES,
  SCALE_UP_FAILURES,
  toCodeWord,
  toResultWord,
} from './catalogue.js';

/** What the daemon measures. */
export interface DaemonMetrics extends Metrics {
  /** Every request to GitHub, with the status of its answer, or `error` where there was none. */
  countGitHubRequest(code: number | 'error'): void;
  /** Whether the provider's last answer came. */
  setProviderReachable(provider: string, reachable: boolean): void;
  /** Whether the last write to the event file failed. */
  setEventFileFailing(failing: boolean): void;
  /** One event that a follower was too slow for. */
  countDroppedEvent(): void;
  /** Adds what machines of a scale set have run with a provider, in hours. */
  addMachineHours(scaleSet: string, provider: string, hours: number): void;
  /** Measures by level how everything stands now: a series that has nothing to show is taken away. */
  show(levels: Levels): void;
  /** Scale sets whose series are to be there from now on; those that have theirs keep them. */
  begin(scaleSets: readonly string[]): void;
}

/** How a daemon stands. */
export interface Levels {
  readonly github: GitHubStanding;
  readonly scaleSets: readonly Pick<ScaleSetStatus, 'name' | 'role' | 'sessionSince'>[];
  readonly providers: readonly Pick<ProviderStatus, 'name' | 'reachable' | 'scaleSets'>[];
  readonly versions: readonly (Omit<VersionUse, 'refused'> & { readonly scaleSet: string })[];
  /** Epoch milliseconds by the wall clock. */
  readonly now: number;
}

/** Metrics that can be read. */
export interface Prometheus extends DaemonMetrics {
  readonly contentType: string;
  /** Everything measured, in Prometheus' text format, with the runtime's and the process's own metrics. */
  exposition(): Promise<string>;
  /** Stops measuring the process. Repeatable. */
  close(): void;
}

/** What {@link createPrometheus} is told of the program it measures. */
export interface PrometheusOptions {
  /** The program's version, as `rungar_build_info` shows it. */
  readonly version: string;
  /** The commit it was built from. */
  readonly commit: string;
  /** Node's version. */
  readonly nodeVersion: string;
  /** Epoch milliseconds by the wall clock. */
  readonly startedAt: number;
  /** Those whose series are there from the start. */
  readonly scaleSets: readonly string[];
  readonly providers: readonly string[];
}

/** Takes measurements nowhere, at no cost. */
export const noMetrics: DaemonMetrics = {
  add() {},
  set() {},
  unset() {},
  observe() {},
  countGitHubRequest() {},
  setProviderReachable() {},
  setEventFileFailing() {},
  countDroppedEvent() {},
  addMachineHours() {},
  show() {},
  begin() {},
};

/**
 * Metrics in a registry of their own (docs/reference/metrics.md). Loads the library, which costs start-up time: for
 * use where metrics are wanted only.
 */
export async function createPrometheus(options: PrometheusOptions): Promise<Prometheus> {
  const { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  const counters = mapValues(
    COUNTERS,
    ({ help, labels }, name) => new Counter({ name, help, labelNames: [...labels], registers }),
  );
  const gauges = mapValues(
    GAUGES,
    ({ help, labels }, name) => new Gauge({ name, help, labelNames: [...labels], registers }),
  );
  const histograms = mapValues(
    HISTOGRAMS,
    ({ help, labels, buckets }, name) =>
      new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers }),
  );
  collectDefaultMetrics({ register: registry });

  const begun = new Set<string>();
  const metrics: Prometheus = {
    add(name, labels, by = 1) {
      const own = pick(labels, COUNTERS[name].labels);
      const known = name === 'rungar_jobs_completed_total' ? { ...own, result: toResultWord(own.result ?? '') } : own;
      if (by >= 0 && Number.isFinite(by)) counters[name].inc(known, by);
    },
    set(name, labels, value) {
      gauges[name].set(pick(labels, GAUGES[name].labels), value);
    },
    unset(name, labels) {
      gauges[name].remove(pick(labels, GAUGES[name].labels));
    },
    observe(name, labels, seconds) {
      if (Number.isFinite(seconds)) histograms[name].observe(pick(labels, HISTOGRAMS[name].labels), seconds);
    },
    countGitHubRequest(code) {
      counters.rungar_github_requests_total.inc({ code: toCodeWord(code) });
    },
    setProviderReachable(provider, reachable) {
      gauges.rungar_provider_reachable.set({ provider }, reachable ? 1 : 0);
    },
    setEventFileFailing(failing) {
      gauges.rungar_event_file_failing.set(failing ? 1 : 0);
    },
    countDroppedEvent() {
      counters.rungar_events_dropped_total.inc();
    },
    addMachineHours(scaleSet, provider, hours) {
      counters.rungar_machine_hours_total.inc({ scale_set: scaleSet, provider }, hours);
    },
    show({ github, scaleSets, providers, versions, now }) {
      const level = (gauge: (typeof gauges)[keyof typeof gauges], value: number | undefined): void => {
        gauge.reset();
        if (value === undefined) gauge.remove();
        else gauge.set(value);
      };
      const instant = (leftMs: number | undefined): number | undefined => leftMs && (now + leftMs) / 1000;
      level(gauges.rungar_github_rate_limit, github.rateLimit?.limit);
      level(gauges.rungar_github_rate_limit_remaining, github.rateLimit?.remaining);
      level(gauges.rungar_github_token_expiry_timestamp_seconds, instant(github.tokenExpiresInMs));
      level(gauges.rungar_github_credential_expiry_timestamp_seconds, instant(github.credentialExpiresInMs));
      gauges.rungar_scale_set_role.reset();
      gauges.rungar_scale_set_session_start_timestamp_seconds.reset();
      gauges.rungar_provider_backoff_seconds.reset();
      gauges.rungar_runners_by_version.reset();
      gauges.rungar_runner_version_end_timestamp_seconds.reset();
      for (const { scaleSet: scale_set, version, runners, endsAt } of versions) {
        gauges.rungar_runners_by_version.set({ scale_set, version }, runners);
        if (endsAt !== undefined) gauges.rungar_runner_version_end_timestamp_seconds.set({ version }, endsAt / 1000);
      }
      for (const { name: scale_set, role, sessionSince } of scaleSets) {
        gauges.rungar_scale_set_role.set({ scale_set, role }, 1);
        if (sessionSince !== undefined)
          gauges.rungar_scale_set_session_start_timestamp_seconds.set({ scale_set }, sessionSince / 1000);
      }
      for (const { name: provider, reachable, scaleSets: skipped } of providers) {
        metrics.setProviderReachable(provider, reachable);
        for (const { scaleSet: scale_set, backoffForMs } of skipped)
          if (backoffForMs !== undefined)
            gauges.rungar_provider_backoff_seconds.set({ scale_set, provider }, backoffForMs / 1000);
      }
    },
    begin(scaleSets) {
      for (const scaleSet of scaleSets) {
        if (begun.has(scaleSet)) continue;
        begun.add(scaleSet);
        beginScaleSet(metrics, scaleSet);
      }
    },
    contentType: registry.contentType,
    exposition: () => registry.metrics(),
    close: () => registry.clear(),
  };

  const { version, commit, nodeVersion } = options;
  gauges.rungar_build_info.set({ version, commit, node_version: nodeVersion }, 1);
  gauges.rungar_start_time_seconds.set(options.startedAt / 1000);
  metrics.setEventFileFailing(false);
  // Without labels they would begin at 0, which is a value.
  metrics.show({ github: {}, scaleSets: [], providers: [], versions: [], now: 0 });
  for (const provider of options.providers) metrics.setProviderReachable(provider, true);
  metrics.begin(options.scaleSets);
  return metrics;
}

/** Every series of fixed words is there at 0, so that a first event is a rise and not an appearance. */
function beginScaleSet(metrics: Metrics, scaleSet: string): void {
  for (const state of RUNNER_STATES) metrics.set('rungar_runners_current', { scale_set: scaleSet, state }, 0);
  for (const reason of SCALE_UP_FAILURES)
    metrics.add('rungar_scale_up_failures_total', { scale_set: scaleSet, reason }, 0);
  for (const result of JOB_RESULTS) metrics.add('rungar_jobs_completed_total', { scale_set: scaleSet, result }, 0);
  metrics.add('rungar_jobs_started_total', { scale_set: scaleSet }, 0);
}

/** The labels a metric has and no others: the library throws for one it does not know. */
function pick(labels: MetricLabels, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, labels[name] ?? '']));
}

function mapValues<Name extends string, From, To>(
  record: Readonly<Record<Name, From>>,
  make: (value: From, name: Name) => To,
): Record<Name, To> {
  const entries = Object.entries(record) as [Name, From][];
  return Object.fromEntries(entries.map(([name, value]) => [name, make(value, name)])) as Record<Name, To>;
}
