import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { fakeClock } from '@rungar/model/testing';
import { beforeAll, expect, test, vi } from 'vitest';
import { NOW } from '../../test/answers.js';
import { fakeDaemon, json } from '../../test/fake-daemon.js';
import { busyFleet, fleetDaemon } from '../../test/fleet.js';
import { runCli } from '../../test/world.js';
import type { World } from '../command.js';
import { StopRequest } from '../exit.js';

beforeAll(() => {
  vi.stubEnv('TZ', 'UTC');
});

/** A fleet with a queue, and clocks that run. */
function queuedFleet() {
  const fleet = busyFleet();
  fleet.scaleSets = fleet.scaleSets.slice(0, 2).map((one) =>
    one.name === 'birch-s'
      ? {
          ...one,
          assigned_jobs: 3,
          waiting_jobs: [
            { id: 'j2', queue_time: '2027-02-03T11:12:30Z' },
            { id: 'j1', repository: 'fernhill/site', display_name: 'lint', queue_time: '2027-02-03T11:11:20Z' },
          ],
        }
      : {
          ...one,
          paused: false,
          phase: 'SCALE_SET_PHASE_FAILED',
          state_reason: 'refused',
          retry_at: '2027-02-03T11:13:10Z',
        },
  );
  fleet.unreachable = { 'rack-c': 'timed out' };
  return fleet;
}

test('in a pipe it is one picture', async () => {
  const { socket, methods } = await fleetDaemon(queuedFleet());
  const ran = await runCli(['top', '--socket', socket], { clock: fakeClock(NOW) });
  expect(ran).toEqual({
    ...{ code: 0, stderr: '' },
    stdout: `Rungar  2027-02-03 11:12:40  1 busy, 2 idle, 0 starting; 2 jobs wait
rack-c does not answer: timed out

SCALE SET   STATUS      JOBS   WAITING   LONGEST   STARTING   IDLE   BUSY   WANTED
birch-s     LISTENING   3      2         1m20s     0          2      1      3/12
birch-xl    FAILED      0      0         -         0          0      0      0/2

PROVIDER   STATUS                                              RUNNERS
rack-a     OK                                                  3/16
rack-b     DRAINING 2 runners left until the daemon restarts   2

Back-offs (2)
     30s  birch-xl: refused
    1m0s  birch-s at rack-b: failing: no such kernel

WAITS   SCALE SET   JOB
1m20s   birch-s     fernhill/site: lint
10s     birch-s     j2

RUNNER               PROVIDER   STATE   AGE   RUNS    JOB
birch-s-0a1b2c3d     rack-a     Busy    6m    5m40s   fernhill/site: unit tests
birch-s-77aa00ee     rack-a     Idle    40m   -       -
birch-old-1234abcd   rack-b     -       2d    -       -
`,
  });
  expect(methods()).toEqual(['GetStatus']);
});

test('--json is the same for programs, zeros kept', async () => {
  const { socket } = await fleetDaemon(queuedFleet());
  const { stdout } = await runCli(['top', '--json', '--socket', socket], { clock: fakeClock(NOW) });
  expect(JSON.parse(stdout)).toMatchObject({
    time: '2027-02-03T11:12:40.000Z',
    scale_sets: [
      {
        name: 'birch-s',
        status: 'LISTENING',
        assigned_jobs: 3,
        waiting_jobs: 2,
        longest_wait_seconds: 80,
        starting: 0,
      },
      { name: 'birch-xl', assigned_jobs: 0, waiting_jobs: 0, longest_wait_seconds: null },
    ],
    backoffs: [
      { who: 'birch-xl', next_try_seconds: 30 },
      { who: 'birch-s at rack-b', next_try_seconds: 60 },
    ],
    waiting_jobs: [
      { name: 'lint', wait_seconds: 80 },
      { name: 'j2', wait_seconds: 10 },
    ],
    runners: [{ state: 'Busy', job_seconds: 340 }, { state: 'Idle', job_seconds: null }, { state: '-' }],
    unanswered: { 'rack-c': 'timed out' },
  });
});

/** The live view on a terminal of that size, and its keyboard. */
async function live(socket: string, size: { columns: number; rows: number }) {
  const clock = fakeClock(NOW);
  const stop = new AbortController();
  const keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode: vi.fn() });
  let written: string[] = [];
  const stdout = { write: (text: string) => void written.push(text), isTTY: true, ...size };
  const world: Partial<World> = { stdin: keyboard, stdout, clock, signal: stop.signal, env: { NO_COLOR: '1' } };
  const ran = runCli(['top', '--socket', socket], world);
  await vi.waitFor(() => expect(clock.sleepers).toBe(2), { interval: 1, timeout: 10_000 });
  return {
    ...{ clock, stop, keyboard, stdout, ran },
    /** What has been drawn since the last look, line by line. */
    drawn(): string[] {
      const text = stripVTControlCharacters(written.join(''));
      written = [];
      return text.split('\r\n');
    },
    raw: () => written.join(''),
  };
}

test('on a terminal clocks run between two answers, a new size is drawn at once, and q gives everything back', async () => {
  const { socket, asked } = await fleetDaemon(queuedFleet());
  const top = await live(socket, { columns: 100, rows: 40 });
  expect(top.raw()).toContain('\u001b[?1049h');
  expect(top.keyboard.setRawMode.mock.calls).toEqual([[true]]);
  const first = top.drawn();
  expect(first).toContain('    1m0s  birch-s at rack-b: failing: no such kernel');
  expect(first.at(-1)).toBe('q quits');
  expect(first).toHaveLength(40);
  await top.clock.advance(2_000);
  expect(top.drawn()).toContain('     58s  birch-s at rack-b: failing: no such kernel');
  expect(asked).toHaveLength(1);
  Object.assign(top.stdout, { columns: 60, rows: 12 });
  await top.clock.advance(250);
  const narrow = top.drawn();
  expect(narrow).toHaveLength(12);
  expect(Math.max(...narrow.map((line) => line.length))).toBeLessThan(60);
  expect(narrow.at(-3)).toMatch(/^… \d+ more lines$/);
  await top.clock.advance(3_000);
  await vi.waitFor(() => expect(asked).toHaveLength(2), { interval: 1, timeout: 10_000 });
  top.keyboard.write('q');
  expect(await top.ran).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(top.raw()).toContain('\u001b[?25h\u001b[?1049l');
  expect(top.keyboard.setRawMode.mock.calls.at(-1)).toEqual([false]);
  expect(top.keyboard.destroyed).toBe(true);
});

test('a daemon that goes is told in the last line, and Ctrl-C ends the view well', async () => {
  let gone = false;
  const { socket } = await fakeDaemon((asked, response) =>
    gone ? void response.destroy() : json({})(asked, response),
  );
  const top = await live(socket, { columns: 80, rows: 24 });
  gone = true;
  await top.clock.advance(5_000);
  await vi.waitFor(() => expect(top.clock.sleepers).toBe(2), { interval: 1, timeout: 10_000 });
  await top.clock.advance(1_000);
  expect(top.drawn().at(-1)).toBe('the daemon has gone; being tried again    q quits');
  top.keyboard.write('\u0003');
  expect((await top.ran).code).toBe(0);
});

test('a signal gives the terminal back too', async () => {
  const { socket } = await fleetDaemon(queuedFleet());
  const top = await live(socket, { columns: 80, rows: 24 });
  top.stop.abort(new StopRequest('SIGTERM'));
  expect((await top.ran).code).toBe(0);
  expect(top.raw()).toContain('\u001b[?1049l');
});

test('without a daemon the terminal is left alone', async () => {
  const write = vi.fn();
  const ran = await runCli(['top', '--socket', '/nonexistent/s'], { stdout: { write, isTTY: true } });
  expect(ran.code).toBe(3);
  expect(write).not.toHaveBeenCalled();
});
