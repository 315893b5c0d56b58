import { type Random, RungarError } from '@rungar/model';
import { seededRandom } from '@rungar/model/testing';
import { expect, test } from 'vitest';
import type { Fault } from './fake-provider.js';
import { labelsOf, MINUTE, on, policy, SECOND, type World, world } from './world.js';

/** How much goes wrong, as shares of calls or of steps. */
interface Trouble {
  readonly refusals: number;
  readonly lostReplies: number;
  readonly github: number;
  readonly outages: number;
  readonly sessionLosses: number;
  readonly kills: number;
  readonly crashes: number;
}

const CALM: Trouble = { refusals: 0, lostReplies: 0, github: 0, outages: 0, sessionLosses: 0, kills: 0, crashes: 0 };
const ROUGH: Trouble = {
  refusals: 0.1,
  lostReplies: 0.05,
  github: 0.1,
  outages: 0.03,
  sessionLosses: 0.03,
  kills: 0,
  crashes: 0.02,
};
const WILD: Trouble = { ...ROUGH, refusals: 0.2, lostReplies: 0.1, github: 0.2, kills: 0.03 };

const MAX = 5;
const ROOM_ON_A = 3;
const SETS = ['vm', 'arm'];

function simulated(seed: number): World {
  const w = world({
    seed,
    scaleSets: [
      policy({ name: 'vm', minRunners: 1, maxRunners: MAX, providers: on('a', 'b') }),
      policy({ name: 'arm', maxRunners: MAX, placement: 'pack', priority: 1, providers: on('b', 'a') }),
    ],
    providers: [
      { name: 'a', maxRunners: ROOM_ON_A },
      { name: 'b', parts: ['b-1'], acceptMs: 100 },
    ],
  });
  w.github.listingAgeMs = 15 * SECOND;
  w.provider('a').put('stranger', {});
  w.provider('a').put('vm-00000001', labelsOf('vm-00000001', { installation: 'gh-000000000000' }));
  w.provider('b').put('old-00000001', labelsOf('old-00000001', { scaleSet: 'old' }));
  return w;
}

const FOREIGN = ['old-00000001', 'stranger', 'vm-00000001'];

function trouble(w: World, random: Random, level: Trouble): void {
  const hit = (share: number): boolean => random.fraction() < share;
  for (const provider of w.providers.values()) {
    provider.listLagMs = level === CALM ? 0 : 10 * SECOND;
    provider.chooseFault = (call): Fault | undefined => {
      if (hit(level.refusals)) return call === 'create' && hit(0.5) ? 'full' : 'broken';
      return hit(level.lostReplies) ? 'lost_reply' : undefined;
    };
  }
  w.github.chooseFault = (call) => {
    if (!hit(level.github)) return undefined;
    return call !== 'open' && hit(0.4) ? 'lost' : new RungarError('unavailable', 'GitHub does not answer');
  };
}

/** Jobs are cancelled, and while their runners are being given back some of them take a job after all. */
async function cancelAndRace(w: World, random: Random, set: string): Promise<void> {
  w.github.cancelWaiting(set);
  for (let moment = 0; moment < 4; moment++) {
    await w.clock.advance(Math.ceil(random.fraction() * 120));
    const [lucky] = [...w.github.runners.values()].filter(
      ({ name, online, job }) => online && !job && name.startsWith(`${set}-`),
    );
    if (lucky) w.github.give(lucky.name, 30 * SECOND);
  }
}

/** Somebody asks for this and that, and does not wait for it. */
function operate(w: World, random: Random): void {
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random.fraction() * from.length)];
  const asked = Math.floor(random.fraction() * 40);
  const { reconciler } = w;
  const signal = new AbortController().signal;
  const named = [
    ...w.machines().filter((name) => !FOREIGN.includes(name)),
    ...[...w.github.runners.values()].map(({ name }) => name),
  ];
  if (asked < 4) void reconciler.removeRunner(pick(named) ?? 'vm-0badf00d', signal).catch(() => {});
  else if (asked === 4) void reconciler.reconcile(pick(SETS) ?? 'vm', signal).catch(() => {});
  else if (asked === 5) reconciler.disableProvider(pick(['a', 'b']) ?? 'a');
  else if (asked < 9) for (const name of ['a', 'b']) reconciler.enableProvider(name);
  else if (asked === 9) reconciler.pause(pick(SETS) ?? 'vm');
  else if (asked < 13) for (const name of SETS) reconciler.resume(name);
}

async function step(w: World, random: Random, level: Trouble): Promise<void> {
  const hit = (share: number): boolean => random.fraction() < share;
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random.fraction() * from.length)];
  if (hit(0.25)) {
    const set = pick(SETS) ?? 'vm';
    for (let more = random.fraction() * 4; more > 0; more--)
      w.github.queueJob(set, (10 + random.fraction() * 120) * SECOND);
  }
  if (hit(0.1)) await cancelAndRace(w, random, pick(SETS) ?? 'vm');
  if (hit(level.sessionLosses)) w.github.loseSession(pick(SETS) ?? 'vm');
  if (hit(level.kills)) w.kill();
  if (hit(level.outages)) {
    const provider = pick([...w.providers.values()]);
    if (provider) provider.down = !provider.down;
  }
  if (hit(level.crashes)) {
    const name = pick(w.machines().filter((one) => !FOREIGN.includes(one)));
    if (name !== undefined) {
      for (const provider of w.providers.values()) provider.vanish(name);
      w.github.crash(name);
    }
  }
  operate(w, random);
  await w.clock.advance((1 + random.fraction() * 15) * SECOND);
}

/** What must hold at every moment, whatever goes wrong. */
function mustHold(w: World, level: Trouble): void {
  expect(w.failure).toBeUndefined();
  expect(w.killed).toEqual([]);
  const machines = w.machines();
  for (const foreign of FOREIGN) expect(machines).toContain(foreign);
  const own = machines.filter((name) => !FOREIGN.includes(name));
  expect(new Set(own).size).toBe(own.length);
  if (level !== CALM) return;
  // A runner that is let go has no registration any more; its machine may stand a moment longer.
  const registered = own.filter((name) => w.github.named(name));
  for (const set of SETS) {
    expect(registered.filter((name) => name.startsWith(`${set}-`)).length).toBeLessThanOrEqual(MAX);
  }
  const onA = [...w.provider('a').machines.values()].filter(({ machine }) => !FOREIGN.includes(machine.name));
  expect(onA.length).toBeLessThanOrEqual(ROOM_ON_A);
}

async function simulate(seed: number, level: Trouble): Promise<void> {
  const random = seededRandom(seed);
  const w = simulated(seed);
  trouble(w, random, level);
  w.start();
  for (let steps = 0; steps < 60; steps++) {
    await step(w, random, level);
    mustHold(w, level);
  }
  trouble(w, random, CALM);
  for (const provider of w.providers.values()) provider.down = false;
  for (const name of ['a', 'b']) w.reconciler.enableProvider(name);
  for (const name of SETS) w.reconciler.resume(name);
  for (let waited = 0; waited < 60; waited++) {
    await w.clock.advance(MINUTE);
    mustHold(w, level);
  }
  expect(w.github.unfinished()).toEqual([]);
  const own = w.machines().filter((name) => !FOREIGN.includes(name));
  expect(own).toHaveLength(1);
  expect([...w.github.runners.values()].map(({ name }) => name)).toEqual(own);
  // A runner that was given up unseen may be seen again, and a lost one's registration goes as an orphan.
  const ends = w.happened('removed', 'lost').filter((text) => !/ (unreachable|orphaned)$/.test(text));
  const ended = ends.map((text) => text.split(' ')[1]);
  if (level.kills === 0) expect(ended).toEqual([...new Set(ended)]);
  await w.stop();
  expect(w.failure).toBeUndefined();
  expect([...w.github.sets.values()].some(({ session }) => session?.open)).toBe(false);
}

const seeds = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test.each(seeds(2))('without trouble, every job is run and nothing is left over (seed %i)', (seed) =>
  simulate(seed, CALM),
);
test.each(seeds(2))('with refusals, lost answers, outages and crashes (seed %i)', (seed) => simulate(seed, ROUGH));
test.each(seeds(3))('with all that, and the daemon killed now and then (seed %i)', (seed) => simulate(seed, WILD));
