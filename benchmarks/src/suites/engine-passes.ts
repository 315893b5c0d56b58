import { strict as assert } from 'node:assert';
import type { Machine } from '@rungar/model';
import { seededRandom } from '@rungar/model/testing';
import { createReconciler } from '@rungar/reconciler';
import type { Benchmark, Lab } from '../benchmark.js';
import { compare, type Round } from '../measure.js';
import { decodedProvider, quietGitHub, standingFleet } from './engine-fleet.js';
import { INSTALLATION, newClock } from './engine-world.js';

/** As short as may be, so that the clock does nothing else between two passes. */
const INTERVAL_MS = 5_000;
const MACHINES = 10_000;
const MANY_MACHINES = 100_000;
const SCALE_SETS = 10;
const MANY_SCALE_SETS = 200;

interface Passes {
  /** The CPU of one pass of every scale set. */
  readonly ours: Round;
  /** The same of a single walk over the machines, and one over what is known. */
  readonly bare: Round;
  stop(): Promise<void>;
}

/** A fleet that stands and works, known already. Each round is a pass in which nothing is to be done. */
async function standing(lab: Lab, machines: number, scaleSets: number): Promise<Passes> {
  const clock = newClock();
  const fleet = standingFleet(seededRandom(lab.seed), machines, scaleSets);
  const reconciler = createReconciler({
    installation: INSTALLATION,
    reconcileIntervalMs: INTERVAL_MS,
    hostname: 'bench',
    scaleSets: fleet.scaleSets,
    providers: [...fleet.machines].map(([name, own]) => ({ name, provider: decodedProvider(clock, own) })),
    github: quietGitHub(clock, fleet),
    clock,
    random: seededRandom(lab.seed),
  });
  const happened: string[] = [];
  reconciler.on('event', ({ action }) => void happened.push(action));
  reconciler.start();
  await clock.advance(INTERVAL_MS / 2);
  assert.equal(happened.length, machines, 'every machine is adopted, once');
  // From here on GitHub's listing is young enough not to be asked for.
  await clock.advance(2 * INTERVAL_MS);
  const timed = (work: () => Promise<void> | void): Round => {
    return async () => {
      const start = lab.cpu();
      await work();
      return lab.cpu() - start;
    };
  };
  const all = [...fleet.machines.values()].flat();
  const bare = barePass(all);
  return {
    ours: timed(async () => {
      await clock.advance(INTERVAL_MS);
      assert.equal(happened.length, machines, 'and nothing else is done');
    }),
    bare: timed(() => assert.equal(bare(), 0)),
    async stop() {
      const stopping = reconciler.stop();
      await clock.advance(INTERVAL_MS);
      await stopping;
    },
  };
}

/**
 * What any pass has to do: one index of the known runners, one walk over the machines that compares labels, state and
 * revision with it, and one walk over the known.
 * @returns a pass; it counts what has changed
 */
function barePass(machines: readonly Machine[]): () => number {
  const known = new Map(machines.map(({ name, labels, state }) => [name, { labels: { ...labels }, state, seen: 0 }]));
  let pass = 0;
  return () => {
    pass += 1;
    let changed = 0;
    for (const { name, labels, state } of machines) {
      const runner = known.get(name);
      if (
        runner === undefined ||
        labels['rungar.sh/managed'] !== 'true' ||
        labels['rungar.sh/installation'] !== INSTALLATION ||
        labels['rungar.sh/scale-set'] !== runner.labels['rungar.sh/scale-set'] ||
        labels['rungar.sh/runner'] !== name ||
        labels['rungar.sh/revision'] !== runner.labels['rungar.sh/revision'] ||
        state !== runner.state
      )
        changed += 1;
      else runner.seen = pass;
    }
    for (const { seen } of known.values()) if (seen !== pass) changed += 1;
    return changed;
  };
}

export const passCpu: Benchmark = {
  id: 'P19',
  kind: 'real',
  what: `CPU of a pass over ${MACHINES.toLocaleString('en')} machines in which nothing is to be done`,
  measurements: [
    {
      what: 'a pass of ten scale sets ÷ a bare walk over the machines and the known',
      async run(lab) {
        const { ours, bare, stop } = await standing(lab, MACHINES, SCALE_SETS);
        const result = await compare(ours, bare, 3);
        await stop();
        return {
          ours: result.oursMs,
          reference: result.referenceMs,
          unit: 'ms',
          ratio: result.ratio,
          spread: { min: result.min, max: result.max },
          better: 'lower',
          target: 2,
          bar: 3,
        };
      },
    },
    {
      what: "growth to ten times the machines ÷ the bare walk's",
      async run(lab) {
        const [few, many] = [await standing(lab, MACHINES, SCALE_SETS), await standing(lab, MANY_MACHINES, SCALE_SETS)];
        const ours = await compare(many.ours, few.ours, 2);
        const bare = await compare(many.bare, few.bare, 2);
        await few.stop();
        await many.stop();
        const ratio = ours.ratio / bare.ratio;
        return { ours: ours.ratio, reference: bare.ratio, unit: 'times', ratio, better: 'lower', target: 1, bar: 1.3 };
      },
    },
    {
      what: 'two hundred scale sets ÷ ten, over the same machines',
      async run(lab) {
        const [few, many] = [await standing(lab, MACHINES, SCALE_SETS), await standing(lab, MACHINES, MANY_SCALE_SETS)];
        const result = await compare(many.ours, few.ours, 3);
        await few.stop();
        await many.stop();
        return {
          ours: result.oursMs,
          reference: result.referenceMs,
          unit: 'ms',
          ratio: result.ratio,
          spread: { min: result.min, max: result.max },
          better: 'lower',
          target: 1.1,
          bar: 1.5,
        };
      },
    },
  ],
};
