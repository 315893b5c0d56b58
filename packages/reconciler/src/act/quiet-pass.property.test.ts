import type { Machine } from '@rungar/model';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aLeaving, aMemory, HOUR, MINUTE, NOW } from '../../test/facts.js';
import { labelsOf, policy } from '../../test/world.js';
import type { Memory } from '../decide/facts.js';
import { listingNeeded } from '../decide/github-status.js';
import { planMatched } from '../decide/plan-pass.js';
import { haveAnswered, isCalm } from '../decide/quiet.js';
import { ListedFleet, ListedGroup } from './listed-fleet.js';
import { type NewRunner, newRunner, type Runner, RunnerBook } from './runners.js';

const VM = policy({
  name: 'vm',
  providers: [{ name: 'a', spec: {}, revision: 'current', size: 'small' }],
  startTimeoutMs: 5 * MINUTE,
  maxRunners: 10,
});
const AGED = policy({ ...VM, maxAgeMs: 2 * HOUR, maxIdleAgeMs: HOUR });

/** How one runner and its machine stand; at rest unless something else is said. */
interface Standing {
  readonly runner: Partial<Omit<Runner, 'name' | 'rank'>>;
  /** Absent: no listing has it. */
  readonly machine?: Partial<Machine>;
  /** How often it is listed. */
  readonly times: number;
}

interface Scene {
  readonly standings: readonly Standing[];
  /** The order of the listing. */
  readonly shuffle: readonly number[];
  readonly aged: boolean;
  readonly strangers: number;
  readonly memory: Partial<Memory>;
  readonly silent: 'none' | 'provider' | 'part';
  readonly miscounted: boolean;
  readonly lastAgeMs: number;
}

const nameAt = (at: number): string => `vm-0000000${at}`;

function play(scene: Scene) {
  const book = new RunnerBook();
  const listed: Machine[] = [];
  const machineOf = (name: string, over: Partial<Machine> = {}): Machine => ({
    name,
    id: `i-${name}`,
    labels: labelsOf(name, { revision: 'current' }),
    state: 'running',
    size: 'small',
    ...over,
  });
  for (const [at, { runner: over, machine, times }] of scene.standings.entries()) {
    const name = nameAt(at);
    const rest: NewRunner = {
      name,
      place: { provider: 'a', part: 'zone', id: `i-${name}` },
      state: 'busy',
      size: 'small',
      adopted: true,
      revision: 'current',
      createdAt: NOW - HOUR / 2,
      countedAt: NOW - HOUR / 2,
      listed: true,
    };
    book.add(
      Object.assign(
        newRunner({ ...rest, ...(over.state && { state: over.state }) }),
        { githubStatus: rest.state },
        over,
      ),
    );
    if (machine) for (let time = 0; time < times; time++) listed.push(machineOf(name, machine));
  }
  for (let at = 0; at < scene.strangers; at++) listed.push(machineOf(`vm-1000000${at}`));
  const order = listed.map((machine, at) => ({ machine, key: scene.shuffle[at] ?? at }));
  const machines = order.sort((a, b) => a.key - b.key).map(({ machine }) => machine);
  const group = new ListedGroup('a', 'zone', NOW);
  for (const machine of machines) group.add(machine);
  const answer = { name: 'a', parts: [{ part: 'zone', begunAt: NOW }], clockOffsetMs: 0 };
  const provider =
    scene.silent === 'provider'
      ? { ...answer, parts: [], error: 'no answer' }
      : scene.silent === 'part'
        ? { ...answer, parts: [...answer.parts, { part: 'other', begunAt: NOW, error: 'no answer' }] }
        : answer;
  const scaleSet = scene.aged ? AGED : VM;
  const counts = { registered: book.runners.size, busy: book.counts.busy, idle: book.counts.idle };
  const statistics = {
    registeredRunners: counts.registered + (scene.miscounted ? 1 : 0),
    busyRunners: counts.busy,
    idleRunners: counts.idle,
  } as Parameters<typeof listingNeeded>[0]['statistics'];
  const last = { begunAt: NOW - scene.lastAgeMs, pages: 1 };
  const memory = aMemory({ ...scene.memory, runners: book.runners });
  const fleet = new ListedFleet(new Map([['a', provider]]), [group]);
  const isQuiet =
    haveAnswered([provider]) &&
    isCalm({ ...memory, waits: new Map(), creating: new Set(), statistics, counts, last, now: NOW }) &&
    book.isAtRest([{ byScaleSet: new Map([['vm', [group]]]) }], 'vm', {
      revisions: new Map([['a', 'current']]),
      limits: scaleSet,
      now: NOW,
    });
  const match = book.match(fleet);
  const plan = planMatched(
    { policy: scaleSet, scaleSetId: 1, now: NOW, wallNow: NOW },
    { fleet, github: { asked: false, lookUps: new Map() } },
    memory,
    match,
  );
  const asks = listingNeeded({
    runners: book.runners,
    isKnown: () => false,
    orphans: memory.orphans,
    fleet,
    match,
    ...(statistics && { statistics }),
    last,
    startTimeoutMs: scaleSet.startTimeoutMs,
    now: NOW,
  });
  return { isQuiet, plan, asks };
}

const atRest: Standing = { runner: {}, machine: {}, times: 1 };
const still: Scene = {
  standings: [atRest, atRest, atRest],
  shuffle: [],
  aged: false,
  strangers: 0,
  memory: {},
  silent: 'none',
  miscounted: false,
  lastAgeMs: MINUTE,
};

test.each<[string, Scene]>([
  ['as it was', still],
  ['in another order', { ...still, shuffle: [2, 3, 1] }],
  [
    'with idle runners of the current revision',
    { ...still, standings: [{ ...atRest, runner: { state: 'idle', githubStatus: 'idle' } }] },
  ],
  ['without runners', { ...still, standings: [] }],
])('a fleet %s is quiet', (_what, scene) => {
  expect(play(scene).isQuiet).toBe(true);
});

test.each<[string, Scene]>([
  ['a machine listed twice in order', { ...still, standings: [{ ...atRest, times: 2 }, atRest] }],
  [
    'a machine listed twice in another order',
    { ...still, standings: [{ ...atRest, times: 2 }, atRest, atRest], shuffle: [1, 3, 0, 2] },
  ],
  ['a runner without a machine', { ...still, standings: [atRest, { runner: {}, times: 1 }] }],
  [
    'one listed twice in place of another',
    {
      ...still,
      standings: [
        { ...atRest, times: 2 },
        { runner: {}, times: 1 },
      ],
    },
  ],
  ['a stopped machine', { ...still, standings: [{ ...atRest, machine: { state: 'stopped' } }] }],
  ['a machine of another id', { ...still, standings: [{ ...atRest, machine: { id: 'i-2' } }] }],
  [
    'an idle runner of another revision',
    { ...still, standings: [{ ...atRest, runner: { state: 'idle', githubStatus: 'idle', revision: 'old' } }] },
  ],
  [
    'a runner over max_age',
    { ...still, aged: true, standings: [{ ...atRest, runner: { createdAt: NOW - 3 * HOUR } }] },
  ],
  ['a machine of no runner', { ...still, strangers: 1 }],
  ['a part that does not answer', { ...still, silent: 'part' }],
  ['one runner more at GitHub', { ...still, miscounted: true }],
  ["GitHub's listing two minutes old", { ...still, lastAgeMs: 2 * MINUTE }],
])('a fleet with %s is not quiet', (_what, scene) => {
  expect(play(scene).isQuiet).toBe(false);
});

test('where a pass is called quiet, its plan is empty and GitHub is not asked', () => {
  const rarely = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
    fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
  const old = NOW - 3 * HOUR;
  const standing = fc.record({
    runner: rarely<Standing['runner']>(
      {},
      { state: 'idle', githubStatus: 'idle' },
      { state: 'idle', githubStatus: 'idle', revision: 'old' },
      { state: 'idle', githubStatus: 'idle', createdAt: old },
      { state: 'idle', githubStatus: 'not_registered' },
      { state: 'starting', githubStatus: undefined },
      { githubStatus: undefined },
      { githubStatus: 'offline', offlineSince: NOW - MINUTE },
      { createdAt: old },
      { createdAt: undefined },
      { removing: true },
      { listed: false },
      { missingSince: NOW - MINUTE },
      { unknownSince: NOW - MINUTE },
      { unknownSince: NOW - 10 * MINUTE },
      { place: { provider: 'b', part: 'zone' } },
      { place: { provider: 'a' } },
      { twins: [{ provider: 'a', part: 'other' }] },
    ),
    machine: rarely<Standing['machine']>(
      {},
      undefined,
      { state: 'starting' },
      { state: 'stopped' },
      { state: 'unknown' },
      { id: 'i-other' },
    ),
    times: rarely(1, 2),
  });
  const scenes = fc.record({
    standings: fc.array(standing, { maxLength: 4 }),
    shuffle: fc.array(fc.nat({ max: 9 }), { maxLength: 8 }),
    aged: fc.boolean(),
    strangers: rarely(0, 1),
    memory: rarely<Partial<Memory>>(
      {},
      { leaving: new Map([['vm-20000000', aLeaving()]]) },
      { left: new Map([['vm-20000000', NOW - 2 * MINUTE]]) },
      { orphans: new Map([['vm-20000000', NOW - MINUTE]]) },
      { unreachable: new Map([['a/', NOW - MINUTE]]) },
      { replacement: { old: nameAt(0), reason: 'outdated', removedFirst: false } },
    ),
    silent: rarely<Scene['silent']>('none', 'provider', 'part'),
    miscounted: rarely(false, true),
    lastAgeMs: rarely(MINUTE, 3 * MINUTE),
  });
  fc.assert(
    fc.property(scenes, (scene) => {
      const { isQuiet, plan, asks } = play(scene as Scene);
      if (!isQuiet) return;
      expect(asks).toBeUndefined();
      const { items, lookUps, forgetLeft, unreachable, orphans } = plan;
      expect({ items, lookUps, forgetLeft, unreachable, orphans }).toEqual({
        items: [],
        lookUps: [],
        forgetLeft: [],
        unreachable: {},
        orphans: {},
      });
    }),
    { numRuns: 3_000 },
  );
});
