import type { DeleteOutcome } from '@rungar/model';
import { type FakeClock, fakeClock } from '@rungar/model/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Outstanding, rememberOutstanding, type Taken } from './outstanding.js';

const NAME = 'linux-1ff1015a';
const unending = (): AbortSignal => new AbortController().signal;

let clock: FakeClock;
let outstanding: Outstanding;

beforeEach(() => {
  clock = fakeClock();
  outstanding = rememberOutstanding(clock);
});

/** Asks for the machine, in one request for each of these outcomes. */
async function ask(...outcomes: readonly (Taken | 'answered')[]): Promise<void> {
  const left = [...outcomes];
  const send = async (): Promise<void> => {
    if (left[0] !== 'answered') throw new Error(left[0]);
  };
  const sendOne = outstanding.asking(NAME, send, (error) => (error as Error).message as Taken);
  for (; left.length > 0; left.shift()) await sendOne().catch(() => {});
}

/** Deletes by name, where the looks find these one after the other, and the last for ever. */
async function remove(...found: readonly DeleteOutcome[]): Promise<{ outcome: string; looks: number; ms: number }> {
  let looks = 0;
  const begunAt = clock.now();
  const look = async (): Promise<DeleteOutcome> => found[Math.min(looks++, found.length - 1)] ?? 'absent';
  let outcome: string | undefined;
  outstanding.deleteOnceThere(NAME, look, unending()).then(
    (value) => {
      outcome = value;
    },
    (error: { code: string }) => {
      outcome = error.code;
    },
  );
  while (outcome === undefined) await clock.advance(100);
  return { outcome, looks, ms: clock.now() - begunAt };
}

describe('a machine that was asked for', () => {
  test.each<[string, readonly (Taken | 'answered')[]]>([
    ['was refused', ['never']],
    ['waited for its turn', ['no', 'no']],
    ['was refused after an unknown outcome', ['unknown', 'never']],
  ])('and %s is absent at the first look', async (_what, outcomes) => {
    await ask(...outcomes);
    expect(await remove('absent')).toMatchObject({ outcome: 'absent', looks: 1 });
  });

  test.each<[string, readonly (Taken | 'answered')[]]>([
    ['has no known outcome', ['unknown']],
    ['waited for its turn after that', ['unknown', 'no']],
    ['is still being made', ['answered']],
  ])('and %s is looked for until it comes', async (_what, outcomes) => {
    await ask(...outcomes);
    expect(await remove('absent', 'stranger', 'deleted')).toMatchObject({ outcome: 'deleted', looks: 3 });
    expect(await remove('absent')).toMatchObject({ outcome: 'absent', looks: 1 });
  });

  test('and never comes is unknown for a minute, ten seconds of which each deletion waits', async () => {
    await ask('unknown');
    const first = await remove('absent');
    expect(first).toMatchObject({ outcome: 'unavailable', looks: 6 });
    expect(first.ms).toBeLessThanOrEqual(10_100);
    await clock.advance(50_000);
    expect(await remove('stranger')).toMatchObject({ outcome: 'stranger', looks: 1 });
  });

  test('and is there, or never will be, is looked for once', async () => {
    await ask('answered');
    outstanding.answered(NAME);
    expect(await remove('absent')).toMatchObject({ outcome: 'absent', looks: 1 });
  });
});

test('a deletion that waits ends with its caller', async () => {
  await ask('unknown');
  const stop = new AbortController();
  const deleting = outstanding.deleteOnceThere(NAME, async () => 'absent', stop.signal);
  await clock.advance(100);
  stop.abort(new Error('enough'));
  await expect(deleting).rejects.toThrow('enough');
});

test('a look that fails is told at once', async () => {
  await ask('unknown');
  const failing = outstanding.deleteOnceThere(NAME, () => Promise.reject(new Error('not now')), unending());
  await expect(failing).rejects.toThrow('not now');
});
