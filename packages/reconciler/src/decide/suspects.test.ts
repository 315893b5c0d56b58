import type { GitHubStatus } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { aFleet, aRunner, HOUR, MINUTE, NOW } from '../../test/facts.js';
import type { RunnerFacts } from './facts.js';
import { coverageOf, decideAbsence, isSettled, isSuspect, isWrittenOff } from './suspects.js';

const START = 5 * MINUTE;

interface Row {
  name: string;
  runner?: Partial<Record<keyof RunnerFacts, unknown>>;
  begunAt?: number;
  upToDate?: boolean;
  status?: GitHubStatus;
  lookUp?: { at: number; registered: boolean };
  want: string;
}

test.each<Row>([
  { name: 'case 38: one created during the listing is not missing from it', runner: { countedAt: NOW }, want: 'none' },
  {
    name: 'a listing begun a moment after it counted can show it missing',
    runner: { countedAt: NOW - 1 },
    want: 'suspect',
  },
  {
    name: 'a new one that no listing has had yet is not missing',
    runner: { listed: false, createdAt: NOW - START, countedAt: NOW - START },
    want: 'none',
  },
  {
    name: 'it is where listings have a machine as soon as its creation was answered',
    runner: { listed: false, createdAt: NOW - 1, countedAt: NOW - 1 },
    upToDate: true,
    want: 'suspect',
  },
  {
    name: 'and ends there with the second listing, 30 s later',
    runner: { listed: false, createdAt: NOW - 40_000, countedAt: NOW - 40_000, missingSince: NOW - 30_000 },
    upToDate: true,
    want: 'ended',
  },
  {
    name: 'but it is once it is older than start_timeout',
    runner: { listed: false, createdAt: NOW - START - 1, countedAt: NOW - START - 1 },
    want: 'suspect',
  },
  {
    name: 'case 42: it has ended when GitHub, asked after the listing, has no registration',
    lookUp: { at: NOW, registered: false },
    want: 'ended',
  },
  { name: 'an older look-up does not prove it', lookUp: { at: NOW - 1, registered: false }, want: 'suspect' },
  { name: 'a look-up that finds it does not prove it', lookUp: { at: NOW, registered: true }, want: 'suspect' },
  {
    name: 'a second listing begun less than 30 s after the first does not prove it',
    runner: { missingSince: NOW - 29_999 },
    want: 'suspect',
  },
  {
    name: 'a second listing begun 30 s after the first proves it',
    runner: { missingSince: NOW - 30_000 },
    want: 'ended',
  },
  {
    name: 'one GitHub shows at rest is held to',
    runner: { missingSince: NOW - START },
    status: 'idle',
    want: 'suspect',
  },
  {
    name: 'and goes the safe way after start_timeout',
    runner: { missingSince: NOW - START - 1 },
    status: 'idle',
    want: 'unseen',
  },
  {
    name: 'one GitHub shows with a job is held to for as long as it does',
    runner: { missingSince: NOW - HOUR },
    status: 'busy',
    want: 'suspect',
  },
])('$name', ({ runner, begunAt = NOW, upToDate = false, status, lookUp, want }) => {
  const absence = decideAbsence({
    runner: aRunner(runner as Partial<RunnerFacts>),
    begunAt,
    upToDate,
    ...(status && { status }),
    ...(lookUp && {
      lookUp: {
        at: lookUp.at,
        ...(lookUp.registered && { registration: { id: 1, name: 'vm-00000001', scaleSetId: 1 } }),
      },
    }),
    startTimeoutMs: START,
    now: NOW,
  });
  expect(absence.kind).toBe(want);
});

describe('which part of the fleet can show a machine', () => {
  const parts = [
    { part: 'x', begunAt: NOW - 2 },
    { part: 'y', begunAt: NOW - 1, error: 'down' },
  ];
  test('its own part alone, where that is known', () => {
    expect(coverageOf({ provider: 'a', part: 'x' }, aFleet([], { parts }))).toEqual({
      kind: 'answered',
      begunAt: NOW - 2,
      upToDate: false,
    });
    expect(coverageOf({ provider: 'a', part: 'y' }, aFleet([], { parts }))).toEqual({ kind: 'silent', keys: ['a/y'] });
  });
  test('all of them, while it is not', () => {
    expect(coverageOf({ provider: 'a' }, aFleet([], { parts }))).toEqual({ kind: 'silent', keys: ['a/y'] });
  });
  test('none, of a provider that does not answer', () => {
    expect(coverageOf({ provider: 'a', part: 'x' }, aFleet([], { error: 'down' }))).toEqual({
      kind: 'silent',
      keys: ['a/'],
    });
  });
});

test('a silent part is written off after more than five minutes', () => {
  const since = (ms: number): Map<string, number> => new Map([['a/', NOW - ms]]);
  expect(isWrittenOff(['a/'], since(5 * MINUTE), NOW)).toBe(false);
  expect(isWrittenOff(['a/'], since(5 * MINUTE + 1), NOW)).toBe(true);
  expect(isWrittenOff(['a/'], new Map(), NOW)).toBe(false);
});

test.each([
  { name: 'a runner both sides know is none', runner: {}, want: false },
  { name: 'one whose registration is gone is', runner: { githubStatus: 'not_registered' as const }, want: true },
  {
    name: 'one that is starting may still register',
    runner: { state: 'starting' as const, githubStatus: 'not_registered' as const },
    want: false,
  },
  { name: 'one missing for a minute is none yet', runner: { missingSince: NOW - MINUTE }, want: false },
  { name: 'one missing for longer is', runner: { missingSince: NOW - MINUTE - 1 }, want: true },
  {
    name: 'one missing that GitHub shows connected is none',
    runner: { missingSince: NOW - HOUR, githubStatus: 'idle' as const },
    want: false,
  },
  {
    name: 'one whose machine is unknown for a minute is none yet',
    runner: { unknownSince: NOW - MINUTE },
    want: false,
  },
  { name: 'one whose machine is unknown for longer is', runner: { unknownSince: NOW - MINUTE - 1 }, want: true },
  { name: 'one with a job is none', runner: { state: 'busy' as const, unknownSince: NOW - HOUR }, want: false },
])('suspects: $name', ({ runner, want }) => expect(isSuspect(aRunner(runner), NOW)).toBe(want));

describe('a creation that ended unknown', () => {
  const listed = (...parts: { begunAt: number; error?: string }[]) => ({
    name: 'a',
    clockOffsetMs: 0,
    parts: parts.map((part, at) => ({ part: `zone-${at}`, ...part })),
  });
  const since = NOW - MINUTE;

  test.each([
    ['is settled once every part was listed after it', listed({ begunAt: since + 1 }, { begunAt: NOW }), true],
    ['is not by a listing begun before it, though answered after', listed({ begunAt: since }, { begunAt: NOW }), false],
    ['is not while a part is silent', listed({ begunAt: NOW }, { begunAt: NOW, error: 'no answer' }), false],
    ['is not while the provider is silent', { ...listed(), error: 'no answer' }, false],
    ['is where the provider is there no more', undefined, true],
  ])('%s', (_what, provider, expected) => expect(isSettled(provider, since, NOW)).toBe(expected));

  test('is given up with the silent provider after five minutes', () => {
    const silent = { ...listed(), error: 'no answer' };
    expect(isSettled(silent, NOW - 5 * MINUTE, NOW)).toBe(false);
    expect(isSettled(silent, NOW - 5 * MINUTE - 1, NOW)).toBe(true);
  });
});
