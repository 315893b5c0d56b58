import { strict as assert } from 'node:assert';
import type { Benchmark, Lab } from '../benchmark.js';
import { oncePerRun } from '../once.js';
import { awsOn, EC2_SPEC } from './engine-ec2.js';
import { newClock, openEngine, START_MS, scaleSetOn } from './engine-world.js';
import { simulatedEc2 } from './simulated-ec2.js';

const EQUALS = 10;
const JOBS_EACH = 50;
const BUCKET = 5;
const PER_SECOND = 2;
const JOINS_AFTER_MS = 30_000;
const PROVIDER = 'frankfurt';
const IMPORTANT = 'urgent';
/** Registering, the launches the bucket lacks, and making the last one. */
const ALONE_MS = 200 + ((JOBS_EACH - BUCKET) / PER_SECOND) * 1_000 + 500;

/** @returns from its jobs' assignment to its last machine, by scale set */
async function shared(lab: Lab, joins: boolean): Promise<ReadonlyMap<string, number>> {
  const clock = newClock();
  const { ec2, seen } = simulatedEc2(clock, { size: BUCKET, perSecond: () => PER_SECOND });
  const equals = Array.from({ length: EQUALS }, (_, at) => `linux-${at}`);
  const world = openEngine(lab, {
    clock,
    scaleSets: [
      ...equals.map((name) => scaleSetOn(name, JOBS_EACH, [PROVIDER], EC2_SPEC)),
      { ...scaleSetOn(IMPORTANT, JOBS_EACH, [PROVIDER], EC2_SPEC), priority: 10 },
    ],
    providers: [{ name: PROVIDER, provider: awsOn(ec2, clock, lab.seed) }],
  });
  const assignedAt = new Map<string, number>();
  const assign = (name: string): void => {
    assignedAt.set(name, clock.now());
    world.github.assign(name, JOBS_EACH);
  };
  world.reconciler.start();
  await clock.advance(START_MS);
  for (const name of equals) assign(name);
  await clock.advance(JOINS_AFTER_MS);
  if (joins) assign(IMPORTANT);
  await world.until(() => seen.made.size === JOBS_EACH * assignedAt.size, 1_000);
  await world.stop();
  assert.equal(seen.calls.terminate, 0, 'none is given back');
  const took = new Map<string, number>();
  for (const [name, begun] of assignedAt) {
    const own = [...seen.made].filter(([runner]) => runner.startsWith(`${name}-`)).map(([, at]) => at);
    assert.equal(own.length, JOBS_EACH, `${name} has a machine for every job`);
    took.set(name, Math.max(...own) - begun);
  }
  return took;
}

const amongEquals = oncePerRun((lab) => shared(lab, false));

/** 1 when all are the same, and 1/n when one has everything. */
function jainsIndex(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  const squares = values.reduce((total, value) => total + value * value, 0);
  return (sum * sum) / (values.length * squares);
}

export const fairness: Benchmark = {
  id: 'P09',
  kind: 'virtual',
  what: `${EQUALS} scale sets of one priority want ${JOBS_EACH} machines each of one provider at ${PER_SECOND} a second`,
  measurements: [
    {
      what: "Jain's index of the times at which each has all of its own",
      async run(lab) {
        const ours = jainsIndex([...(await amongEquals(lab)).values()]);
        return { ours, reference: 1, unit: '', ratio: ours, better: 'higher', target: 0.98, bar: 0.95 };
      },
    },
    {
      what: 'one more important joins half a minute later: its time ÷ alone on the provider',
      async run(lab) {
        const ours = (await shared(lab, true)).get(IMPORTANT) ?? Number.NaN;
        const ratio = ours / ALONE_MS;
        return { ours, reference: ALONE_MS, unit: 'ms', ratio, better: 'lower', target: 1.05, bar: 1.25 };
      },
    },
  ],
};
