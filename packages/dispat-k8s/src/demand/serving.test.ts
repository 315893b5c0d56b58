import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeClock, seededRandom } from '@rungar/model/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { refLine } from '../../test/refs.js';
import { classifyDemand } from './classify.js';
import { execPort } from './exec-port.js';
import { metricsText } from './metrics.js';
import { parseRefs } from './parse-refs.js';
import { serveMetrics } from './serve-metrics.js';
import { fileLock } from './watch-lock.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'demand-'));
});
afterAll(() => rm(folder, { recursive: true }));

const { signal } = new AbortController();
const pool = { prefix: 'w-', count: 3 };

describe('a command that starts pools', () => {
  const env = { PATH: process.env.PATH };

  test('is told the pool by variables, and counts as starting until it ends', async () => {
    const file = join(folder, 'told');
    const go = join(folder, 'go');
    const port = execPort({
      command: `echo "$DWM_PREFIX $DWM_COUNT $DWM_NODES" > ${file}; while [ ! -e ${go} ]; do sleep 0.02; done`,
      env,
      output: () => {},
    });
    expect(await port.phaseOf(pool, signal)).toBe('none');
    await port.start(pool, signal);
    expect(await port.phaseOf(pool, signal)).toBe('starting');
    await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toBe('w- 3 w-0 w-1 w-2\n'), 10_000);
    await writeFile(go, '');
    await vi.waitFor(async () => expect(await port.phaseOf(pool, signal)).toBe('finished'), 10_000);
  });

  test('that fails has failed the pool, and what it printed is passed on', async () => {
    let output = '';
    const port = execPort({ command: 'echo no room >&2; exit 3', env, output: (text) => (output += text) });
    await port.start(pool, signal);
    await vi.waitFor(async () => expect(await port.phaseOf(pool, signal)).toBe('failed'), 10_000);
    await vi.waitFor(() => expect(output).toBe('no room\n'), 10_000);
  });

  test('has ended when it has, whatever it leaves in the background', async () => {
    const go = join(folder, 'let-go');
    const port = execPort({
      command: `(while [ ! -e ${go} ]; do sleep 0.02; done; echo late) &`,
      env,
      output: () => {},
    });
    await port.start(pool, signal);
    await vi.waitFor(async () => expect(await port.phaseOf(pool, signal)).toBe('finished'), 10_000);
    await writeFile(go, '');
  });

  test('prints into a file that outlives the watcher where it has one', async () => {
    const file = await open(join(folder, 'printed'), 'w');
    const port = execPort({ command: 'echo started; echo soon >&2', env, output: file.fd });
    await port.start(pool, signal);
    await vi.waitFor(async () => expect(await port.phaseOf(pool, signal)).toBe('finished'), 10_000);
    await file.close();
    expect(await readFile(join(folder, 'printed'), 'utf8')).toBe('started\nsoon\n');
  });
});

describe('a lock in a file', () => {
  const opened = (file: string, seed: number, clock = fakeClock()) => ({
    clock,
    lock: fileLock({ file, staleAfterMs: 1000, clock, random: seededRandom(seed) }),
  });

  test('is held by one watcher, and free once that one gives it back', async () => {
    const file = join(folder, 'a.lock');
    const one = opened(file, 1);
    const other = opened(file, 2, one.clock);
    expect(await one.lock.hold(signal)).toBe(true);
    expect(await one.lock.hold(signal)).toBe(true);
    expect(await other.lock.hold(signal)).toBe(false);
    await other.lock.release();
    expect(await other.lock.hold(signal)).toBe(false);
    await one.lock.release();
    expect(await other.lock.hold(signal)).toBe(true);
  });

  test('runs out when it is not renewed', async () => {
    const file = join(folder, 'b.lock');
    const one = opened(file, 1);
    const other = opened(file, 2, one.clock);
    await one.lock.hold(signal);
    await one.clock.advance(1000);
    expect(await other.lock.hold(signal)).toBe(false);
    await one.clock.advance(1);
    expect(await other.lock.hold(signal)).toBe(true);
    expect(await one.lock.hold(signal)).toBe(false);
  });

  test('is held by one alone of many that open it at once', async () => {
    const file = join(folder, 'd.lock');
    const held = await Promise.all(Array.from({ length: 20 }, (_, seed) => opened(file, seed + 1).lock.hold(signal)));
    expect(held.filter((holds) => holds)).toHaveLength(1);
    expect((await readdir(folder)).filter((name) => name.startsWith('d.lock'))).toEqual(['d.lock']);
  });

  test('is taken over where the file is no lock', async () => {
    const file = join(folder, 'c.lock');
    await writeFile(file, '12345\n');
    expect(await opened(file, 1).lock.hold(signal)).toBe(true);
  });
});

describe('metrics', () => {
  const demand = classifyDemand(parseRefs([refLine('w-0', 'probe'), refLine('w-1', 'build', { id: 2 })].join('\n')), {
    now: 5000,
    wallNow: Date.UTC(2026, 7, 20, 12),
    pools: [{ prefix: 'w-', count: 4 }],
    sightings: new Map(),
    retainedAfterMs: 1000,
  });

  test('are Prometheus text with the upper bound, what waits and the wanted nodes', () => {
    const text = metricsText({ demand, polls: 3, failures: 1, lastSuccess: 1_787_227_200 });
    expect(text).toContain('# TYPE dispat_demand_upper_bound gauge\ndispat_demand_upper_bound 2\n');
    expect(text).toContain('dispat_demand_wanted_nodes 1\n');
    expect(text).toContain('dispat_demand_branches{class="candidate"} 2\n');
    expect(text).toContain('dispat_demand_pool_wanted_nodes{prefix="w-"} 1\n');
    expect(text).toContain('# TYPE dispat_demand_poll_failures_total counter\ndispat_demand_poll_failures_total 1\n');
    expect(text).not.toContain('dispat_demand_unclaimed');
  });

  test('have no demand before the first poll', () => {
    const text = metricsText({ demand: undefined, polls: 0, failures: 0, lastSuccess: undefined });
    expect(text).toContain('dispat_demand_polls_total 0\n');
    expect(text).not.toContain('dispat_demand_branches');
  });

  test('are served at /metrics on the loopback address', async () => {
    await using server = await serveMetrics('0', () => 'x 1\n');
    const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answer.text()).toBe('x 1\n');
    expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(404);
  });

  test.each(['x', '127.0.0.1:99999', 'a b:1:2'])('refuse the address %s', async (address) => {
    await expect(serveMetrics(address, () => '')).rejects.toMatchObject({ problems: [{ code: 'OPTION_INVALID' }] });
  });
});
