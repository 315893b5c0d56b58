import { strict as assert } from 'node:assert';
import type { JobMessageHandler, ScaleSetStatistics } from '@rungar/model';
import { seededRandom } from '@rungar/model/testing';
import { createReconciler } from '@rungar/reconciler';
import type { Benchmark, Lab } from '../benchmark.js';
import { compare, type Round } from '../measure.js';
import { decodedProvider, PROVIDERS, quietGitHub, standingFleet } from './engine-fleet.js';
import { INSTALLATION, newClock, START_MS, scaleSetOn } from './engine-world.js';

const FEW = 100;
const MANY = 10_000;
const SCALE_SETS = 9;
const DECISIONS = 2_000;
const WANTING = 'wanting';

const ONE_JOB: ScaleSetStatistics = {
  availableJobs: 0,
  acquiredJobs: 0,
  assignedJobs: 1,
  runningJobs: 0,
  registeredRunners: 0,
  busyRunners: 0,
  idleRunners: 0,
};

/** A scale set wants its first runner of four providers that are full of others' ones, so that each is weighed in vain. */
async function decisions(lab: Lab, runners: number): Promise<Round> {
  const clock = newClock();
  const fleet = standingFleet(seededRandom(lab.seed), runners, SCALE_SETS);
  const handlers = new Map<string, JobMessageHandler>();
  let refused = 0;
  const reconciler = createReconciler({
    installation: INSTALLATION,
    hostname: 'bench',
    scaleSets: [...fleet.scaleSets, scaleSetOn(WANTING, runners, PROVIDERS)],
    providers: [...fleet.machines].map(([name, own]) => ({
      name,
      provider: decodedProvider(clock, own),
      maxRunners: own.length,
    })),
    github: quietGitHub(clock, fleet, (name, handler) => handlers.set(name, handler)),
    clock,
    random: seededRandom(lab.seed),
    metrics: {
      add(name) {
        if (name === 'rungar_scale_up_failures_total') refused += 1;
      },
      set() {},
      unset() {},
      observe() {},
    },
  });
  reconciler.start();
  await clock.advance(START_MS);
  assert.deepEqual(
    reconciler.providers().map(({ runnerCount }) => runnerCount),
    PROVIDERS.map(() => runners / PROVIDERS.length),
  );
  const handler = handlers.get(WANTING);
  assert(handler, 'it is listened to');
  return () => {
    const before = refused;
    const start = lab.cpu();
    for (let decision = 0; decision < DECISIONS; decision++) handler.onStatistics(ONE_JOB, undefined);
    const took = lab.cpu() - start;
    assert.equal(refused - before, DECISIONS, 'every provider was at its limit each time');
    return took;
  };
}

export const placement: Benchmark = {
  id: 'P36',
  kind: 'real',
  what: 'where to place a runner, of four providers that ten scale sets share',
  measurements: [
    {
      what: `among ${MANY.toLocaleString('en')} runners ÷ among ${FEW}`,
      async run(lab) {
        const [few, many] = [await decisions(lab, FEW), await decisions(lab, MANY)];
        const result = await compare(many, few, 3);
        return {
          ours: result.oursMs,
          reference: result.referenceMs,
          unit: 'ms',
          ratio: result.ratio,
          spread: { min: result.min, max: result.max },
          better: 'lower',
          target: 1,
          bar: 1.2,
        };
      },
    },
  ],
};
