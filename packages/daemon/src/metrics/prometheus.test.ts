import { expect, test } from 'vitest';
import { COUNTERS, GAUGES, HISTOGRAMS } from './catalogue.js';
import { createPrometheus, type Prometheus } from './prometheus.js';

const open = (): Promise<Prometheus> =>
  createPrometheus({
    version: '1.2.3',
    commit: 'abc1234',
    nodeVersion: '20.19.0',
    startedAt: 1_800_000_000_500,
    scaleSets: ['birch-s'],
    providers: ['rack-a'],
  });

/** The lines of our own metrics that have a value. */
async function linesOf(metrics: Prometheus): Promise<string[]> {
  return (await metrics.exposition()).split('\n').filter((line) => line.startsWith('rungar_'));
}

test('says what runs and since when, and every series of fixed words is there from the start', async () => {
  expect((await linesOf(await open())).sort()).toEqual([
    'rungar_build_info{version="1.2.3",commit="abc1234",node_version="20.19.0"} 1',
    'rungar_event_file_failing 0',
    'rungar_events_dropped_total 0',
    'rungar_jobs_completed_total{scale_set="birch-s",result="abandoned"} 0',
    'rungar_jobs_completed_total{scale_set="birch-s",result="canceled"} 0',
    'rungar_jobs_completed_total{scale_set="birch-s",result="failed"} 0',
    'rungar_jobs_completed_total{scale_set="birch-s",result="other"} 0',
    'rungar_jobs_completed_total{scale_set="birch-s",result="skipped"} 0',
    'rungar_jobs_completed_total{scale_set="birch-s",result="succeeded"} 0',
    'rungar_jobs_started_total{scale_set="birch-s"} 0',
    'rungar_provider_reachable{provider="rack-a"} 1',
    'rungar_runners_current{scale_set="birch-s",state="busy"} 0',
    'rungar_runners_current{scale_set="birch-s",state="idle"} 0',
    'rungar_runners_current{scale_set="birch-s",state="starting"} 0',
    'rungar_scale_up_failures_total{scale_set="birch-s",reason="error"} 0',
    'rungar_scale_up_failures_total{scale_set="birch-s",reason="no_capacity"} 0',
    'rungar_start_time_seconds 1800000000.5',
  ]);
});

test('every metric has a type and a help line, and the runtime and the process have theirs', async () => {
  const text = await (await open()).exposition();
  for (const [type, catalogue] of Object.entries({ counter: COUNTERS, gauge: GAUGES, histogram: HISTOGRAMS })) {
    for (const name of Object.keys(catalogue)) {
      expect(text).toContain(`# TYPE ${name} ${type}\n`);
      expect(text).toMatch(new RegExp(`# HELP ${name} \\S`));
    }
  }
  expect(text).toContain('nodejs_heap_size_used_bytes');
  expect(text).toContain('process_cpu_seconds_total');
});

test('counts, sets, takes away and observes', async () => {
  const metrics = await open();
  metrics.add('rungar_runners_created_total', { scale_set: 's', provider: 'p' });
  metrics.add('rungar_runners_created_total', { scale_set: 's', provider: 'p' }, 2);
  metrics.set('rungar_provider_runners', { scale_set: 's', provider: 'p' }, 7);
  metrics.set('rungar_provider_runners', { scale_set: 't', provider: 'p' }, 1);
  metrics.unset('rungar_provider_runners', { scale_set: 't', provider: 'p' });
  metrics.observe('rungar_job_wait_seconds', { scale_set: 's' }, 12);
  metrics.observe('rungar_provider_call_duration_seconds', { provider: 'p', call: 'list' }, 0.3);
  const lines = await linesOf(metrics);
  expect(lines).toContain('rungar_runners_created_total{scale_set="s",provider="p"} 3');
  expect(lines.filter((line) => line.startsWith('rungar_provider_runners'))).toEqual([
    'rungar_provider_runners{scale_set="s",provider="p"} 7',
  ]);
  expect(lines.filter((line) => line.startsWith('rungar_job_wait_seconds_bucket'))).toEqual(
    [5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1800, '+Inf'].map(
      (le, at) => `rungar_job_wait_seconds_bucket{le="${le}",scale_set="s"} ${at < 2 ? 0 : 1}`,
    ),
  );
  expect(lines).toContain('rungar_job_wait_seconds_sum{scale_set="s"} 12');
  expect(lines.filter((line) => line.startsWith('rungar_provider_call_duration_seconds_bucket'))).toEqual(
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, '+Inf'].map(
      (le, at) => `rungar_provider_call_duration_seconds_bucket{le="${le}",provider="p",call="list"} ${at < 3 ? 0 : 1}`,
    ),
  );
});

test.each([
  ['succeeded', 'succeeded'],
  ['Canceled', 'canceled'],
  ['neutral', 'other'],
  ['', 'other'],
])("counts GitHub's result %j as %s", async (result, word) => {
  const metrics = await open();
  metrics.add('rungar_jobs_completed_total', { scale_set: 's', result });
  expect(await linesOf(metrics)).toContain(`rungar_jobs_completed_total{scale_set="s",result="${word}"} 1`);
});

test.each([
  [200, '200'],
  [599, '599'],
  [600, 'error'],
  [99, 'error'],
  [0, 'error'],
  ['error' as const, 'error'],
])('counts a request to GitHub answered %j as %s', async (code, word) => {
  const metrics = await open();
  metrics.countGitHubRequest(code);
  expect(await linesOf(metrics)).toContain(`rungar_github_requests_total{code="${word}"} 1`);
});

test('does not throw for a label it does not know or a value that is none', async () => {
  const metrics = await open();
  metrics.add('rungar_jobs_started_total', { scale_set: 's', job: 'j-1' });
  metrics.add('rungar_jobs_started_total', { scale_set: 's' }, Number.NaN);
  metrics.add('rungar_jobs_started_total', { scale_set: 's' }, -1);
  metrics.observe('rungar_job_wait_seconds', { scale_set: 's' }, Number.NaN);
  expect(await linesOf(metrics)).toContain('rungar_jobs_started_total{scale_set="s"} 1');
});

test('keeps the number of series as it is over ten thousand jobs', async () => {
  const metrics = await open();
  const record = (at: number): void => {
    metrics.add('rungar_jobs_started_total', { scale_set: 'birch-s', job: `job-${at}` });
    metrics.add('rungar_jobs_completed_total', { scale_set: 'birch-s', result: `result-${at}` });
    metrics.countGitHubRequest(at);
    metrics.observe('rungar_job_wait_seconds', { scale_set: 'birch-s', name: `n-${at}` }, at);
  };
  for (let code = 99; code <= 600; code++) record(code);
  const before = (await linesOf(metrics)).length;
  for (let at = 0; at < 10_000; at++) record(at);
  expect((await linesOf(metrics)).length).toBe(before);
});

test('shows how everything stands, and takes away what has nothing to show any more', async () => {
  const metrics = await open();
  const now = 1_800_000_000_000;
  const shown = async (): Promise<string[]> =>
    (await linesOf(metrics))
      .filter((line) => /github_(rate|token|cred)|_role|session_start|backoff|version_/.test(line))
      .sort();
  metrics.show({
    now,
    github: {
      rateLimit: { limit: 5000, remaining: 4321, resetsInMs: 60_000 },
      tokenExpiresInMs: 3_600_000,
      credentialExpiresInMs: 86_400_000,
    },
    scaleSets: [
      { name: 'birch-s', role: 'lead', sessionSince: now - 5_000 },
      { name: 'oak', role: 'standby' },
    ],
    providers: [
      {
        name: 'rack-a',
        reachable: true,
        scaleSets: [
          { scaleSet: 'birch-s', backoffForMs: 30_000, refusals: 1, refusal: 'full', full: true },
          { scaleSet: 'oak', refusals: 1, refusal: 'full', full: true },
        ],
      },
    ],
    versions: [
      { scaleSet: 'birch-s', version: '2.335.1', runners: 3, endsAt: now + 86_400_000 },
      { scaleSet: 'birch-s', version: '2.337.0', runners: 1 },
    ],
  });
  expect((await linesOf(metrics)).filter((line) => line.startsWith('rungar_runners_by_version'))).toEqual([
    'rungar_runners_by_version{scale_set="birch-s",version="2.335.1"} 3',
    'rungar_runners_by_version{scale_set="birch-s",version="2.337.0"} 1',
  ]);
  expect(await shown()).toEqual([
    'rungar_github_credential_expiry_timestamp_seconds 1800086400',
    'rungar_github_rate_limit 5000',
    'rungar_github_rate_limit_remaining 4321',
    'rungar_github_token_expiry_timestamp_seconds 1800003600',
    'rungar_provider_backoff_seconds{scale_set="birch-s",provider="rack-a"} 30',
    'rungar_runner_version_end_timestamp_seconds{version="2.335.1"} 1800086400',
    'rungar_scale_set_role{scale_set="birch-s",role="lead"} 1',
    'rungar_scale_set_role{scale_set="oak",role="standby"} 1',
    'rungar_scale_set_session_start_timestamp_seconds{scale_set="birch-s"} 1799999995',
  ]);
  metrics.show({ now, github: {}, scaleSets: [{ name: 'birch-s', role: 'follower' }], providers: [], versions: [] });
  expect(await shown()).toEqual(['rungar_scale_set_role{scale_set="birch-s",role="follower"} 1']);
  metrics.countDroppedEvent();
  metrics.addMachineHours('birch-s', 'rack-a', 1.5);
  metrics.addMachineHours('birch-s', 'rack-a', 0.25);
  expect(await linesOf(metrics)).toEqual(
    expect.arrayContaining([
      'rungar_events_dropped_total 1',
      'rungar_machine_hours_total{scale_set="birch-s",provider="rack-a"} 1.75',
    ]),
  );
});

test('two in one process do not meet', async () => {
  const first = await open();
  const second = await open();
  first.add('rungar_jobs_started_total', { scale_set: 'birch-s' });
  expect(await linesOf(second)).toContain('rungar_jobs_started_total{scale_set="birch-s"} 0');
});
