import type { ServerResponse } from 'node:http';
import { fakeClock } from '@rungar/model/testing';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { NOW } from '../../test/answers.js';
import { type Asked, END, fakeDaemon, framed, json, streamed } from '../../test/fake-daemon.js';
import { schemaFaults } from '../../test/schemas.js';
import { runCli } from '../../test/world.js';
import type { EventAnswer } from '../control/answers.js';
import { StopRequest } from '../exit.js';

beforeAll(() => {
  vi.stubEnv('TZ', 'UTC');
});

type Answer = (asked: Asked, response: ServerResponse) => void | Promise<void>;

/** A daemon whose calls are answered one after the other; the last answer is for all that come later. */
async function daemonAnswering(...answers: Answer[]) {
  const daemon = await fakeDaemon((asked, response) =>
    (answers.length > 1 ? answers.shift() : answers[0])?.(asked, response),
  );
  return { ...daemon, bodies: () => daemon.asked.map(({ body }) => JSON.parse(body.subarray(5).toString()) as object) };
}

/** An event at 11:00:00 and so many milliseconds. */
const at = (ms: number, name = `birch-s-${ms}`): EventAnswer => ({
  time: new Date(Date.UTC(2027, 1, 3, 11) + ms).toISOString(),
  kind: 'EVENT_KIND_RUNNER',
  name,
  action: 'EVENT_ACTION_CREATED',
});

const history = (...events: EventAnswer[]) => framed({ events, caught_up: true });
const live = (...events: EventAnswer[]) => framed({ events });

/** Follows until `count` events have come, and then is ended. */
async function follow(answers: Answer[], count: number, args: string[] = []) {
  const daemon = await daemonAnswering(...answers);
  const stop = new AbortController();
  const clock = fakeClock(NOW);
  const names: string[] = [];
  const stdout = {
    write(text: string) {
      names.push((JSON.parse(text) as EventAnswer).name ?? '');
      if (names.length === count) stop.abort(new StopRequest('SIGINT'));
    },
  };
  const world = { stdout, signal: stop.signal, clock };
  const ran = runCli(['events', '-f', '--json', '--socket', daemon.socket, ...args], world);
  while (!stop.signal.aborted) {
    await vi.waitFor(() => expect(stop.signal.aborted || clock.sleepers > 0).toBe(true), {
      interval: 1,
      timeout: 10_000,
    });
    await clock.advance(1_000);
  }
  return { names, bodies: daemon.bodies(), ran: await ran };
}

describe('following over a restart of the daemon', () => {
  const broken: [string, Answer[]][] = [
    ['breaks off', [streamed([history(at(1), at(2)), live(at(3))], { end: 'break' })]],
    ['ends the stream', [streamed([history(at(1), at(2)), live(at(3)), END])]],
    [
      'gives up on a slow reader',
      [streamed([history(at(1), at(2), at(3)), framed({ error: { code: 'unavailable', message: 'behind' } }, 2)])],
    ],
    [
      'breaks off twice, once within the history',
      [
        streamed([history(at(1), at(2)), live(at(3))], { end: 'break' }),
        streamed([framed({ events: [at(1), at(2)] })], { end: 'break' }),
      ],
    ],
  ];
  test.each(broken)('that %s goes on with no gap and no repeat', async (_, answers) => {
    const after = streamed([framed({ events: [at(1), at(2)] }), history(at(3), at(4)), live(at(5))], { end: 'never' });
    const { names, bodies, ran } = await follow([...answers, after], 5, ['--tail', '7', '--scale-set', 'birch-s']);
    expect(names).toEqual([1, 2, 3, 4, 5].map((ms) => `birch-s-${ms}`));
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(bodies[0]).toEqual({ follow: true, limit: 7, scale_set: 'birch-s' });
    expect(bodies.at(-1)).toEqual({ follow: true, limit: 0, scale_set: 'birch-s', since: '2027-02-03T10:50:00.003Z' });
  });

  test('tells twins at the same instant apart, and keeps what a clock that was set back has dated earlier', async () => {
    const twins = [at(1), at(1), at(1)];
    const { names } = await follow(
      [
        streamed([history(at(5), ...twins.slice(0, 2))], { end: 'break' }),
        streamed([history(at(5), ...twins, at(0))], { end: 'never' }),
      ],
      5,
    );
    expect(names).toEqual(['birch-s-5', 'birch-s-1', 'birch-s-1', 'birch-s-1', 'birch-s-0']);
  });

  test('goes on by time where the last event was lost', async () => {
    const { names } = await follow(
      [streamed([history(at(1), at(2))], { end: 'break' }), streamed([history(at(1), at(3))], { end: 'never' })],
      3,
    );
    expect(names).toEqual(['birch-s-1', 'birch-s-2', 'birch-s-3']);
  });

  test('that had no event yet keeps the instant that was asked for', async () => {
    const { names, bodies } = await follow(
      [streamed([history()], { end: 'break' }), streamed([history(at(1))], { end: 'never' })],
      1,
      ['--since', '1h'],
    );
    expect(names).toEqual(['birch-s-1']);
    expect(bodies).toEqual(Array(2).fill({ follow: true, limit: 0, since: '2027-02-03T10:12:40.000Z' }));
  });

  test('is not tried when there is no daemon to begin with, or when it refuses', async () => {
    expect(await runCli(['events', '-f', '--socket', '/nonexistent/s'])).toMatchObject({ code: 3 });
    const { socket } = await daemonAnswering(json({ code: 'invalid_argument', message: 'no' }, 400));
    expect(await runCli(['events', '-f', '--socket', socket])).toMatchObject({ code: 1, stderr: 'Error: no\n' });
  });

  test('is told on a terminal', async () => {
    const { socket } = await daemonAnswering(streamed([history(), END]), streamed([history(at(1))], { end: 'never' }));
    const stop = new AbortController();
    const clock = fakeClock(NOW);
    const told: string[] = [];
    const stdout = { write: () => stop.abort(new StopRequest('SIGINT')) };
    const stderr = { isTTY: true, write: (text: string) => told.push(text) };
    const ran = runCli(['events', '-f', '--socket', socket], { stdout, stderr, clock, signal: stop.signal });
    await vi.waitFor(() => expect(clock.sleepers).toBe(1), { interval: 1, timeout: 10_000 });
    await clock.advance(1_000);
    expect((await ran).code).toBe(0);
    expect(told).toEqual(['The daemon has gone; this goes on once it is back.\n']);
  });
});

test('following ends with 0 when nobody reads any more, although nothing is written', async () => {
  const { socket } = await daemonAnswering(streamed([history(at(1))], { end: 'never' }));
  const clock = fakeClock(NOW);
  let reads = true;
  const written = vi.fn();
  const world = { stdout: { write: written }, hasReader: () => reads, clock };
  const ran = runCli(['events', '-f', '--socket', socket], world);
  await vi.waitFor(() => expect(written).toHaveBeenCalledTimes(1), { interval: 1, timeout: 10_000 });
  await clock.advance(10_000);
  expect(written).toHaveBeenCalledTimes(1);
  reads = false;
  await clock.advance(500);
  expect((await ran).code).toBe(0);
});

describe('what events ask for', () => {
  test('--since as an instant', async () => {
    const { socket, bodies } = await daemonAnswering(streamed([END]));
    await runCli(['events', '--since', '2027-02-03 10:30', '--socket', socket], { clock: fakeClock(NOW) });
    expect(bodies()).toEqual([{ follow: false, limit: 0, since: '2027-02-03T10:30:00.000Z' }]);
  });

  test.each([
    [['--since', 'soon'], '--since takes 90m, 10:30, 2027-02-03, 2027-02-03 10:30 or RFC 3339, not "soon"'],
    [['--follow', '--stats'], '--follow, --stats and --timeline do not go together'],
    [['--timeline'], '--timeline is of one runner: name it with --runner'],
  ])('%j is refused', async (flags, message) => {
    expect(await runCli(['events', ...flags])).toEqual({
      ...{ code: 64, stdout: '' },
      stderr: `Error: ${message}. See \`rungar events --help\`.\n`,
    });
  });
});

const event = (time: string, action: string, attributes: Record<string, string>, more: EventAnswer = {}) => ({
  time: `2027-02-03T11:${time}Z`,
  kind: 'EVENT_KIND_RUNNER',
  name: 'birch-s-1',
  action: `EVENT_ACTION_${action}`,
  ...{ scale_set: 'birch-s', provider: 'rack-a', attributes },
  ...more,
});

describe('rungar events --stats', () => {
  const kept = [
    ...[1, 2, 3, 4].map((at) => event(`00:0${at}`, 'CREATED', { create_duration: `${at}0s` })),
    event('01:00', 'CREATED', { create_duration: '1m40s' }, { provider: 'rack-b' }),
    event('01:00', 'CREATED', {}, { provider: 'rack-c' }),
    event('02:00', 'CONNECTED', { boot_duration: '41.25s' }),
    event('03:00', 'JOB_STARTED', { wait: '2m3s', runner_wait: '90s' }),
  ];

  test('tells percentiles by scale set, provider and measure', async () => {
    const { socket } = await daemonAnswering(streamed([history(...kept), END]));
    expect((await runCli(['events', '--stats', '--socket', socket])).stdout).toBe(
      `events from 2027-02-03 11:00:01 to 2027-02-03 11:03:00
SCALE SET   PROVIDER   MEASURE       COUNT   P50     P95     MAX
birch-s     rack-a     create        4       20s     40s     40s
birch-s     rack-a     boot          1       41.3s   41.3s   41.3s
birch-s     rack-a     wait          1       2m3s    2m3s    2m3s
birch-s     rack-a     runner wait   1       1m30s   1m30s   1m30s
birch-s     rack-b     create        1       1m40s   1m40s   1m40s
`,
    );
    const { stdout } = await runCli(['events', '--stats', '--json', '--socket', socket]);
    expect((await schemaFaults('events-stats'))(JSON.parse(stdout))).toEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({
      from: '2027-02-03T11:00:01Z',
      to: '2027-02-03T11:03:00Z',
      measures: [
        {
          ...{ scale_set: 'birch-s', provider: 'rack-a', measure: 'create', count: 4 },
          ...{ p50_seconds: 20, p95_seconds: 40, max_seconds: 40 },
        },
        { measure: 'boot', p50_seconds: 41.25 },
        { measure: 'wait', p50_seconds: 123 },
        { measure: 'runner_wait', p50_seconds: 90 },
        { provider: 'rack-b', measure: 'create', p50_seconds: 100 },
      ],
    });
  });

  test('of nothing says so', async () => {
    const nothing = await daemonAnswering(streamed([END]));
    expect((await runCli(['events', '--stats', '--socket', nothing.socket])).stdout).toBe('no events\n');
    const { stdout } = await runCli(['events', '--stats', '--json', '--socket', nothing.socket]);
    expect(JSON.parse(stdout)).toEqual({ from: null, to: null, measures: [] });
    const silent = await daemonAnswering(streamed([history(at(1)), END]));
    expect((await runCli(['events', '--stats', '--socket', silent.socket])).stdout).toMatch(/\nnone of them tells/);
  });
});

describe('rungar events --timeline', () => {
  const life = [
    event('00:20', 'CREATED', { create_duration: '12.5s' }, { message: 'On rack-a: 2 vCPU, 4 GiB' }),
    event('01:02', 'CONNECTED', { boot_duration: '42s' }),
    event('01:05', 'JOB_STARTED', {
      job_name: 'unit',
      queued: '2027-02-03T11:00:05Z',
      assigned: '2027-02-03T11:00:07Z',
    }),
    event('05:35', 'REMOVED', { reason: 'job_completed', finished: '2027-02-03T11:05:30Z' }),
  ];

  test("puts a runner's life and its job in one order, with the time between steps", async () => {
    const { socket, bodies } = await daemonAnswering(streamed([history(...life), END]));
    const ran = await runCli(['events', '--timeline', '--runner', 'birch-s-1', '--socket', socket]);
    expect(ran.stdout).toBe(`birch-s-1 of birch-s on rack-a
  TIME                  AFTER    TOTAL   BY       WHAT           MESSAGE
  2027-02-03 11:00:05   +0s      0s      GitHub   Queued         unit
  2027-02-03 11:00:07   +2s      2s      GitHub   Assigned       unit
  2027-02-03 11:00:07   +0.5s    2.5s    Rungar   Creating
  2027-02-03 11:00:20   +12.5s   15s     Rungar   Created        On rack-a: 2 vCPU, 4 GiB
  2027-02-03 11:01:02   +42s     57s     Rungar   Connected
  2027-02-03 11:01:05   +3s      1m0s    Rungar   Job started
  2027-02-03 11:05:30   +4m25s   5m25s   GitHub   Job finished
  2027-02-03 11:05:35   +5s      5m30s   Rungar   Removed
`);
    expect(bodies()).toEqual([{ follow: false, limit: 0, runner: 'birch-s-1' }]);
    const { stdout } = await runCli(['events', '--timeline', '--runner', 'birch-s-1', '--json', '--socket', socket]);
    expect((await schemaFaults('events-timeline'))(JSON.parse(stdout))).toEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ runner: 'birch-s-1', scale_set: 'birch-s', provider: 'rack-a' },
      steps: [
        { time: '2027-02-03T11:00:05.000Z', by: 'github', what: 'Queued', after_seconds: 0, total_seconds: 0 },
        { what: 'Assigned', after_seconds: 2, total_seconds: 2 },
        { by: 'rungar', what: 'Creating', message: '', after_seconds: 0.5 },
        { what: 'Created', message: 'On rack-a: 2 vCPU, 4 GiB', after_seconds: 12.5 },
        {},
        {},
        {},
        { what: 'Removed', total_seconds: 330 },
      ],
    });
  });

  test('of a runner without events is an unknown name', async () => {
    const { socket } = await daemonAnswering(streamed([END]));
    expect(await runCli(['events', '--timeline', '--runner', 'x', '--socket', socket])).toEqual({
      ...{ code: 4, stdout: '' },
      stderr: 'Error: no event of a runner "x" is kept\n',
    });
  });
});
