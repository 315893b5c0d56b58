import { strict as assert } from 'node:assert';
import type { Benchmark, Lab, Measurement } from '../benchmark.js';
import { oncePerRun } from '../once.js';
import {
  type EngineWorld,
  type LimitedProvider,
  limitedProvider,
  newClock,
  openEngine,
  START_MS,
  scaleSetOn,
  silentProvider,
} from './engine-world.js';

const JOBS = 500;
const ROOM = 100;
const REGISTER_MS = 200;
const REGISTERING = 32;
const CREATE_MS = 500;
const CREATING = 64;
/** How long the first listing of a provider that never answers takes to be given up. */
const FIRST_LISTING_MS = 65_000;
const SET = 'linux';
const WELL = ['a', 'b', 'c'];
const SILENT = 'd';

/** Five hundred jobs over three providers, beside a fourth that takes calls and answers none, from `silentFrom` on. */
async function beside(lab: Lab, silent: 'never' | 'from_the_start' | 'as_jobs_come'): Promise<readonly number[]> {
  const clock = newClock();
  const providers = WELL.map(() => limitedProvider(clock));
  const fourth = limitedProvider(clock);
  const dead = silentProvider();
  let isSilent = silent === 'from_the_start';
  const world = openEngine(lab, {
    clock,
    scaleSets: [scaleSetOn(SET, JOBS, silent === 'never' ? WELL : [...WELL, SILENT])],
    providers: [
      ...WELL.map((name, at) => ({ name, provider: providers[at] ?? dead })),
      ...(silent === 'never'
        ? []
        : [
            {
              name: SILENT,
              provider: {
                ...dead,
                list: (...asked: Parameters<typeof dead.list>) => (isSilent ? dead : fourth).list(...asked),
              },
            },
          ]),
    ],
  });
  world.reconciler.start();
  await clock.advance(silent === 'from_the_start' ? FIRST_LISTING_MS : START_MS);
  isSilent = true;
  const from = clock.now();
  world.github.assign(SET, JOBS);
  await clock.advance(60_000);
  const madeAt = providers.flatMap((one) => one.madeAt.map((at) => at - from)).sort((a, b) => a - b);
  await world.stop();
  return madeAt;
}

const withoutIt = oncePerRun((lab) => beside(lab, 'never'));

function besideSilent(what: string, silent: 'from_the_start' | 'as_jobs_come', machines: number): Measurement {
  return {
    what,
    async run(lab) {
      const without = await withoutIt(lab);
      assert.equal(without.length, JOBS);
      const made = await beside(lab, silent);
      assert(made.length >= machines, `the others make ${made.length} machines`);
      const [ours, reference] = [made[machines - 1] ?? 0, without.at(-1) ?? 0];
      return { ours, reference, unit: 'ms', ratio: ours / reference, better: 'lower', target: 1.02, bar: 1.1 };
    },
  };
}

export const silentBackend: Benchmark = {
  id: 'P08',
  kind: 'virtual',
  what: `${JOBS} jobs over four providers, one of which never answers`,
  measurements: [
    besideSilent('last machine on the others ÷ the same without it', 'from_the_start', JOBS),
    besideSilent(
      'silent since the jobs came: the last of their own share ÷ all without it',
      'as_jobs_come',
      (JOBS / (WELL.length + 1)) * WELL.length,
    ),
  ],
};

interface Full {
  readonly lastMs: number;
  readonly askedAfterRefusal: number;
}

/** Five hundred jobs spread over two providers, one of which has room for a hundred. */
const overFull = oncePerRun(async (lab): Promise<Full> => {
  const clock = newClock();
  const [small, large] = [limitedProvider(clock, ROOM), limitedProvider(clock)];
  const world: EngineWorld = openEngine(lab, {
    clock,
    scaleSets: [scaleSetOn(SET, JOBS, ['small', 'large'])],
    providers: [
      { name: 'small', provider: small },
      { name: 'large', provider: large },
    ],
  });
  world.reconciler.start();
  await clock.advance(START_MS);
  const from = clock.now();
  world.github.assign(SET, JOBS);
  await clock.advance(12_000);
  assert.deepEqual([small.madeAt.length, large.madeAt.length], [ROOM, JOBS - ROOM]);
  assert.equal(world.github.counts.register, JOBS, 'each runner is registered once');
  await world.stop();
  return { lastMs: lastOf(small, large) - from, askedAfterRefusal: askedAfterRefusal(small) };
});

const lastOf = (...providers: readonly LimitedProvider[]): number =>
  Math.max(...providers.flatMap(({ madeAt }) => madeAt));

const askedAfterRefusal = ({ askedAt, firstRefusalAt = Number.POSITIVE_INFINITY }: LimitedProvider): number =>
  askedAt.filter((at) => at > firstRefusalAt).length;

/**
 * When the last machine is there, if jobs went from registration in turn to the two providers, and to the large one
 * alone once the small one has no room: nothing is ever waited for but GitHub and the providers.
 */
function idealMs(): number {
  const registering = new Array<number>(REGISTERING).fill(0);
  const creating = [new Array<number>(CREATING).fill(0), new Array<number>(CREATING).fill(0)] as const;
  let last = 0;
  for (let job = 0; job < JOBS; job++) {
    const registered = serve(registering, 0, REGISTER_MS);
    const toSmall = job < 2 * ROOM && job % 2 === 0;
    last = Math.max(last, serve(creating[toSmall ? 0 : 1], registered, CREATE_MS));
  }
  return last;
}

/** @returns when the server that is free earliest is done with it */
function serve(servers: number[], from: number, ms: number): number {
  const earliest = servers.indexOf(Math.min(...servers));
  const end = Math.max(from, servers[earliest] ?? 0) + ms;
  servers[earliest] = end;
  return end;
}

export const fullBackend: Benchmark = {
  id: 'P10',
  kind: 'virtual',
  what: `${JOBS} jobs spread over two providers, one of which is full after ${ROOM}`,
  measurements: [
    {
      what: 'last machine ÷ the pipeline of registering and creating',
      async run(lab) {
        const [{ lastMs: ours }, reference] = [await overFull(lab), idealMs()];
        return { ours, reference, unit: 'ms', ratio: ours / reference, better: 'lower', target: 1.05, bar: 1.15 };
      },
    },
    {
      what: 'creations sent to the full one after it said so, while it is skipped',
      async run(lab) {
        const { askedAfterRefusal: ours } = await overFull(lab);
        return { ours, reference: 0, unit: 'calls', ratio: ours, better: 'lower', target: 0, bar: 0 };
      },
    },
  ],
};
