import { strict as assert } from 'node:assert';
import type { Benchmark } from '../benchmark.js';
import { oncePerRun } from '../once.js';
import { limitedProvider, newClock, openEngine, START_MS, scaleSetOn } from './engine-world.js';

const JOBS = 500;
const CREATING = 64;
const CLOSE_MS = 100;
const SET = 'linux';
const PROVIDER = 'frankfurt';

/** Stopped the moment as many creations are in flight as may be. */
const stopped = oncePerRun(async (lab) => {
  const clock = newClock();
  const provider = limitedProvider(clock);
  const world = openEngine(lab, {
    clock,
    scaleSets: [scaleSetOn(SET, JOBS, [PROVIDER])],
    providers: [{ name: PROVIDER, provider }],
  });
  const { github, reconciler } = world;
  reconciler.start();
  await clock.advance(START_MS);
  github.assign(SET, JOBS);
  await world.until(() => provider.underWay.size === CREATING);
  const [from, asked] = [clock.now(), provider.askedAt.length];
  const slowestMs = Math.max(...[...provider.underWay].map(({ endsAt }) => endsAt)) - from;
  await world.stop();
  await clock.advance(60_000);
  assert.equal(github.runners.size, provider.madeAt.length, 'no registration is left without a machine');
  assert.equal(github.closedAt.length, 1);
  return {
    closedMs: (github.closedAt[0] ?? Number.NaN) - from,
    idealMs: slowestMs + CLOSE_MS,
    askedAfter: provider.askedAt.length - asked,
  };
});

export const stopping: Benchmark = {
  id: 'P24',
  kind: 'virtual',
  what: `stopped with ${CREATING} creations in flight`,
  measurements: [
    {
      what: 'creations begun after that',
      async run(lab) {
        const { askedAfter: ours } = await stopped(lab);
        return { ours, reference: 0, unit: 'calls', ratio: ours, better: 'lower', target: 0, bar: 0 };
      },
    },
    {
      what: 'sessions closed ÷ slowest call in flight, and closing',
      async run(lab) {
        const { closedMs: ours, idealMs: reference } = await stopped(lab);
        return { ours, reference, unit: 'ms', ratio: ours / reference, better: 'lower', target: 1, bar: 1.2 };
      },
    },
  ],
};
