import type { ServerResponse } from 'node:http';
import { fakeClock } from '@rungar/model/testing';
import { describe, expect, test, vi } from 'vitest';
import { NOW } from '../../test/answers.js';
import { type Asked, fakeDaemon, json } from '../../test/fake-daemon.js';
import { busyFleet, type Fleet, fleetDaemon, Refusal } from '../../test/fleet.js';
import { runCli } from '../../test/world.js';
import { StopRequest } from '../exit.js';

async function open(handlers: Parameters<typeof fleetDaemon>[1] = {}) {
  const fleet = busyFleet();
  const daemon = await fleetDaemon(fleet, handlers);
  const clock = fakeClock(NOW);
  return {
    ...{ fleet, daemon, clock },
    rungar: (args: string, more: Parameters<typeof runCli>[1] = {}) =>
      runCli([...args.split(' '), '--socket', daemon.socket], { clock, ...more }),
    /** Waits until the command sleeps. */
    asleep: (sleepers = 1) => vi.waitFor(() => expect(clock.sleepers).toBe(sleepers), { interval: 1, timeout: 10_000 }),
  };
}

describe('rungar status', () => {
  test('in every format, sorted', async () => {
    const { rungar } = await open();
    expect((await rungar('status -o name')).stdout).toBe(
      `${['scale-set/birch-s', 'scale-set/birch-xl', 'scale-set/birch-old', 'provider/rack-a', 'provider/rack-b', 'runner/birch-old-1234abcd', 'runner/birch-s-0a1b2c3d', 'runner/birch-s-77aa00ee'].join('\n')}\n`,
    );
    expect((await rungar('status -o name --sort scale-set:desc')).stdout).toMatch(
      /^scale-set\/birch-xl\nscale-set\/birch-s\nscale-set\/birch-old\nprovider\/rack-a\n.*\nrunner\/birch-old-1234abcd\n$/s,
    );
    const yaml = await rungar('status -o yaml');
    expect(yaml.stdout).toContain('providers:\n  - name: rack-a\n    type: proxmox\n');
    const json = await rungar('status --json');
    expect((await rungar('status -o json')).stdout).toBe(json.stdout);
    const bare = await rungar('status --no-headers');
    expect(bare.stdout).toContain('Runners (3)\n  birch-old-1234abcd ');
    expect(bare.stdout).not.toContain('MACHINE');
    const wide = { stdout: { write: vi.fn(), isTTY: true, columns: 60 }, env: { NO_COLOR: '1' } };
    await rungar('status -o wide', wide);
    expect(wide.stdout.write.mock.calls.join('')).toMatch(/RUNNERS +DESIRED +MIN +MAX +PRIORITY/);
  });

  test('--watch shows it again when it has changed, a document to a line, and waits for a daemon that has gone', async () => {
    const first = { runners: [{ name: 'a' }] };
    const second = { runners: [{ name: 'b' }] };
    const answers = [
      json(first),
      json(first),
      (_: Asked, response: ServerResponse) => void response.destroy(),
      json(second),
    ];
    const { socket } = await fakeDaemon((asked, response) => answers.shift()?.(asked, response));
    const clock = fakeClock(NOW);
    const stop = new AbortController();
    const lines: string[] = [];
    const stdout = { write: (text: string) => lines.push(text) };
    const world = { stdout, clock, signal: stop.signal };
    const ran = runCli(['status', '--watch', '--json', '--socket', socket], world);
    while (answers.length > 0) {
      await vi.waitFor(() => expect(clock.sleepers).toBe(1), { interval: 1, timeout: 10_000 });
      await clock.advance(5_000);
    }
    await vi.waitFor(() => expect(clock.sleepers).toBe(1), { interval: 1, timeout: 10_000 });
    stop.abort(new StopRequest('SIGINT'));
    expect(await ran).toMatchObject({ code: 0, stderr: '' });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([first, second]);
  });

  test('--watch draws in place on a terminal', async () => {
    const { rungar, clock, asleep } = await open();
    const stop = new AbortController();
    const drawn: string[] = [];
    const stdout = {
      write: (text: string) => drawn.push(text),
      isTTY: true,
      columns: 80,
      rows: 10,
      on: vi.fn(),
      off: vi.fn(),
    };
    const ran = rungar('status -w', { stdout, signal: stop.signal, env: { NO_COLOR: '1' } });
    await asleep();
    await clock.advance(5_000);
    await asleep();
    stop.abort(new StopRequest('SIGINT'));
    expect((await ran).code).toBe(0);
    const text = drawn.join('');
    expect(text).toContain('Rungar');
    expect(text).toContain('…');
    expect(text.split('\n').length).toBeLessThan(14);
  });
});

describe('rungar wait', () => {
  const set = (fleet: Fleet, more: Fleet['scaleSets'][number]): void => {
    fleet.scaleSets = fleet.scaleSets.map((one) => (one.name === more.name ? { ...one, ...more } : one));
  };
  const provide = (fleet: Fleet, more: Fleet['providers'][number]): void => {
    fleet.providers = fleet.providers.map((one) => (one.name === more.name ? { ...one, ...more } : one));
  };
  const run = (fleet: Fleet, name: string, state: string): void => {
    fleet.runners = fleet.runners.map((one) => (one.name === name ? { ...one, state: `RUNNER_STATE_${state}` } : one));
  };

  test.each<[string, (fleet: Fleet) => void, string]>([
    [
      'scale-set birch-xl --for listening',
      (fleet) => set(fleet, { name: 'birch-xl', paused: false }),
      'birch-xl: listening',
    ],
    ['scale-set birch-s --for paused', (fleet) => set(fleet, { name: 'birch-s', paused: true }), 'birch-s: paused'],
    [
      'scale-set birch-s --for idle',
      (fleet) => set(fleet, { name: 'birch-s', runner_counts: { idle: 3 } }),
      'birch-s: idle',
    ],
    ['scale-set birch-old --for empty', (fleet) => (fleet.runners = []), 'birch-old: empty'],
    [
      'provider rack-b --for usable',
      (fleet) => provide(fleet, { name: 'rack-b', disabled: false, scale_sets: [] }),
      'rack-b: usable',
    ],
    [
      'provider rack-b --for drained',
      (fleet) => provide(fleet, { name: 'rack-b', runner_count: 0 }),
      'rack-b: drained',
    ],
    [
      'provider rack-b --for enabled',
      (fleet) => provide(fleet, { name: 'rack-b', disabled: false }),
      'rack-b: enabled',
    ],
    [
      'provider rack-a --for disabled',
      (fleet) => provide(fleet, { name: 'rack-a', disabled: true }),
      'rack-a: disabled',
    ],
    ['runner birch-s-77aa00ee --for busy', (fleet) => run(fleet, 'birch-s-77aa00ee', 'BUSY'), 'birch-s-77aa00ee: busy'],
    ['runner birch-s-0a1b2c3d --for idle', (fleet) => run(fleet, 'birch-s-0a1b2c3d', 'IDLE'), 'birch-s-0a1b2c3d: idle'],
    ['runner birch-s-77aa00ee --for gone', (fleet) => (fleet.runners = []), 'birch-s-77aa00ee: gone'],
  ])('%s ends once it is so', async (args, change, line) => {
    const { rungar, fleet, clock, asleep } = await open();
    const ran = rungar(`wait ${args}`);
    await asleep(2);
    await clock.advance(2_000);
    await asleep(2);
    change(fleet);
    await clock.advance(2_000);
    expect(await ran).toEqual({ code: 0, stdout: `${line}\n`, stderr: '' });
  });

  test.each([
    'scale-set birch-s --for ready',
    'scale-set birch-s --for listening',
    'provider rack-a --for reachable',
    'runner birch-s-0a1b2c3d --for connected',
    'runner never-there --for gone',
  ])('%s is so already', async (args) => {
    const { rungar, daemon } = await open();
    expect(await rungar(`wait ${args} --timeout 1m`)).toMatchObject({ code: 0, stderr: '' });
    expect(daemon.asked).toHaveLength(1);
  });

  test.each([
    ['scale-set birch-s --for paused', 'birch-s is not paused after 5s: it is LISTENING with 3 runners'],
    [
      'provider rack-b --for enabled',
      'rack-b is not enabled after 5s: it is DRAINING 2 runners left until the daemon restarts',
    ],
    ['runner birch-s-77aa00ee --for busy', 'birch-s-77aa00ee is not busy after 5s: it is Idle'],
  ])('%s gives up with 5 when the time is up, and says how it stands', async (args, message) => {
    const { rungar, clock, asleep } = await open();
    const ran = rungar(`wait ${args} --timeout 5s`);
    for (const ms of [2_000, 2_000, 1_000]) {
      await asleep(2);
      await clock.advance(ms);
    }
    expect(await ran).toEqual({ code: 5, stdout: '', stderr: `Error: ${message}\n` });
  });

  test('a runner on a provider that is not listed is not gone', async () => {
    const { rungar, fleet, clock, asleep } = await open();
    const ran = rungar('wait runner birch-s-77aa00ee --for gone');
    await asleep(2);
    fleet.runners = [];
    fleet.unreachable = { 'rack-a': 'timed out' };
    await clock.advance(2_000);
    await asleep(2);
    fleet.unreachable = { 'rack-b': 'timed out' };
    await clock.advance(2_000);
    expect((await ran).code).toBe(0);
  });

  test('a runner that goes while its job is waited for ends it with 5', async () => {
    const { rungar, fleet, clock, asleep } = await open();
    const ran = rungar('wait runner birch-s-77aa00ee --for busy');
    await asleep(2);
    fleet.runners = [];
    await clock.advance(2_000);
    expect(await ran).toMatchObject({ code: 5, stderr: expect.stringContaining('has gone, and will not be busy') });
  });

  test.each([
    ['scale-set oak --for listening', 4, 'there is no scale set "oak"'],
    ['provider oak --for reachable', 4, 'there is no provider "oak"'],
    ['runner oak --for idle', 4, 'there is no runner "oak"'],
    [
      'scale-set birch-s --for drained',
      64,
      '--for of a scale-set must be one of listening, paused, ready, idle, empty, not "drained"',
    ],
    ['runner x', 64, 'wait needs --for with one of connected, idle, busy, gone'],
    ['runner x --for idle --timeout soon', 64, '--timeout takes a duration such as 90s or 1h30m, not "soon"'],
    ['runner', 64, 'wait needs <kind> <name>'],
    [
      'runers x --for idle',
      64,
      '<kind> must be one of scale-set, provider, runner, not "runers" (did you mean runner?)',
    ],
  ])('%s ends with %i', async (args, code, message) => {
    const { rungar } = await open();
    const ran = await rungar(`wait ${args}`);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(`Error: ${message}`);
  });

  test('a daemon that refuses ends it, and one that is not there too', async () => {
    const { rungar } = await open({ GetStatus: () => new Refusal('unavailable', 'not now') });
    expect(await rungar('wait provider rack-a --for usable')).toMatchObject({ code: 5, stderr: 'Error: not now\n' });
    expect(await runCli('wait provider a --for usable --socket /nonexistent/s'.split(' '))).toMatchObject({ code: 3 });
  });

  test('its help tells every condition', async () => {
    const { stdout } = await runCli(['wait', '--help']);
    for (const word of ['listening', 'drained', 'gone', 'it has no runner left on any provider']) {
      expect(stdout).toContain(word);
    }
  });
});
