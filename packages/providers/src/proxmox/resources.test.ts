import { fakeClock } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import type { Pve } from './api.js';
import { type Resources, readResources, shareResources } from './resources.js';

const forEver = new AbortController().signal;

function answering(data: unknown): Pve {
  return { get: async () => data } as unknown as Pve;
}

test('VMs, nodes, storages and pools come out of one answer, and containers only as VMIDs', async () => {
  const entries = [
    {
      type: 'qemu',
      vmid: 105,
      node: 'A',
      name: 'x',
      status: 'running',
      tags: 'b;a',
      maxcpu: 2.0,
      maxmem: 1024,
      mem: 10,
    },
    { type: 'qemu', vmid: '9000', node: 'A', template: 1, status: 'unknown', lock: 'backup' },
    { type: 'lxc', vmid: 106, node: 'A', name: 'ct' },
    { type: 'node', node: 'A', status: 'online', maxcpu: 8, maxmem: 2048, mem: 512 },
    { type: 'node', node: 'B', status: 'offline' },
    { type: 'storage', storage: 'ceph', node: 'A' },
    { type: 'pool', pool: 'ci' },
    { type: 'sdn', sdn: 'zone' },
  ];
  const resources = await readResources(answering(entries), fakeClock(5_000), forEver);
  expect(resources).toEqual({
    begunAt: 5_000,
    vms: [
      {
        vmid: 105,
        node: 'A',
        name: 'x',
        status: 'running',
        isTemplate: false,
        tags: 'b;a',
        lock: '',
        cores: 2,
        memory: 1024,
        memoryUsed: 10,
      },
      {
        vmid: 9000,
        node: 'A',
        name: '',
        status: 'unknown',
        isTemplate: true,
        tags: '',
        lock: 'backup',
        cores: undefined,
        memory: undefined,
        memoryUsed: 0,
      },
    ],
    nodes: [
      { name: 'A', isOnline: true, cores: 8, memory: 2048, memoryUsed: 512 },
      { name: 'B', isOnline: false, cores: 0, memory: 0, memoryUsed: 0 },
    ],
    storages: new Set(['ceph']),
    pools: new Set(['ci']),
    vmids: new Set([105, 9000, 106]),
  });
});

test.each([null, {}, 'x', [], [{ type: 'pool', pool: 'ci' }]])(
  '%j is no listing, and not an empty one',
  async (data) => {
    await expect(readResources(answering(data), fakeClock(), forEver)).rejects.toMatchObject({ refusal: 'unanswered' });
  },
);

describe('a shared listing', () => {
  function shared() {
    const clock = fakeClock();
    let asked = 0;
    let fails = false;
    const fail = (): void => {
      fails = true;
    };
    const listing = shareResources(clock, async () => {
      asked += 1;
      const begunAt = clock.now();
      await clock.sleep(100);
      if (fails) throw new Error('no');
      return { begunAt } as Resources;
    });
    return { clock, listing, asked: () => asked, fail };
  }

  test('is asked for once by all that want a recent one', async () => {
    const { clock, listing, asked } = shared();
    const all = Promise.all([1, 2, 3].map(() => listing.recent(2_000, forEver)));
    await clock.advance(2_000);
    await all;
    await listing.recent(2_000, forEver);
    expect(asked()).toBe(1);
    await clock.advance(1);
    const next = listing.recent(2_000, forEver);
    await clock.advance(100);
    await next;
    expect(asked()).toBe(2);
  });

  test('that is fresh is begun after it was asked for, once for all that wait', async () => {
    const { clock, listing, asked } = shared();
    const first = listing.fresh(forEver);
    await clock.advance(50);
    const at = clock.now();
    const others = [listing.fresh(forEver), listing.fresh(forEver)];
    await clock.advance(1_000);
    await first;
    for (const other of others) expect((await other).begunAt).toBeGreaterThanOrEqual(at);
    expect(asked()).toBe(2);
  });

  test('that fails is not kept, and does not spoil the next', async () => {
    const { clock, listing, asked, fail } = shared();
    fail();
    const first = listing.fresh(forEver).catch(() => 'failed');
    const second = listing.fresh(forEver).catch(() => 'failed');
    await clock.advance(1_000);
    expect([await first, await second]).toEqual(['failed', 'failed']);
    const recent = listing.recent(2_000, forEver).catch(() => 'failed');
    await clock.advance(100);
    expect([await recent, asked()]).toEqual(['failed', 3]);
  });
});
