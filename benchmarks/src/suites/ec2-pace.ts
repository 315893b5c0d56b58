import { strict as assert } from 'node:assert';
import { createRedactor, type ScaleSetPolicy, silentLogger } from '@rungar/model';
import { fakeClock, seededRandom } from '@rungar/model/testing';
import { type AwsRunner, openAwsOn } from '@rungar/providers/aws';
import { createReconciler, type Metrics } from '@rungar/reconciler';
import type { Benchmark, Lab, Measurement, Result } from '../benchmark.js';
import { forComparison, retryWithJitter, skipWhenRefused } from './other-policies.js';
import { type Bucket, type Seen, simulatedEc2 } from './simulated-ec2.js';
import { simulatedGitHub } from './simulated-github.js';

const SCALE_SETS = 5;
const JOBS_EACH = 100;
const MACHINES = SCALE_SETS * JOBS_EACH;
const START_MS = 10_000;
const STEP_MS = 10;
const HOUR_MS = 3_600_000;
/** Registering, the tokens the bucket lacks at two a second, and making the last one. */
const STEADY_IDEAL_MS = 200 + ((MACHINES - 5) / 2) * 1_000 + 500;
/** 5 at once, 120 in the first minute and 240 in the next; the other 135 at one a second. */
const CHANGING_IDEAL_MS = 255_900;

const SPEC: AwsRunner = {
  instanceTypes: ['m7i.xlarge'],
  image: 'ami-0a1b2c3d4e5f60718',
  diskSize: 0n,
  diskType: '',
  diskIops: 0,
  diskThroughput: 0,
  launchTemplate: 'runners',
  spot: false,
  tags: undefined,
  userData: '#!/bin/sh\nexec /opt/run\n',
};

const steady: Bucket = { size: 5, perSecond: () => 2 };
const changing: Bucket = { size: 5, perSecond: (ms) => (ms < 60_000 ? 2 : ms < 120_000 ? 4 : 1) };

export const NO_METRICS: Metrics = { add() {}, set() {}, unset() {}, observe() {} };

interface Outcome {
  readonly seen: Seen;
  readonly registrations: number;
  /** From the jobs' assignment until the last machine was there. */
  readonly lastCreatedMs: number;
}

/** Five scale sets are assigned a hundred jobs each, and share one account. */
async function makeAll(lab: Lab, bucket: Bucket): Promise<Outcome> {
  const clock = fakeClock();
  const random = seededRandom(lab.seed);
  const github = simulatedGitHub(clock);
  const begin = clock.now() + START_MS;
  const rateSince = (ms: number): number => bucket.perSecond(ms - START_MS);
  const { ec2, seen } = simulatedEc2(clock, { size: bucket.size, perSecond: rateSince });
  const settings = {
    region: 'eu-central-1',
    subnets: ['subnet-0a1b2c3d4e5f60718'],
    securityGroups: [],
    timeoutMs: 30_000,
  };
  const context = { name: 'frankfurt', clock, random, logger: silentLogger, redactor: createRedactor() };
  const provider = openAwsOn(ec2, settings, context);
  const scaleSets = Array.from({ length: SCALE_SETS }, (_, at) => policy(`linux-${at}`));
  const reconciler = createReconciler({
    installation: 'gh-4e3651f01be5',
    reconcileIntervalMs: 30_000,
    scaleSets,
    providers: [
      {
        name: 'frankfurt',
        type: 'aws',
        endpoint: 'aws:eu-central-1',
        weight: 1,
        maxRunners: 0,
        disabled: false,
        provider,
      },
    ],
    github,
    hostname: 'bench',
    clock,
    random,
    logger: silentLogger,
    events: { record() {} },
    metrics: NO_METRICS,
  });
  const stop = new AbortController();
  let running = true;
  const served = reconciler.run(stop.signal).finally(() => {
    running = false;
  });
  await clock.advance(START_MS);
  for (const { name } of scaleSets) github.assignJobs(name, JOBS_EACH);
  while (seen.made.size < MACHINES && clock.now() < begin + HOUR_MS) await clock.advance(STEP_MS);
  await clock.advance(1_000);
  assert.equal(seen.made.size, MACHINES, 'every job has a machine, and only one');
  assert.equal(seen.calls.run - seen.calls.refused, MACHINES, 'no launch was asked for twice');
  assert.equal(seen.calls.terminate, 0, 'none was taken away');
  const { registrations } = github;
  stop.abort(new Error('measured'));
  while (running) await clock.advance(STEP_MS);
  await served;
  await provider.close();
  return { seen, registrations, lastCreatedMs: Math.max(...seen.made.values()) - begin };
}

function policy(name: string): ScaleSetPolicy {
  return {
    name,
    labels: [name],
    runnerGroup: 'Default',
    minRunners: 0,
    maxRunners: JOBS_EACH,
    priority: 0,
    placement: 'spread',
    startTimeoutMs: HOUR_MS,
    paused: false,
    providers: [{ name: 'frankfurt', spec: SPEC, revision: 'c8641158c70e', size: 'm7i.xlarge' }],
  };
}

function lastCreated(bucket: Bucket, idealMs: number, limits: { target: number; bar: number }): Measurement {
  return {
    what: 'last machine ÷ the rate used up',
    async run(lab) {
      const { lastCreatedMs } = await makeAll(lab, bucket);
      const ratio = lastCreatedMs / idealMs;
      return { ours: lastCreatedMs, reference: idealMs, unit: 'ms', ratio, better: 'lower', ...limits };
    },
  };
}

function perMachine(
  what: string,
  count: (outcome: Outcome) => number,
  limits: { target: number; bar: number },
): Measurement {
  return {
    what,
    async run(lab): Promise<Result> {
      const ours = count(await makeAll(lab, steady));
      return { ours, reference: MACHINES, unit: 'calls', ratio: ours / MACHINES, better: 'lower', ...limits };
    },
  };
}

export const ec2Throttle: Benchmark = {
  id: 'P04',
  kind: 'virtual',
  what: `${MACHINES} EC2 machines of ${SCALE_SETS} scale sets under a throttle of two a second`,
  measurements: [
    lastCreated(steady, STEADY_IDEAL_MS, { target: 1.05, bar: 1.1 }),
    perMachine('refused launches ÷ machines', ({ seen }) => seen.calls.refused, { target: 0.02, bar: 0.05 }),
    perMachine('registrations ÷ machines', ({ registrations }) => registrations, { target: 1, bar: 1.02 }),
    forComparison(
      'the provider skipped for each refusal ÷ the rate used up',
      'ms',
      () => skipWhenRefused(steady, SCALE_SETS, JOBS_EACH).lastCreatedMs,
      STEADY_IDEAL_MS,
    ),
    forComparison(
      'its requests ÷ machines',
      'calls',
      () => skipWhenRefused(steady, SCALE_SETS, JOBS_EACH).requests,
      MACHINES,
    ),
    forComparison(
      'retries with jitter ÷ the rate used up',
      'ms',
      (seed) => retryWithJitter(steady, MACHINES, seed).lastCreatedMs,
      STEADY_IDEAL_MS,
    ),
    forComparison(
      'their requests ÷ machines',
      'calls',
      (seed) => retryWithJitter(steady, MACHINES, seed).requests,
      MACHINES,
    ),
  ],
};

export const ec2ChangingThrottle: Benchmark = {
  id: 'P05',
  kind: 'virtual',
  what: `the same, while the throttle goes to four a second after a minute, and to one after two`,
  measurements: [lastCreated(changing, CHANGING_IDEAL_MS, { target: 1.08, bar: 1.2 })],
};
