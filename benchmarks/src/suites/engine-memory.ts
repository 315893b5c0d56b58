import { strict as assert } from 'node:assert';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { JobCompleted, JobMessageHandler, Machine, OpenProvider, Random } from '@rungar/model';
import { type FakeClock, seededRandom } from '@rungar/model/testing';
import { createReconciler } from '@rungar/reconciler';
import type { Benchmark, Lab } from '../benchmark.js';
import {
  decodedProvider,
  type Fleet,
  type QuietGitHub,
  quietGitHub,
  standingFleet,
  standingMachine,
} from './engine-fleet.js';
import { INSTALLATION, newClock } from './engine-world.js';

const RUNNERS = 10_000;
const SCALE_SETS = 10;
const INTERVAL_MS = 30_000;
/** After a pass, when its listings are of no use any more. */
const BETWEEN_PASSES_MS = 20_000;
const FEW_PASSES = 3;
const FEW_RUNNERS = 2_000;
const FIRST_PASSES = 30;
const ALL_PASSES = 300;
const REPLACED = 0.1;

/** What is in use after everything that is not has been collected. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let time = 0; time < 3; time++) collect();
  return process.memoryUsage().heapUsed;
}

/** A copy in which no text is shared with the original, as the next decoded answer has it. */
function decodedAnew({ labels, ...machine }: Machine): Machine {
  const { createdAt, ...texts } = JSON.parse(JSON.stringify(machine)) as Machine;
  return {
    ...texts,
    ...(createdAt !== undefined && { createdAt }),
    labels: JSON.parse(JSON.stringify(labels)) as Machine['labels'],
  };
}

/** What there is to know of a runner, and nothing else. */
function leanIndex({ machines }: Fleet): ReadonlyMap<string, unknown> {
  const index = new Map<string, unknown>();
  for (const [provider, own] of machines) {
    for (const machine of own) {
      const { name, id, labels, state, size, createdAt } = decodedAnew(machine);
      const set = labels['rungar.sh/scale-set'];
      const revision = labels['rungar.sh/revision'];
      index.set(name, { name, set, provider, state, size, createdAt, seenAt: 0, revision, id });
    }
  }
  return index;
}

interface Adopted {
  readonly clock: FakeClock;
  readonly github: QuietGitHub;
  readonly handlers: ReadonlyMap<string, JobMessageHandler>;
  /** What was in use before there was a reconciler. */
  readonly before: number;
  /** Lets a pass go by. */
  pass(): Promise<void>;
  runnerCount(): number;
  stop(): Promise<void>;
}

/** A fleet that stands and works, each listing of it decoded anew. */
async function adopted(lab: Lab, fleet: Fleet): Promise<Adopted> {
  const clock = newClock();
  const handlers = new Map<string, JobMessageHandler>();
  const github = quietGitHub(clock, fleet, (name, handler) => handlers.set(name, handler));
  const list =
    (own: readonly Machine[]): OpenProvider['list'] =>
    async () => ({ parts: [{ part: 'all', begunAt: clock.now(), machines: own.map(decodedAnew) }] });
  const before = heapUsed();
  const reconciler = createReconciler({
    installation: INSTALLATION,
    reconcileIntervalMs: INTERVAL_MS,
    hostname: 'bench',
    scaleSets: fleet.scaleSets,
    providers: [...fleet.machines].map(([name, own]) => ({
      name,
      provider: { ...decodedProvider(clock, own), list: list(own), delete: async () => 'deleted' as const },
    })),
    github,
    clock,
    random: seededRandom(lab.seed),
  });
  reconciler.start();
  await clock.advance(BETWEEN_PASSES_MS);
  return {
    clock,
    github,
    handlers,
    before,
    pass: () => clock.advance(INTERVAL_MS),
    runnerCount: () => reconciler.providers().reduce((sum, one) => sum + one.runnerCount, 0),
    async stop() {
      const stopping = reconciler.stop();
      await clock.advance(INTERVAL_MS);
      await stopping;
    },
  };
}

/** One runner in ten has done its job and is gone, and another is there that somebody else has made. */
function replaceSome(random: Random, { machines }: Fleet, { github, handlers }: Adopted): void {
  for (const own of machines.values()) {
    for (let count = own.length * REPLACED; count > 0; count--) {
      const gone = own.shift();
      if (!gone) return;
      const scaleSet = gone.labels['rungar.sh/scale-set'] ?? '';
      const come = standingMachine(random, scaleSet);
      own.push(come);
      github.replace(gone.name, come.name);
      handlers.get(scaleSet)?.onJobCompleted({ ...JOB, runnerName: gone.name });
    }
  }
}

const JOB: JobCompleted = {
  jobId: 'job',
  runnerRequestId: 0,
  owner: 'acme',
  repository: 'web',
  workflowRef: '',
  displayName: 'build',
  workflowRunId: 1,
  eventName: 'push',
  requestLabels: [],
  runnerId: 0,
  runnerName: '',
  result: 'succeeded',
};

export const memory: Benchmark = {
  id: 'P22',
  kind: 'real',
  what: 'memory of what is known of runners',
  measurements: [
    {
      what: `heap of one of ${RUNNERS.toLocaleString('en')} runners, indexes included, between two passes ÷ a lean record in one Map`,
      async run(lab) {
        const fleet = standingFleet(seededRandom(lab.seed), RUNNERS, SCALE_SETS);
        const empty = heapUsed();
        const lean = leanIndex(fleet);
        const reference = (heapUsed() - empty) / RUNNERS;
        assert.equal(lean.size, RUNNERS);
        const standing = await adopted(lab, fleet);
        for (let pass = 0; pass < FEW_PASSES; pass++) await standing.pass();
        const ours = (heapUsed() - standing.before) / RUNNERS;
        assert.equal(standing.runnerCount(), RUNNERS, 'every machine is adopted');
        await standing.stop();
        return { ours, reference, unit: 'B', ratio: ours / reference, better: 'lower', target: 1.7, bar: 2.5 };
      },
    },
    {
      what: `heap after ${ALL_PASSES} passes, one runner in ten replaced before each ÷ after ${FIRST_PASSES}`,
      async run(lab) {
        const random = seededRandom(lab.seed);
        const fleet = standingFleet(random, FEW_RUNNERS, SCALE_SETS);
        const standing = await adopted(lab, fleet);
        let reference = Number.NaN;
        for (let pass = 1; pass <= ALL_PASSES; pass++) {
          replaceSome(random, fleet, standing);
          await standing.pass();
          if (pass === FIRST_PASSES) reference = heapUsed();
        }
        const ours = heapUsed();
        assert.equal(standing.runnerCount(), FEW_RUNNERS, 'each that went was replaced');
        await standing.stop();
        return { ours, reference, unit: 'B', ratio: ours / reference, better: 'lower', target: 1.02, bar: 1.1 };
      },
    },
  ],
};
