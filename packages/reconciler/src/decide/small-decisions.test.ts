import type { MachineState } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { aLeaving, aRunner, HOUR, MINUTE, NOW } from '../../test/facts.js';
import { afterRefusal, backoffMs, isSkipped } from './backoff.js';
import { afterMisfortune, type Brake, brakeMs, describeBrake, isBraked, isOver } from './brake.js';
import { holdDownMs, holdInForce, liftHold, placeHold } from './holds.js';
import { decideOutcome, deletePauseMs, isDeletionDue } from './leaving.js';
import { orderForGivingBack, planGiveBack } from './scale-down.js';
import { stepTowards, targetOf } from './target.js';
import { decideMachine } from './unknown-state.js';

describe('target', () => {
  const wanted = { paused: false, minRunners: 0, maxRunners: 10, assignedJobs: 0 };
  test.each([
    { name: 'the reserve stands on top of the jobs', over: { minRunners: 1, assignedJobs: 3, maxRunners: 8 }, want: 4 },
    { name: 'the maximum bounds both', over: { minRunners: 1, assignedJobs: 3, maxRunners: 3 }, want: 3 },
    { name: 'case 2: fifty jobs want no more than the maximum', over: { maxRunners: 3, assignedJobs: 50 }, want: 3 },
    { name: 'case 69: nobody is wanted while paused', over: { paused: true, minRunners: 2, assignedJobs: 3 }, want: 0 },
  ])('$name', ({ over, want }) => expect(targetOf({ ...wanted, ...over })).toBe(want));

  test.each([
    {
      name: 'what is missing is created',
      target: 4,
      counts: { alive: 1, able: 1, removing: 0, unseen: 0 },
      want: { create: 3, giveBack: 0 },
    },
    {
      name: 'a runner that cannot work is made up for',
      target: 2,
      counts: { alive: 2, able: 1, removing: 0, unseen: 0 },
      want: { create: 1, giveBack: 0 },
    },
    {
      name: 'but never beyond the maximum',
      target: 10,
      counts: { alive: 10, able: 7, removing: 0, unseen: 0 },
      want: { create: 0, giveBack: 0 },
    },
    {
      name: 'what is too many is given back',
      target: 1,
      counts: { alive: 4, able: 4, removing: 0, unseen: 0 },
      want: { create: 0, giveBack: 3 },
    },
    {
      name: 'those already going are not counted twice',
      target: 1,
      counts: { alive: 4, able: 1, removing: 3, unseen: 0 },
      want: { create: 0, giveBack: 0 },
    },
    {
      name: 'those going are made up for when wanted again',
      target: 4,
      counts: { alive: 4, able: 1, removing: 3, unseen: 0 },
      want: { create: 3, giveBack: 0 },
    },
    {
      name: 'none is created for one GitHub has and nobody sees, and none is given back for it',
      target: 3,
      counts: { alive: 1, able: 1, removing: 0, unseen: 2 },
      want: { create: 0, giveBack: 0 },
    },
    {
      name: 'what GitHub has and nobody sees stays below the maximum too',
      target: 10,
      counts: { alive: 8, able: 6, removing: 0, unseen: 1 },
      want: { create: 1, giveBack: 0 },
    },
  ])('$name', ({ target, counts, want }) => expect(stepTowards(target, target === 10 ? 10 : 20, counts)).toEqual(want));
});

describe('back-off', () => {
  test('doubles from 15 s to 2 min and stays there', () => {
    expect([1, 2, 3, 4, 5, 1_000].map(backoffMs)).toEqual([15_000, 30_000, 60_000, 120_000, 120_000, 120_000]);
  });
  const refusal = (startedAt: number, now: number) => ({ startedAt, now, text: 'no room', full: true });
  test('creations that were on their way together count once', () => {
    const first = afterRefusal(undefined, refusal(NOW, NOW + 100));
    const second = afterRefusal(first, refusal(NOW + 99, NOW + 200));
    expect(second).toMatchObject({ refusals: 1, skipUntil: NOW + 15_100 });
    expect(afterRefusal(second, refusal(NOW + 20_000, NOW + 20_100))).toMatchObject({
      refusals: 2,
      skipUntil: NOW + 50_100,
    });
  });
  test('a provider is tried again at the very end of its back-off', () => {
    const backoff = afterRefusal(undefined, refusal(NOW, NOW));
    expect(isSkipped(backoff, NOW + 14_999)).toBe(true);
    expect(isSkipped(backoff, NOW + 15_000)).toBe(false);
  });
});

describe('holds', () => {
  const hold = (priority: number, since = NOW) => ({ scaleSet: `p${priority}`, priority, since });
  const down = holdDownMs(30_000);
  test('last twice the interval of passes, to the very end', () => {
    expect(holdInForce(hold(1), NOW + 60_000, down)).toBe(true);
    expect(holdInForce(hold(1), NOW + 60_001, down)).toBe(false);
  });
  test('a stronger one in force stays, any other is replaced', () => {
    expect(placeHold(hold(2), hold(1, NOW + 1), down)).toEqual(hold(2));
    expect(placeHold(hold(2), hold(2, NOW + 1), down)).toEqual(hold(2, NOW + 1));
    expect(placeHold(hold(1), hold(2, NOW + 1), down)).toEqual(hold(2, NOW + 1));
    expect(placeHold(hold(2), hold(1, NOW + 60_001), down)).toEqual(hold(1, NOW + 60_001));
  });
  test('are lifted by whoever has at least their priority', () => {
    expect(liftHold(hold(2), 2)).toBeUndefined();
    expect(liftHold(hold(2), 3)).toBeUndefined();
    expect(liftHold(hold(2), 1)).toEqual(hold(2));
  });
});

describe('brake', () => {
  test('begins with the third misfortune in a row and doubles to ten minutes', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 99].map(brakeMs)).toEqual([
      0, 0, 30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000,
    ]);
  });
  test('takes runners that came to nothing together for one misfortune, once it is on', () => {
    let brake: Brake | undefined;
    const fail = (createdAt: number, now: number): void => {
      brake = afterMisfortune(brake, { runner: 'r', kind: 'never_connected', createdAt, now });
    };
    for (let one = 0; one < 20; one++) fail(NOW - 1, NOW);
    expect(brake).toMatchObject({ strikes: 3, tryAgainAt: NOW + 30_000 });
    fail(NOW + 30_000, NOW + 40_000);
    expect(brake).toMatchObject({ strikes: 4, tryAgainAt: NOW + 100_000 });
  });
  test('is over with a runner that has worked since, and not with one that had worked before', () => {
    const brake = afterMisfortune(undefined, { runner: 'r', kind: 'died_young', createdAt: NOW, now: NOW });
    expect(isOver(brake, NOW - 119_999)).toBe(true);
    expect(isOver(brake, NOW - 120_000)).toBe(false);
    expect(isOver(brake, undefined)).toBe(false);
  });
  test('says what it saw, and where to look', () => {
    let brake: Brake | undefined;
    for (const runner of ['r-1', 'r-2', 'r-3'])
      brake = afterMisfortune(brake, { runner, kind: 'died_young', createdAt: NOW, now: NOW });
    expect(isBraked(brake)).toBe(true);
    expect(brake && describeBrake(brake)).toMatch(/3 runners in a row .* r-3, .*runner version/);
  });
});

describe('a machine', () => {
  test.each<{ states: MachineState[]; unknownSince?: number; want: string }>([
    { states: ['starting'], want: 'alive' },
    { states: ['running'], want: 'alive' },
    { states: ['stopped'], want: 'ended' },
    { states: ['unknown'], want: 'unknown' },
    { states: ['unknown'], unknownSince: NOW - 5 * MINUTE, want: 'unknown' },
    { states: ['unknown'], unknownSince: NOW - 5 * MINUTE - 1, want: 'written_off' },
    { states: ['stopped', 'running'], want: 'alive' },
    { states: ['stopped', 'unknown'], want: 'unknown' },
    { states: ['stopped', 'stopped'], want: 'ended' },
  ])('in state $states, unknown since $unknownSince, is $want', ({ states, unknownSince, want }) => {
    expect(decideMachine(states, { ...(unknownSince !== undefined && { unknownSince }) }, NOW).kind).toBe(want);
  });
});

describe('leaving', () => {
  const START = 5 * MINUTE;
  const registered = (at: number) => ({ at, registration: { id: 1, name: 'vm-00000001', scaleSetId: 1 } });
  const outcome = (...args: Parameters<typeof decideOutcome>): string | undefined => decideOutcome(...args)?.reason;
  test('case 42: without a registration it has done its job', () => {
    expect(outcome({ endedAt: NOW }, { at: NOW }, START, NOW)).toBe('job_completed');
  });
  test('an answer older than its end proves nothing', () => {
    expect(outcome({ endedAt: NOW }, { at: NOW - 1 }, START, NOW)).toBeUndefined();
  });
  test('case 43: with one it is lost, after start_timeout', () => {
    expect(outcome({ endedAt: NOW - START }, registered(NOW), START, NOW)).toBeUndefined();
    expect(outcome({ endedAt: NOW - START - 1 }, registered(NOW), START, NOW)).toBe('ended');
  });
  test('case 44: while GitHub is silent nothing is known, however long', () => {
    expect(outcome({ endedAt: NOW - HOUR }, undefined, START, NOW)).toBeUndefined();
  });
  test('case 45: what a message has said stays', () => {
    const known = { kind: 'removed', reason: 'job_completed', proof: [] } as const;
    expect(outcome({ endedAt: NOW - HOUR, outcome: known }, registered(NOW), START, NOW)).toBeUndefined();
  });
  test('deletions are repeated after 30 s, doubling to a quarter of an hour', () => {
    expect([1, 2, 3, 4, 5, 6, 50].map(deletePauseMs)).toEqual([
      30_000, 60_000, 120_000, 240_000, 480_000, 900_000, 900_000,
    ]);
    expect(isDeletionDue(aLeaving({ deleteAgainAt: NOW + 1 }), NOW)).toBe(false);
    expect(isDeletionDue(aLeaving({ deleteAgainAt: NOW }), NOW)).toBe(true);
    expect(isDeletionDue(aLeaving({ deleting: true }), NOW)).toBe(false);
  });
});

describe('giving back', () => {
  const currentRevision = () => 'current';
  const order = (...runners: ReturnType<typeof aRunner>[]): string[] =>
    orderForGivingBack(runners, currentRevision, NOW).map(({ name }) => name);
  test('case 17: outdated before older before newer', () => {
    const outdated = aRunner({ name: 'outdated', revision: 'old', createdAt: NOW - 1 });
    const older = aRunner({ name: 'older', createdAt: NOW - 3 });
    const newer = aRunner({ name: 'newer', createdAt: NOW - 2 });
    const unknown = aRunner({ name: 'unknown', createdAt: undefined });
    expect(order(newer, older, unknown, outdated)).toEqual(['outdated', 'unknown', 'older', 'newer']);
  });
  test('suspects before all, starting before idle, names last', () => {
    const suspect = aRunner({ name: 'suspect', githubStatus: 'not_registered' });
    const starting = aRunner({ name: 'starting', state: 'starting', createdAt: NOW });
    expect(order(aRunner({ name: 'b' }), aRunner({ name: 'a' }), starting, suspect)).toEqual([
      'suspect',
      'starting',
      'a',
      'b',
    ]);
  });
  const question = { unsent: [], sent: 0, runners: [], currentRevision, skip: new Set<string>(), now: NOW };
  test('undoes unsent creations first, youngest first, and waits for those sent', () => {
    const unsent = [1, 3, 2].map((n) => ({ name: `c-${n}`, startedAt: NOW + n }));
    const runners = [aRunner({ name: 'idle' })];
    expect(planGiveBack({ ...question, count: 2, unsent, runners })).toEqual({ cancel: ['c-3', 'c-2'], remove: [] });
    expect(planGiveBack({ ...question, count: 5, unsent, sent: 1, runners })).toEqual({
      cancel: ['c-3', 'c-2', 'c-1'],
      remove: ['idle'],
    });
    expect(planGiveBack({ ...question, count: 4, unsent, sent: 1, runners })).toEqual({
      cancel: ['c-3', 'c-2', 'c-1'],
      remove: [],
    });
  });
  test('case 15: never one with a job, nor one that is going or has just refused to', () => {
    const runners = [
      aRunner({ name: 'busy', state: 'busy' }),
      aRunner({ name: 'going', removing: true }),
      aRunner({ name: 'refused' }),
    ];
    expect(planGiveBack({ ...question, count: 3, runners, skip: new Set(['refused']) })).toEqual({
      cancel: [],
      remove: [],
    });
  });
});
