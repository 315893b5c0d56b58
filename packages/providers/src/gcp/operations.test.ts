import { RungarError } from '@rungar/model';
import { type FakeClock, fakeClock } from '@rungar/model/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { type OpenCalls, trackCalls } from '../shared/open-calls.js';
import type { Page, PageRequest } from './client.js';
import { GceError } from './errors.js';
import { type OperationWatcher, watchOperations } from './operations.js';
import type { RawOperation } from './wire.js';

const ZONE = 'europe-west1-b';
const NEWER = '2027-01-04T01:00:10.000-08:00';
const OLDER = '2027-01-04T01:00:00.000-08:00';

let clock: FakeClock;
let calls: OpenCalls;
let watcher: OperationWatcher;
/** What Google would list, newest first. */
let operations: RawOperation[];
let failure: GceError | undefined;
let asked: string[];

beforeEach(() => {
  clock = fakeClock();
  calls = trackCalls(() => new RungarError('unavailable', 'closed'));
  operations = [];
  failure = undefined;
  asked = [];
  const listOperations = async (zone: string, { pageToken = '0' }: PageRequest): Promise<Page<RawOperation>> => {
    asked.push(`list ${zone.slice(-1)} ${pageToken}`);
    if (failure) throw failure;
    const start = Number(pageToken);
    const more = start + 2 < operations.length ? { nextPageToken: String(start + 2) } : {};
    return { items: operations.slice(start, start + 2), ...more };
  };
  const getOperation = async (_zone: string, name: string): Promise<RawOperation> => {
    asked.push(`get ${name}`);
    const found = operations.find((one) => one.name === name);
    if (!found) throw new GceError('notFound', 'Not there.', 'invalid', 404);
    return found;
  };
  watcher = watchOperations({ gce: { listOperations, getOperation }, clock, calls });
});

const begun = (name: string, insertTime = NEWER): RawOperation => ({ name, status: 'RUNNING', insertTime });
const done = (name: string, insertTime = NEWER): RawOperation => ({ name, status: 'DONE', insertTime });
const wait = (operation: RawOperation, signal = new AbortController().signal): Promise<string> =>
  watcher.wait(ZONE, operation, signal).then(
    ({ status }) => status ?? '',
    (error: unknown) => (error instanceof GceError ? `${error.refusal} ${error.message}` : String(error)),
  );

describe('operations', () => {
  test('that are done already are not asked for', async () => {
    expect(await wait(done('a'))).toBe('DONE');
    expect(asked).toEqual([]);
  });

  test('of a zone are looked at together every five seconds, until none is awaited', async () => {
    operations = [begun('b'), begun('a')];
    const both = Promise.all([wait(begun('a')), wait(begun('b'))]);
    await clock.advance(4999);
    expect(asked).toEqual([]);
    await clock.advance(1);
    expect(asked).toEqual(['list b 0']);
    operations = [done('b'), done('a')];
    await clock.advance(5000);
    expect(await both).toEqual(['DONE', 'DONE']);
    await clock.advance(60_000);
    expect(asked).toEqual(['list b 0', 'list b 0']);
    expect(clock.sleepers).toBe(0);
  });

  test('that begin after a pause are watched again', async () => {
    operations = [done('a')];
    const first = wait(begun('a'));
    await clock.advance(5000);
    expect(await first).toBe('DONE');
    operations = [done('b'), done('a')];
    const second = wait(begun('b'));
    await clock.advance(5000);
    expect(await second).toBe('DONE');
  });

  test('are looked for on further pages, as far back as the oldest awaited', async () => {
    operations = [done('x'), done('y'), done('a', OLDER), done('z', '2027-01-04T00:00:00.000-08:00'), done('q')];
    const waiting = wait(begun('a', OLDER));
    await clock.advance(5000);
    expect(await waiting).toBe('DONE');
    expect(asked).toEqual(['list b 0', 'list b 2']);
  });

  test('that are not listed are read once by their names', async () => {
    operations = [done('x', OLDER), done('y', OLDER), done('z', OLDER), done('a', NEWER)];
    const waiting = wait(begun('a'));
    await clock.advance(5000);
    expect(await waiting).toBe('DONE');
    expect(asked).toEqual(['list b 0', 'get a']);
  });

  test('that Google does not know any more have an outcome nobody knows', async () => {
    const waiting = wait(begun('a'));
    await clock.advance(5000);
    expect(await waiting).toBe('uncertain waiting for a failed: Not there.');
  });

  test.each(['uncertain', 'throttled'] as const)('are waited for while listing them is %s', async (refusal) => {
    failure = new GceError('x', 'Later.', refusal);
    operations = [done('a')];
    const waiting = wait(begun('a'));
    await clock.advance(20_000);
    expect(asked).toEqual(Array.from({ length: 4 }, () => 'list b 0'));
    failure = undefined;
    await clock.advance(5000);
    expect(await waiting).toBe('DONE');
  });

  test('are read one by one where they may not be listed', async () => {
    failure = new GceError('forbidden', 'No.', 'other', 403);
    operations = [begun('a')];
    const waiting = wait(begun('a'));
    await clock.advance(5000);
    operations = [done('a')];
    await clock.advance(5000);
    expect(await waiting).toBe('DONE');
    expect(asked).toEqual(['list b 0', 'get a', 'list b 0', 'get a']);
  });

  test('are given up with the reason of whoever waits', async () => {
    operations = [begun('a')];
    const stop = new AbortController();
    const waiting = wait(begun('a'), stop.signal);
    await clock.advance(1000);
    stop.abort(new Error('enough'));
    expect(await waiting).toBe('Error: enough');
    expect(await wait(begun('a'), stop.signal)).toBe('Error: enough');
    await clock.advance(60_000);
    expect(asked).toEqual([]);
  });

  test('are no longer watched when the provider closes', async () => {
    operations = [begun('a')];
    const waiting = wait(begun('a'));
    await calls.close();
    expect(await waiting).toBe('uncertain waiting for a failed: closed');
    expect(clock.sleepers).toBe(0);
  });
});
