import { strict as assert } from 'node:assert';
import { runnerLabels, runnerName } from '@rungar/labels';
import {
  createRedactor,
  type MachineListing,
  type ScaleSetPolicy,
  Secret,
  silentLogger,
  systemClock,
} from '@rungar/model';
import { fakeClock, seededRandom } from '@rungar/model/testing';
import {
  type ComputeEngine,
  type GcpRunner,
  type GcpSettings,
  openGcpOn,
  type RawInstance,
} from '@rungar/providers/gcp';
import { createReconciler } from '@rungar/reconciler';
import type { Benchmark, Lab } from '../benchmark.js';
import { compare } from '../measure.js';
import { NO_METRICS } from './ec2-pace.js';
import { someLabels } from './machines.js';
import { pageOfInstances, type Seen, simulatedComputeEngine } from './simulated-compute-engine.js';
import { simulatedGitHub } from './simulated-github.js';

const MACHINES = 500;
/** Registrations that GitHub is asked for at a time, and how long each takes. */
const REGISTERING = 32;
const REGISTER_MS = 200;
/** On the minute. */
const START = Date.UTC(2027, 0, 4, 9, 0, 0);
const STEP_MS = 10;
const LOOK_MS = 5000;
const PER_MINUTE = 300;
const MINUTE_MS = 60_000;
/** What is left after the first minute's calls goes out as the next begins, 64 at a time. */
const QUOTA_IDEAL_MS = 61_600;

const SETTINGS: GcpSettings = {
  project: 'my-ci-project',
  zones: ['europe-west1-b', 'europe-west1-c', 'europe-west1-d'],
  scopes: [],
  timeoutMs: 30_000,
};
const SPEC: GcpRunner = {
  machineTypes: ['n2-standard-4'],
  image: 'runner',
  diskSize: 50n * 1024n ** 3n,
  diskType: 'pd-balanced',
  instanceTemplate: '',
  spot: false,
  networkTags: undefined,
  labels: undefined,
  metadata: undefined,
  startupScript: '#!/bin/sh\nexec /opt/run\n',
};

const unending = (): { signal: AbortSignal } => ({ signal: new AbortController().signal });

interface Outcome {
  readonly seen: Seen;
  /** From the start until the last insert was answered, and until all were known to be done. */
  readonly lastInsertMs: number;
  readonly allDoneMs: number;
}

/** Makes five hundred machines as their registrations come in, all on a clock of their own. */
async function makeAll(lab: Lab, writesPerMinute?: number): Promise<Outcome> {
  const clock = fakeClock(START);
  const { gce, seen } = simulatedComputeEngine(clock, writesPerMinute);
  const provider = openGcpOn(gce, SETTINGS, {
    name: 'belgium',
    clock,
    random: seededRandom(lab.seed),
    logger: silentLogger,
    redactor: createRedactor(),
  });
  let settled = false;
  const making = Promise.all(
    Array.from({ length: MACHINES }, async (_, at) => {
      await clock.sleep(REGISTER_MS * (1 + Math.floor(at / REGISTERING)));
      const name = runnerName('linux', at.toString(16).padStart(8, '0'));
      const identity = { installation: 'gh-4e3651f01be5', scaleSet: 'linux', runner: name, revision: 'c8641158c70e' };
      const request = { name, labels: runnerLabels(identity), jitConfig: new Secret(`registration-${at}`), spec: SPEC };
      return provider.create(request, unending());
    }),
  ).finally(() => {
    settled = true;
  });
  while (!settled) await clock.advance(STEP_MS);
  const machines = await making;
  assert.equal(new Set(machines.map(({ name }) => name)).size, MACHINES);
  assert.equal(seen.made.size, MACHINES);
  await provider.close();
  return { seen, lastInsertMs: Math.max(...seen.made.values()) - START, allDoneMs: clock.now() - START };
}

const POLICY: ScaleSetPolicy = {
  name: 'linux',
  labels: ['linux'],
  runnerGroup: 'Default',
  minRunners: 0,
  maxRunners: MACHINES,
  priority: 0,
  placement: 'spread',
  startTimeoutMs: 10 * 60_000,
  paused: false,
  providers: [{ name: 'belgium', spec: SPEC, revision: 'c8641158c70e', size: 'n2-standard-4' }],
};

/** The same by a whole reconciler: one scale set is assigned five hundred jobs as a minute begins. */
async function reconcileAll(lab: Lab): Promise<number> {
  const clock = fakeClock(START);
  const random = seededRandom(lab.seed);
  const github = simulatedGitHub(clock);
  const { gce, seen } = simulatedComputeEngine(clock, PER_MINUTE);
  const context = { name: 'belgium', clock, random, logger: silentLogger, redactor: createRedactor() };
  const provider = openGcpOn(gce, SETTINGS, context);
  const entry = { name: 'belgium', type: 'gcp', endpoint: 'gcp:my-ci-project/europe-west1', weight: 1 };
  const reconciler = createReconciler({
    installation: 'gh-4e3651f01be5',
    reconcileIntervalMs: 30_000,
    scaleSets: [POLICY],
    providers: [{ ...entry, maxRunners: 0, disabled: false, provider }],
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
  await clock.advance(MINUTE_MS);
  const begin = clock.now();
  github.assignJobs(POLICY.name, MACHINES);
  while (seen.made.size < MACHINES && clock.now() < begin + 10 * MINUTE_MS) await clock.advance(STEP_MS);
  await clock.advance(MINUTE_MS);
  assert.equal(seen.made.size, MACHINES, 'every job has a machine, and only one');
  assert.equal(github.registrations, MACHINES, 'no registration was given up');
  stop.abort(new Error('measured'));
  while (running) await clock.advance(STEP_MS);
  await served;
  await provider.close();
  return Math.max(...seen.made.values()) - begin;
}

export const computeEngineQuota: Benchmark = {
  id: 'P06',
  kind: 'virtual',
  what: `${MACHINES} machines under a quota of ${PER_MINUTE} writes a minute, refilled on the minute`,
  measurements: [
    {
      what: 'last machine accepted ÷ the rest goes out as the minute turns',
      async run(lab) {
        const { lastInsertMs } = await makeAll(lab, PER_MINUTE);
        const ratio = lastInsertMs / QUOTA_IDEAL_MS;
        const better = 'lower';
        return { ours: lastInsertMs, reference: QUOTA_IDEAL_MS, unit: 'ms', ratio, better, target: 1.05, bar: 1.15 };
      },
    },
    {
      what: 'the same, decided and registered by the reconciler',
      async run(lab) {
        const ours = await reconcileAll(lab);
        const ratio = ours / QUOTA_IDEAL_MS;
        return { ours, reference: QUOTA_IDEAL_MS, unit: 'ms', ratio, better: 'lower', target: 1.05, bar: 1.15 };
      },
    },
  ],
};

export const computeEngineCalls: Benchmark = {
  id: 'P13',
  kind: 'virtual',
  what: `calls beside ${MACHINES} inserts until all are known to be done`,
  measurements: [
    {
      what: '÷ one listing of each zone every five seconds',
      async run(lab) {
        const { seen, allDoneMs } = await makeAll(lab);
        assert.equal(seen.calls.insert, MACHINES);
        const ours = seen.calls.operations + seen.calls.other;
        const reference = (allDoneMs / LOOK_MS) * SETTINGS.zones.length;
        return { ours, reference, unit: 'calls', ratio: ours / reference, better: 'lower', target: 1, bar: 1.5 };
      },
    },
  ],
};

/** A Compute Engine whose first zone answers with one page, and which has no other. */
function onePage(text: string): ComputeEngine {
  const { gce } = simulatedComputeEngine(systemClock);
  return {
    ...gce,
    listInstances: async () => JSON.parse(text) as { items: readonly RawInstance[] },
    zonesWithInstances: async () => ({ items: [] }),
  };
}

export const computeEnginePage: Benchmark = {
  id: 'P21',
  kind: 'real',
  what: `a page of ${MACHINES} instances of Compute Engine, from its text to machines`,
  measurements: [
    {
      what: 'CPU ÷ JSON.parse of it',
      async run(lab) {
        const labels = someLabels(seededRandom(lab.seed), MACHINES);
        const [first] = labels;
        const installation = first?.['rungar.sh/installation'] ?? '';
        const selector = { 'rungar.sh/managed': 'true', 'rungar.sh/installation': installation };
        const zone = SETTINGS.zones[0] ?? '';
        const text = pageOfInstances(labels, zone);
        const context = {
          name: 'belgium',
          clock: systemClock,
          random: seededRandom(lab.seed),
          logger: silentLogger,
          redactor: createRedactor(),
        };
        const provider = openGcpOn(onePage(text), { ...SETTINGS, zones: [zone] }, context);
        const list = (): Promise<MachineListing> => provider.list(selector, unending());
        const machines = (await list()).parts.flatMap((part) => part.machines);
        assert.deepEqual(
          machines.map((machine) => machine.labels),
          labels,
        );
        const round = async (work: () => unknown): Promise<number> => {
          const start = lab.cpu();
          for (let time = 0; time < 20; time++) await work();
          return lab.cpu() - start;
        };
        const result = await compare(
          () => round(list),
          () => round(() => JSON.parse(text)),
        );
        await provider.close();
        return {
          ours: result.oursMs / 20,
          reference: result.referenceMs / 20,
          unit: 'ms',
          ratio: result.ratio,
          spread: { min: result.min, max: result.max },
          better: 'lower',
          target: 2,
          bar: 3,
        };
      },
    },
  ],
};
