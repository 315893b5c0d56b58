import { strict as assert } from 'node:assert';
import { generateKeyPairSync } from 'node:crypto';
import type { Credentials } from '@rungar/github';
import { Secret } from '@rungar/model';
import type { Benchmark, Lab, Measurement } from '../benchmark.js';
import { median } from '../measure.js';
import { oncePerRun } from '../once.js';
import type { Seen } from './github-service.js';
import { openWorld, type World, type WorldOptions } from './github-world.js';

const SCALE_SETS = 10;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const POLL_MS = 50_000;
/** Until every runner is adopted, with time to spare. */
const SETTLED_MS = MINUTE_MS;
const JOB_MS = 2 * MINUTE_MS;

const isListing = ({ operation }: Seen): boolean => operation === 'list_runners';
const isRest = (seen: Seen): boolean => isListing(seen) || seen.operation.endsWith('_token');

function counted(world: World, from: number): number {
  return world.github.seen.filter((seen) => isRest(seen) && seen.counted && seen.at >= from).length;
}

/** Runners went for another reason than the end of their job. */
function taken(world: World): number {
  return world.happened.filter(
    ({ action, reason }) => action === 'lost' || (action === 'removed' && reason !== 'job_completed'),
  ).length;
}

/** An App with a key that nobody else has. */
function newApp(): Credentials {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return { kind: 'app', clientId: 'Iv23liExample', installationId: 4711, privateKey: new Secret(privateKey) };
}

async function open(lab: Lab, idle: number, more: Partial<WorldOptions> = {}): Promise<World> {
  return openWorld(lab, {
    scaleSets: SCALE_SETS,
    idle,
    maxRunners: idle / (more.reserves ?? SCALE_SETS) + 100,
    ...more,
  });
}

function assertAllAdopted(world: World, idle: number): void {
  const adopted = world.happened.filter(({ action }) => action === 'adopted').length;
  assert.equal(adopted, idle, 'every runner was adopted');
  assert.equal(world.provider.asked.length, 0, 'no machine was made beside them');
}

interface IdleHour {
  readonly polls: number;
  readonly requests: number;
}

/** From the start on, so that finding the runners counts too. */
async function idleHour(lab: Lab, idle: number, more: Partial<WorldOptions> = {}): Promise<IdleHour> {
  const world = await open(lab, idle, more);
  const begin = world.clock.now();
  await world.clock.advance(HOUR_MS);
  assertAllAdopted(world, idle);
  assert.equal(world.provider.machines.size, idle, 'every machine is still there');
  const requests = counted(world, begin);
  const { polls } = world.github;
  await world.stop();
  assert.equal(taken(world), 0, 'no runner was taken away');
  return { polls, requests };
}

const idle0 = oncePerRun((lab) => idleHour(lab, 0));
const idle100 = oncePerRun((lab) => idleHour(lab, 100));
const idle1000 = oncePerRun((lab) => idleHour(lab, 1_000));
const idle10000 = oncePerRun((lab) => idleHour(lab, 10_000));
const idle10000Unmarked = oncePerRun((lab) => idleHour(lab, 10_000, { etags: false }));

function requestsAnHour(
  what: string,
  hour: (lab: Lab) => Promise<IdleHour>,
  limits: { target: number; bar: number },
): Measurement {
  return {
    what,
    async run(lab) {
      const { requests } = await hour(lab);
      return { ours: requests, reference: undefined, unit: 'requests', ratio: requests, better: 'lower', ...limits };
    },
  };
}

export const idleRequests: Benchmark = {
  id: 'P25',
  kind: 'virtual',
  what: `an hour of ${SCALE_SETS} scale sets with nothing to do`,
  measurements: [
    {
      what: 'polls, of 0 to 10,000 runners ÷ one per 50 s and scale set',
      async run(lab) {
        const hours = [await idle0(lab), await idle100(lab), await idle1000(lab), await idle10000(lab)];
        const ours = hours.reduce((sum, { polls }) => sum + polls, 0);
        const reference = hours.length * SCALE_SETS * (HOUR_MS / POLL_MS);
        return { ours, reference, unit: 'polls', ratio: ours / reference, better: 'lower', target: 1, bar: 1.05 };
      },
    },
    requestsAnHour('requests that count, no runner', idle0, { target: 30, bar: 240 }),
    requestsAnHour('requests that count, 100 runners', idle100, { target: 30, bar: 240 }),
    requestsAnHour('requests that count, 10,000 runners', idle10000, { target: 600, bar: 2_400 }),
    requestsAnHour('the same where GitHub marks no page as unchanged', idle10000Unmarked, { target: 600, bar: 2_400 }),
  ],
};

/** From each runner's connection until the reconciler knew of it. */
async function lags(lab: Lab, idle: number): Promise<readonly number[]> {
  const world = await open(lab, idle);
  await world.clock.advance(10 * MINUTE_MS);
  assertAllAdopted(world, idle);
  // Nobody takes the jobs, so that no message tells of a runner.
  for (const name of world.names) world.assign(name, NEW_RUNNERS / SCALE_SETS);
  await world.clock.advance(5 * MINUTE_MS);
  const known = world.happened.filter(({ action }) => action === 'connected');
  await world.stop();
  assert.equal(known.length, NEW_RUNNERS, 'every runner came to be known');
  assert.equal(taken(world), 0, 'no runner was taken away');
  return known.map(({ at, runner }) => at - (world.connectedAt.get(runner) ?? Number.NaN));
}

const NEW_RUNNERS = 50;
const lags500 = oncePerRun((lab) => lags(lab, 500));
const lags10000 = oncePerRun((lab) => lags(lab, 10_000));

function lag(
  what: string,
  measure: (lab: Lab) => Promise<number>,
  limits: { target: number; bar: number },
): Measurement {
  return {
    what,
    async run(lab) {
      const ms = await measure(lab);
      return { ours: ms, reference: undefined, unit: 'ms', ratio: ms / 1000, better: 'lower', ...limits };
    },
  };
}

export const connectionLag: Benchmark = {
  id: 'P26',
  kind: 'virtual',
  what: `${NEW_RUNNERS} runners connect 20 to 40 s after their creation: seconds until that is known`,
  measurements: [
    lag('the middle one, 500 runners', async (lab) => median(await lags500(lab)), { target: 5, bar: 10 }),
    lag('the longest, 500 runners', async (lab) => Math.max(...(await lags500(lab))), { target: 10, bar: 20 }),
    lag('the longest, 10,000 runners', async (lab) => Math.max(...(await lags10000(lab))), { target: 20, bar: 60 }),
  ],
};

const SPENT = { left: 300, untilResetMs: 40 * MINUTE_MS, runners: 500, everyMs: 10_000 };

interface SpentBudget {
  readonly requests: number;
  readonly unserved: number;
}

/** Others have spent the budget, and jobs come all the while. */
const spentBudget = oncePerRun(async (lab): Promise<SpentBudget> => {
  const world = await open(lab, SPENT.runners, { reserves: SCALE_SETS / 2, jobMs: JOB_MS });
  await world.clock.advance(SETTLED_MS);
  assertAllAdopted(world, SPENT.runners);
  const begin = world.clock.now();
  world.github.leave(SPENT.left, SPENT.untilResetMs);
  const jobs = await assignSteadily(world, SPENT.untilResetMs, SPENT.everyMs);
  const requests = counted(world, begin);
  await world.clock.advance(10 * MINUTE_MS);
  await world.stop();
  assert.equal(taken(world), 0, 'no runner was taken away but after its job');
  return { requests, unserved: jobs - world.served };
});

/** One job for any of the scale sets, again and again. @returns how many */
async function assignSteadily(world: World, ms: number, everyMs: number): Promise<number> {
  const jobs = ms / everyMs;
  for (let job = 0; job < jobs; job++) {
    world.assign(world.names[Math.floor(world.random.fraction() * world.names.length)] ?? '', 1);
    await world.clock.advance(everyMs);
  }
  return jobs;
}

export const spentByOthers: Benchmark = {
  id: 'P27',
  kind: 'virtual',
  what: `${SPENT.left} requests are left for ${SPENT.untilResetMs / MINUTE_MS} min, and a job comes every 10 s`,
  measurements: [
    {
      what: 'requests that count until there are more',
      async run(lab) {
        const { requests } = await spentBudget(lab);
        return {
          ours: requests,
          reference: SPENT.left,
          unit: 'requests',
          ratio: requests,
          better: 'lower',
          target: 150,
          bar: 300,
        };
      },
    },
    {
      what: 'jobs that were not served',
      async run(lab) {
        const { unserved } = await spentBudget(lab);
        return { ours: unserved, reference: 0, unit: 'jobs', ratio: unserved, better: 'lower', target: 0, bar: 0 };
      },
    },
  ],
};

/** It begins so that the installation token and the admin token are to be renewed within it. */
const OUTAGE = { fromMs: 52 * MINUTE_MS, ms: 10 * MINUTE_MS, runners: 1_000, everyMs: 30_000 };

interface Outage {
  readonly requests: number;
  readonly taken: number;
}

/** The REST API answers 503 while jobs go on. */
const outage = oncePerRun(async (lab): Promise<Outage> => {
  const world = await open(lab, OUTAGE.runners, { reserves: SCALE_SETS / 2, jobMs: JOB_MS, credentials: newApp() });
  await world.clock.advance(OUTAGE.fromMs);
  assertAllAdopted(world, OUTAGE.runners);
  const begin = world.clock.now();
  world.github.refuse = (operation) =>
    operation === 'list_runners' || operation.endsWith('_token') ? { status: 503 } : undefined;
  const jobs = await assignSteadily(world, OUTAGE.ms, OUTAGE.everyMs);
  const requests = world.github.seen.filter((seen) => isRest(seen) && seen.at >= begin).length;
  world.github.refuse = () => undefined;
  await world.clock.advance(30 * MINUTE_MS);
  await world.stop();
  assert.equal(world.served, jobs, 'every job ran');
  return { requests, taken: taken(world) };
});

export const restOutage: Benchmark = {
  id: 'P28',
  kind: 'virtual',
  what: `GitHub's REST API is down for ${OUTAGE.ms / MINUTE_MS} min, ${OUTAGE.runners} runners`,
  measurements: [
    {
      what: 'requests a minute',
      async run(lab) {
        const ours = (await outage(lab)).requests / (OUTAGE.ms / MINUTE_MS);
        return { ours, reference: undefined, unit: 'requests', ratio: ours, better: 'lower', target: 2, bar: 6 };
      },
    },
    {
      what: 'runners taken away for it',
      async run(lab) {
        const ours = (await outage(lab)).taken;
        return { ours, reference: 0, unit: 'runners', ratio: ours, better: 'lower', target: 0, bar: 0 };
      },
    },
  ],
};

const MINT_HOURS = 6;

export const tokenMints: Benchmark = {
  id: 'P29',
  kind: 'virtual',
  what: 'installation tokens of a GitHub App, 100 runners',
  measurements: [
    {
      what: 'made an hour ÷ one',
      async run(lab) {
        const world = await open(lab, 100, { credentials: newApp() });
        await world.clock.advance(MINT_HOURS * HOUR_MS);
        assertAllAdopted(world, 100);
        const mints = world.github.seen.filter(({ operation }) => operation === 'installation_token').length;
        await world.stop();
        const ours = mints / MINT_HOURS;
        return { ours, reference: 1, unit: 'tokens', ratio: ours, better: 'lower', target: 1, bar: 2 };
      },
    },
  ],
};
