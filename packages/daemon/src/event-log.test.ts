import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRedactor, type RungarEvent } from '@rungar/model';
import { type FakeClock, fakeClock } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { eventually } from '../test/eventually.js';
import { recordingLogger } from '../test/recording-logger.js';
import { tempDir } from '../test/temp-dir.js';
import { type EventLogOptions, openEventLog } from './event-log.js';

const START = Date.UTC(2027, 1, 3, 11, 9, 0);
const MINUTE = 60_000;

interface Opened extends EventLogOptions {
  readonly clock: FakeClock;
}

async function setUp(
  more: Partial<EventLogOptions> = {},
): Promise<Opened & { logger: ReturnType<typeof recordingLogger> }> {
  const file = more.file ?? join(await tempDir(), 'log', 'events.jsonl');
  const clock = fakeClock(START);
  return { maxCount: 100, redactor: createRedactor(), ...more, logger: recordingLogger(), clock, file };
}

const linesOf = async (file: string): Promise<string[]> => (await readFile(file, 'utf8')).split('\n').slice(0, -1);
const namesOf = (events: readonly RungarEvent[]): string[] => events.map((event) => event.name);
const namesIn = async (file: string): Promise<string[]> =>
  (await linesOf(file)).map((line) => (JSON.parse(line) as { name: string }).name);
const created = (name: string) => ({ name, action: 'created' as const, scaleSet: 'birch-s', provider: 'rack-a' });
const lineOf = (name: string, time = '2027-02-03T11:08:00Z'): string =>
  `{"time":"${time}","kind":"runner","name":"${name}","action":"created"}`;

async function fileWith(text: string): Promise<string> {
  const file = join(await tempDir(), 'events.jsonl');
  await writeFile(file, text);
  return file;
}

describe('the file', () => {
  test('holds one object per event, fields in order, attributes by name, and no empty field', async () => {
    const options = await setUp();
    const log = await openEventLog(options);
    log.record({
      name: 'birch-s-0a1b2c3d',
      action: 'removed',
      scaleSet: 'birch-s',
      provider: 'rack-a',
      message: 'Removed from rack-a after its job',
      attributes: { reason: 'job_completed', proof: 'message' },
    });
    log.record({ name: 'birch-s', action: 'paused', scaleSet: 'birch-s', provider: '', attributes: {} });
    await log.close();
    expect(await linesOf(options.file)).toEqual([
      '{"time":"2027-02-03T11:09:00.000Z","kind":"runner","name":"birch-s-0a1b2c3d","action":"removed","scale_set":"birch-s","provider":"rack-a","message":"Removed from rack-a after its job","attributes":{"proof":"message","reason":"job_completed"}}',
      '{"time":"2027-02-03T11:09:00.000Z","kind":"scale_set","name":"birch-s","action":"paused","scale_set":"birch-s"}',
    ]);
  });

  test("is its owner's alone, in a folder made for it", async () => {
    const options = await setUp();
    await (await openEventLog(options)).close();
    expect((await stat(options.file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(options.file, '..'))).mode & 0o777).toBe(0o750);
  });

  test('is gone on with after a restart, and what another daemon wrote stays as it was', async () => {
    const theirs =
      '{"time":"2027-02-03T13:08:59.518220123+02:00","kind":"provider","name":"rack-a","action":"full","scale_set":"birch-s","provider":"rack-a","message":"Refused","attributes":{"skipped_for":"15s"},"later":1}';
    const options = await setUp({ file: await fileWith(`${theirs}\n`) });
    const log = await openEventLog(options);
    log.record(created('r-1'));
    await log.close();
    expect((await linesOf(options.file))[0]).toBe(theirs);
    const again = await openEventLog(options);
    expect(namesOf(again.read({}))).toEqual(['rack-a', 'r-1']);
    expect(again.read({})[0]?.time).toBeCloseTo(START - 1000 + 518.22, 3);
    await again.close();
  });

  test('with bad lines and half a line at its end gives what is whole, and says so once', async () => {
    const text = [
      lineOf('a'),
      'not json',
      '[]',
      '{"time":"2027-02-03T11:08:00Z","kind":"runner","name":"x","action":"grew"}',
      '',
      lineOf('b'),
      lineOf('c').slice(0, 40),
    ].join('\n');
    const options = await setUp({ file: await fileWith(text) });
    const log = await openEventLog(options);
    log.record(created('d'));
    await log.close();
    expect(await namesIn(options.file)).toEqual(['a', 'b', 'd']);
    expect(options.logger.lines).toEqual([
      { level: 'warn', message: expect.any(String), fields: { file: options.file, lines: 4 } },
    ]);
  });

  test('whose last line is whole but for its line break gives it too', async () => {
    const options = await setUp({ file: await fileWith(lineOf('a')) });
    const log = await openEventLog(options);
    log.record(created('b'));
    await log.close();
    expect(await namesIn(options.file)).toEqual(['a', 'b']);
  });

  test('is cut to the newest at the start', async () => {
    const text = Array.from({ length: 12 }, (_, index) => `${lineOf(`r-${index}`)}\n`).join('');
    const options = await setUp({ file: await fileWith(text), maxCount: 3 });
    const log = await openEventLog(options);
    expect(await namesIn(options.file)).toEqual(['r-9', 'r-10', 'r-11']);
    await log.close();
  });

  test('may grow by a quarter more than is kept, and is then written anew', async () => {
    const options = await setUp({ maxCount: 8 });
    const log = await openEventLog(options);
    const record = async (from: number, to: number): Promise<void> => {
      for (let at = from; at <= to; at++) {
        log.record(created(`r-${at}`));
        await eventually(async () => expect((await namesIn(options.file)).at(-1)).toBe(`r-${at}`));
      }
    };
    await record(1, 10);
    expect((await namesIn(options.file)).length).toBe(10);
    log.record(created('r-11'));
    await log.close();
    expect(await namesIn(options.file)).toEqual(['r-4', 'r-5', 'r-6', 'r-7', 'r-8', 'r-9', 'r-10', 'r-11']);
    expect(namesOf(log.read({}))).toEqual(await namesIn(options.file));
  });

  test('gets every event of a burst larger than the queue, with one warning', async () => {
    const options = await setUp({ maxCount: 10_000 });
    const log = await openEventLog(options);
    for (let at = 0; at < 5000; at++) log.record(created(`r-${at}`));
    await log.close();
    expect(await namesIn(options.file)).toEqual(Array.from({ length: 5000 }, (_, at) => `r-${at}`));
    expect(options.logger.lines.filter((line) => line.level === 'warn')).toHaveLength(1);
  });

  test('that cannot be written for now leaves events in memory, and has them all half a minute after it can be', async () => {
    const options = await setUp();
    const obstacle = `${options.file}.new`;
    await mkdir(join(obstacle, 'full'), { recursive: true });
    const log = await openEventLog(options);
    log.record(created('a'));
    expect(log.trouble).toBeDefined();
    expect(namesOf(log.read({}))).toEqual(['a']);

    await options.clock.advance(30_000);
    expect(log.trouble).toBeDefined();
    expect(options.logger.lines.filter((line) => line.level === 'warn')).toHaveLength(1);

    await rm(obstacle, { recursive: true });
    log.record(created('b'));
    await eventually(() => expect(options.clock.sleepers).toBe(1));
    await options.clock.advance(30_000);
    await eventually(() => expect(log.trouble).toBeUndefined());
    expect(await namesIn(options.file)).toEqual(['a', 'b']);
    log.record(created('c'));
    await log.close();
    expect(await namesIn(options.file)).toEqual(['a', 'b', 'c']);
  });

  test('that could not be written is tried a last time at the end', async () => {
    const options = await setUp();
    const obstacle = `${options.file}.new`;
    await mkdir(join(obstacle, 'full'), { recursive: true });
    const log = await openEventLog(options);
    log.record(created('a'));
    await rm(obstacle, { recursive: true });
    await log.close();
    expect(await namesIn(options.file)).toEqual(['a']);
  });

  test('that can never be one is an error of the start, naming it and the cure', async () => {
    const folder = await tempDir();
    await expect(openEventLog(await setUp({ file: folder }))).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(folder),
      hint: expect.stringContaining('events.file'),
    });
    const below = join(await fileWith('x'), 'events.jsonl');
    await expect(openEventLog(await setUp({ file: below }))).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(openEventLog(await setUp({ file: '/dev/null' }))).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('keeping', () => {
  test('lets go of the oldest beyond the count', async () => {
    const log = await openEventLog(await setUp({ maxCount: 2 }));
    for (const name of ['a', 'b', 'c']) log.record(created(name));
    expect(namesOf(log.read({}))).toEqual(['b', 'c']);
    await log.close();
  });

  test('lets go of what is older than the age when an event is recorded, and not when one is asked for', async () => {
    const options = await setUp({ maxAgeMs: 10 * MINUTE });
    const log = await openEventLog(options);
    log.record(created('a'));
    await options.clock.advance(10 * MINUTE);
    log.record(created('b'));
    expect(namesOf(log.read({}))).toEqual(['a', 'b']);
    await options.clock.advance(1);
    expect(namesOf(log.read({}))).toEqual(['a', 'b']);
    log.record(created('c'));
    expect(namesOf(log.read({}))).toEqual(['b', 'c']);
    await log.close();
  });

  test('lets go of what is too old at the start', async () => {
    const text = `${lineOf('old', '2027-02-03T10:58:59Z')}\n${lineOf('young', '2027-02-03T10:59:00Z')}\n`;
    const log = await openEventLog(await setUp({ file: await fileWith(text), maxAgeMs: 10 * MINUTE }));
    expect(namesOf(log.read({}))).toEqual(['young']);
    await log.close();
  });

  test('keeps a copy of its own of the attributes, and no secret', async () => {
    const options = await setUp();
    options.redactor.hold('ghp_0123456789abcdef');
    const log = await openEventLog(options);
    const attributes = { error: 'echo ghp_0123456789abcdef' };
    log.record({ name: 'rack-a', action: 'failing', message: 'said ghp_0123456789abcdef', attributes });
    attributes.error = 'changed';
    expect(log.read({})[0]).toMatchObject({ message: 'said REDACTED', attributes: { error: 'echo REDACTED' } });
    await log.close();
    expect(await readFile(options.file, 'utf8')).not.toContain('ghp_');
  });
});

describe('asking', () => {
  const history = [
    '{"time":"2027-02-03T10:00:00Z","kind":"runner","name":"r-1","action":"created","scale_set":"s1","provider":"p1"}',
    '{"time":"2027-02-03T10:01:00Z","kind":"provider","name":"p1","action":"full","scale_set":"s2","provider":"p1"}',
    '{"time":"2027-02-03T10:02:00Z","kind":"scale_set","name":"s1","action":"paused"}',
    '{"time":"2027-02-03T10:03:00Z","kind":"scale_set","name":"r-1","action":"paused","scale_set":"r-1"}',
    '{"time":"2027-02-03T10:04:00Z","kind":"runner","name":"r-2","action":"created","scale_set":"s2","provider":"p2"}',
  ];

  test.each([
    ['nothing in particular', {}, [0, 1, 2, 3, 4]],
    ['a scale set', { scaleSet: 's1' }, [0, 2]],
    ['a provider', { provider: 'p1' }, [0, 1]],
    ['a runner, not a scale set of its name', { runner: 'r-1' }, [0]],
    ['a time, inclusive', { since: Date.UTC(2027, 1, 3, 10, 2) }, [2, 3, 4]],
    ['a millisecond later', { since: Date.UTC(2027, 1, 3, 10, 2) + 1 }, [3, 4]],
    ['the last two', { limit: 2 }, [3, 4]],
    ['the last of a scale set', { scaleSet: 's1', limit: 1 }, [2]],
    ['a scale set and a provider', { scaleSet: 's2', provider: 'p1' }, [1]],
    ['empty words, which do not narrow', { scaleSet: '', provider: '', runner: '' }, [0, 1, 2, 3, 4]],
  ])('for %s gives what matches', async (_, query, want) => {
    const log = await openEventLog(await setUp({ file: await fileWith(history.map((line) => `${line}\n`).join('')) }));
    expect(log.read(query).map((event) => event.time)).toEqual(want.map((minute) => Date.UTC(2027, 1, 3, 10, minute)));
    await log.close();
  });

  test('for a negative number is refused', async () => {
    const log = await openEventLog(await setUp());
    expect(() => log.read({ limit: -1 })).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    await log.close();
  });
});

describe('following', () => {
  const forever = new AbortController().signal;

  test('gives what was and what comes, with no gap and nothing twice, until the log is closed', async () => {
    const log = await openEventLog(await setUp());
    log.record(created('a'));
    const { history, follower } = log.follow({});
    log.record(created('b'));
    const seen = namesOf(history);
    const reading = (async () => {
      for await (const event of follower.events(forever)) {
        seen.push(event.name);
        if (event.name === 'b') log.record(created('c'));
      }
    })();
    await eventually(() => expect(seen).toContain('c'));
    log.record(created('d'));
    await log.close();
    await reading;
    expect(seen).toEqual(['a', 'b', 'c', 'd']);
  });

  test('is narrowed like the history', async () => {
    const log = await openEventLog(await setUp());
    const { follower } = log.follow({ runner: 'b' });
    for (const name of ['a', 'b', 'c']) log.record(created(name));
    await log.close();
    expect(namesOf(await collect(follower.events(forever)))).toEqual(['b']);
  });

  test('takes a reader that is 256 behind, and ends one that is further, alone', async () => {
    const log = await openEventLog(await setUp({ maxCount: 1000 }));
    const kept = log.follow({}).follower;
    for (let at = 0; at < 256; at++) log.record(created(`r-${at}`));
    const first = kept.events(forever);
    expect((await first.next()).value).toMatchObject({ name: 'r-0' });

    const late = log.follow({}).follower;
    for (let at = 256; at < 513; at++) log.record(created(`r-${at}`));
    await expect(late.events(forever).next()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('fell behind'),
    });
    expect(log.read({})).toHaveLength(513);
    await log.close();
  });

  test('ends with the reason of its signal', async () => {
    const log = await openEventLog(await setUp());
    const gone = new AbortController();
    const next = log.follow({}).follower.events(gone.signal).next();
    gone.abort(new Error('hung up'));
    await expect(next).rejects.toThrow('hung up');
    await log.close();
  });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
