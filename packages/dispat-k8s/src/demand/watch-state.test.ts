import { describe, expect, test } from 'vitest';
import { branchName } from '../../test/mailbox.js';
import type { PoolPhase } from './cluster-port.js';
import type { Branch } from './parse-refs.js';
import { decideWatch, INITIAL_STATE, type PoolState, startFailed, type WatchSettings } from './watch-state.js';

const pool = { prefix: 'w-', count: 4 };
const settings: WatchSettings = { eager: false, max: 50, serveQueued: false, retry: false, preflightMs: 600_000 };

const branch = (node: string, kind: Branch['kind'] = 'probe', id = 1): Branch => ({
  name: branchName(node, kind, id),
  node,
  kind,
  day: 0,
  oid: 'a'.repeat(40),
});
const probes = (count: number, id = 1): Branch[] =>
  Array.from({ length: count }, (_, index) => branch(`w-${index}`, 'probe', id));

interface Poll {
  readonly waiting?: readonly Branch[];
  readonly phase?: PoolPhase;
  readonly now?: number;
}

/** Runs polls in a row; says for each what it led to. */
function watch(polls: readonly Poll[], more: Partial<WatchSettings> = {}, from: PoolState = INITIAL_STATE) {
  let state = from;
  return polls.map(({ waiting = [], phase = 'none', now = 0 }) => {
    const step = decideWatch(pool, state, { now, waiting, phase, firstSeen: () => 0 }, { ...settings, ...more });
    state = step.state;
    return { is: state.is, start: step.start, report: step.report, state };
  });
}

const starts = (...args: Parameters<typeof watch>): boolean[] => watch(...args).map(({ start }) => start);
const wanted = { waiting: probes(4) };

describe('A71: probes for the pool', () => {
  test('seen twice start it, and never a second time', () => {
    const steps = watch([
      wanted,
      wanted,
      { ...wanted, phase: 'starting' },
      { ...wanted, phase: 'serving' },
      { ...wanted, phase: 'finished' },
      { ...wanted, phase: 'finished' },
      { ...wanted, phase: 'none' },
    ]);
    expect(steps.map(({ start }) => start)).toEqual([false, true, false, false, false, false, false]);
    expect(steps.map(({ is }) => is)).toEqual(['idle', 'starting', 'starting', 'serving', 'idle', 'idle', 'idle']);
  });

  test('start it at once when eager', () => {
    expect(starts([wanted], { eager: true })).toEqual([true]);
  });

  test('that were gone in between begin to count anew', () => {
    expect(starts([wanted, {}, wanted, wanted])).toEqual([false, false, false, true]);
  });

  test('of another run start it again once it has ended', () => {
    const next = { waiting: [...probes(4, 1), ...probes(4, 2)] };
    expect(
      starts([wanted, wanted, { phase: 'serving' }, { ...next, phase: 'finished' }, { ...next, phase: 'finished' }]),
    ).toEqual([false, true, false, false, true]);
  });

  test('beside a workload of somebody else are what that one is for', () => {
    const found = { waiting: probes(4, 2) };
    expect(
      starts([
        { ...found, phase: 'serving' },
        { ...found, phase: 'finished' },
        { ...found, phase: 'finished' },
      ]),
    ).toEqual([false, false, false]);
  });

  test('that came while it served, and that it left unclaimed, start it again', () => {
    const late = { waiting: probes(4, 2) };
    expect(
      starts([
        wanted,
        wanted,
        { phase: 'serving' },
        { ...late, phase: 'serving' },
        { ...late, phase: 'finished' },
        late,
      ]),
    ).toEqual([false, true, false, false, false, true]);
  });

  test('start nothing while a workload is alive that somebody else created', () => {
    expect(
      starts([
        { ...wanted, phase: 'starting' },
        { ...wanted, phase: 'starting' },
        { ...wanted, phase: 'serving' },
      ]),
    ).toEqual([false, false, false]);
  });
});

describe('A72: other names than the pool’s', () => {
  test('start nothing, and are reported once', () => {
    const steps = watch([{ waiting: probes(8) }, { waiting: probes(8) }, { waiting: probes(8) }]);
    expect(steps.map(({ start }) => start)).toEqual([false, false, false]);
    expect(steps[0]?.report).toBeUndefined();
    expect(steps[1]?.report).toContain('w-4, w-5, w-6, w-7');
    expect(steps[2]?.report).toBeUndefined();
  });

  test('start nothing when some are missing', () => {
    const steps = watch([{ waiting: probes(3) }, { waiting: probes(3) }]);
    expect(steps[1]).toMatchObject({ start: false });
    expect(steps[1]?.report).toContain('does not want w-3');
  });

  test('of another pool do not matter', () => {
    const waiting = [...probes(4), branch('x-0'), branch('laptop')];
    expect(starts([{ waiting }, { waiting }])).toEqual([false, true]);
  });

  test('start nothing beyond the largest pool allowed', () => {
    const steps = watch([wanted, wanted], { max: 3 });
    expect(steps[1]).toMatchObject({ start: false });
    expect(steps[1]?.report).toContain('--max 3');
  });
});

describe('a pool that failed', () => {
  const failed = { ...wanted, phase: 'failed' } as const;

  test('is not started again for the same probes', () => {
    expect(starts([wanted, wanted, failed, failed, failed])).toEqual([false, true, false, false, false]);
  });

  test('is not started again by a watcher that comes later, and says why', () => {
    const steps = watch([failed, failed, failed]);
    expect(steps.map(({ start }) => start)).toEqual([false, false, false]);
    expect(steps.map(({ report }) => report?.includes('--retry'))).toEqual([true, undefined, undefined]);
  });

  test('is started for the probes of the next run, which come after it', () => {
    const next = { ...failed, waiting: [...probes(4, 1), ...probes(4, 2)] };
    expect(starts([failed, next, next])).toEqual([false, false, true]);
  });

  test('is, where that is asked for', () => {
    expect(starts([failed, failed], { retry: true })).toEqual([false, true]);
    expect(starts([wanted, wanted, failed, failed], { retry: true })).toEqual([false, true, false, true]);
  });

  test('may be tried again when it was never created', () => {
    const [, second] = watch([wanted, wanted]);
    if (second === undefined) throw new Error('two polls were made');
    expect(starts([wanted], {}, startFailed(second.state))).toEqual([true]);
  });
});

describe('work without a probe', () => {
  const queued = { waiting: [branch('w-1', 'build')] };

  test('starts nothing', () => {
    expect(starts([queued, queued, queued])).toEqual([false, false, false]);
  });

  test('starts the pool where that is asked for', () => {
    expect(starts([queued, queued], { serveQueued: true })).toEqual([false, true]);
  });

  test('of a name the pool does not have starts nothing even then', () => {
    const other = { waiting: [branch('w-9', 'build')] };
    expect(starts([other, other], { serveQueued: true })).toEqual([false, false]);
  });
});

describe('the time a run waits', () => {
  test.each([
    { age: 600_000, report: false },
    { age: 600_001, report: true },
  ])('probes $age ms old are reported: $report', ({ age, report }) => {
    const [step] = watch([{ ...wanted, now: age }]);
    expect(step?.report !== undefined).toBe(report);
  });

  test('counts how long starts took before', () => {
    const started: PoolState = { ...INITIAL_STATE, is: 'starting', startedAt: 10_000 };
    const [served] = watch([{ phase: 'serving', now: 310_000 }], {}, started);
    expect(served?.state.startTimes).toEqual([300_000]);
    const [late] = watch([{ ...wanted, now: 300_001 }], {}, { ...INITIAL_STATE, startTimes: [300_000] });
    expect(late?.report).toContain('raise execution.timeouts.preflight');
  });

  test('is told once, not at every poll', () => {
    const late = { ...wanted, phase: 'starting', now: 700_000 } as const;
    expect(watch([late, { ...late, now: 710_000 }]).map(({ report }) => report !== undefined)).toEqual([true, false]);
  });
});
