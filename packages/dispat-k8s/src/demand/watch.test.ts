import { fakeClock } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { FakeMailbox } from '../../test/fake-mailbox.js';
import { branchName } from '../../test/mailbox.js';
import type { Demand, TipState } from './classify.js';
import type { ClusterPort, PoolPhase, WatchedPool } from './cluster-port.js';
import { createWatcher, type WatchOptions } from './watch.js';

class FakeCluster implements ClusterPort {
  phase: PoolPhase = 'none';
  held = true;
  released = 0;
  failStarts = 0;
  readonly started: WatchedPool[] = [];

  async phaseOf(): Promise<PoolPhase> {
    return this.phase;
  }
  async start(pool: WatchedPool): Promise<void> {
    if (this.failStarts-- > 0) throw new Error('forbidden');
    this.started.push(pool);
    this.phase = 'starting';
  }
  async hold(): Promise<boolean> {
    return this.held;
  }
  async release(): Promise<void> {
    this.released++;
  }
}

const SECOND = 1000;

function open(more: Partial<WatchOptions> = {}) {
  const clock = fakeClock(Date.UTC(2026, 7, 20, 12));
  const mailbox = new FakeMailbox();
  const cluster = new FakeCluster();
  const news: string[] = [];
  const demands: Demand[] = [];
  const stop = new AbortController();
  const watcher = createWatcher({
    pools: [{ prefix: 'w-', count: 4 }],
    known: [{ prefix: 'w-', count: 4 }],
    intervalMs: 10 * SECOND,
    retainedAfterMs: 3660 * SECOND,
    preflightMs: 600 * SECOND,
    eager: false,
    max: 50,
    serveQueued: false,
    retry: false,
    port: cluster,
    mailbox,
    clock,
    onDemand: (demand) => demands.push(demand),
    onNews: ({ message }) => news.push(message),
    ...more,
  });
  const running = watcher.run(stop.signal);
  return {
    clock,
    mailbox,
    cluster,
    news,
    demands,
    watcher,
    /** Lets the poll that is due happen. */
    poll: (times = 1) => clock.advance(times === 0 ? 0 : times * 10 * SECOND),
    async end() {
      stop.abort();
      await running;
    },
  };
}

const probe = (mailbox: FakeMailbox, count: number, id = 1, state: TipState = 'unclaimed'): void => {
  for (let index = 0; index < count; index++) mailbox.content.set(branchName(`w-${index}`, 'probe', id), state);
};

test('A71: probes appear, one pool is started, and it stays the only one', async () => {
  const { mailbox, cluster, poll, news, end } = open();
  await poll();
  probe(mailbox, 4);
  await poll();
  expect(cluster.started).toEqual([]);
  await poll();
  expect(cluster.started).toEqual([{ prefix: 'w-', count: 4 }]);
  expect(news).toEqual(['started the pool of w- with 4 workers']);
  await poll();
  cluster.phase = 'serving';
  await poll(2);
  cluster.phase = 'finished';
  await poll(3);
  expect(cluster.started).toHaveLength(1);
  probe(mailbox, 4, 2);
  await poll(2);
  expect(cluster.started).toHaveLength(2);
  await end();
});

test('A71: probes that were claimed start nothing', async () => {
  const { mailbox, cluster, poll, end } = open();
  probe(mailbox, 4, 1, 'running');
  await poll(5);
  expect(cluster.started).toEqual([]);
  await end();
});

test('A72: probes for eight nodes of a pool of four start nothing, and are reported', async () => {
  const { mailbox, cluster, poll, news, end } = open();
  probe(mailbox, 8);
  await poll(5);
  expect(cluster.started).toEqual([]);
  expect(news).toEqual([expect.stringContaining('w-4, w-5, w-6, w-7')]);
  await end();
});

describe('A73: git that fails', () => {
  test('makes it wait longer each time, and changes nothing', async () => {
    const { mailbox, cluster, clock, poll, news, watcher, end } = open();
    await poll(0);
    expect(mailbox.listings).toBe(1);
    mailbox.failures = 3;
    probe(mailbox, 4);
    await clock.advance(10 * SECOND); // fails, then waits 20 s, 40 s and 80 s
    expect(mailbox.listings).toBe(2);
    await clock.advance(19 * SECOND);
    expect(mailbox.listings).toBe(2);
    await clock.advance(1 * SECOND);
    expect(mailbox.listings).toBe(3);
    await clock.advance(40 * SECOND);
    expect(mailbox.listings).toBe(4);
    await clock.advance(79 * SECOND);
    expect(mailbox.listings).toBe(4);
    expect(cluster.started).toEqual([]);
    expect(news).toHaveLength(3);
    expect(watcher.view).toMatchObject({ polls: 4, failures: 3 });
    await clock.advance(1 * SECOND);
    await clock.advance(10 * SECOND);
    expect(mailbox.listings).toBe(6);
    expect(cluster.started).toHaveLength(1);
    await end();
  });

  test('never makes it wait more than five minutes', async () => {
    const { mailbox, clock, poll, end } = open();
    await poll(0);
    mailbox.failures = 100;
    await clock.advance(10 * SECOND + (20 + 40 + 80 + 160 + 300) * SECOND);
    const before = mailbox.listings;
    await clock.advance(300 * SECOND);
    expect(mailbox.listings).toBe(before + 1);
    await end();
  });

  test('does not count as a poll between two sights', async () => {
    const { mailbox, clock, cluster, poll, end } = open();
    probe(mailbox, 4);
    await poll();
    mailbox.failures = 1;
    await clock.advance(30 * SECOND);
    expect(cluster.started).toHaveLength(1);
    await end();
  });
});

describe('one watcher acts', () => {
  test('the other one only looks, and says so once', async () => {
    const { mailbox, cluster, poll, news, demands, end } = open();
    cluster.held = false;
    probe(mailbox, 4);
    await poll(4);
    expect(cluster.started).toEqual([]);
    expect(news).toEqual(['another watcher serves these pools: this one only looks']);
    expect(demands.at(-1)?.wantedNodes).toHaveLength(4);
    cluster.held = true;
    await poll(2);
    expect(cluster.started).toHaveLength(1);
    await end();
    expect(cluster.released).toBe(1);
  });
});

test('a start that fails is tried again at the next poll', async () => {
  const { mailbox, cluster, poll, news, end } = open();
  cluster.failStarts = 1;
  probe(mailbox, 4);
  await poll(2);
  expect(cluster.started).toEqual([]);
  await poll();
  expect(cluster.started).toHaveLength(1);
  expect(news[0]).toBe('the pool of w- could not be started: forbidden');
  await end();
});

test('without anything to start pools it only looks', async () => {
  const { mailbox, cluster, demands, end, clock } = open();
  await end();
  const only = createWatcher({
    pools: [],
    known: [],
    intervalMs: 10 * SECOND,
    retainedAfterMs: 1,
    preflightMs: 1,
    eager: true,
    max: 1,
    serveQueued: false,
    retry: false,
    mailbox,
    clock,
    onDemand: (demand) => demands.push(demand),
    onNews: () => {},
  });
  probe(mailbox, 4);
  const stop = new AbortController();
  const running = only.run(stop.signal);
  await clock.advance(0);
  stop.abort();
  await running;
  expect(demands.at(-1)).toMatchObject({ demand: 4, inspected: true });
  expect(cluster.started).toEqual([]);
});
