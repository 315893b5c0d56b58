import { fakeClock } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { identityOf, watchIdentity } from './identity.js';

const CLUSTER = { type: 'cluster', id: 'cluster', name: 'prod', nodes: 2, quorate: 1 };
const node = (name: string, nodeid: number, ip?: string) => ({
  type: 'node',
  id: `node/${name}`,
  name,
  nodeid,
  ...(ip !== undefined && { ip }),
});
const forEver = (): AbortSignal => new AbortController().signal;

describe('a cluster', () => {
  test('is the same in the words of each of its nodes, and after others have joined', () => {
    const one = [{ ...node('pve2', 2, '10.0.0.2'), local: 1 }, node('pve1', 1, '10.0.0.1'), CLUSTER];
    const other = [CLUSTER, { ...node('pve1', 1, '10.0.0.1'), local: 1 }, node('pve2', 2), node('pve10', 3)];
    expect(identityOf(one)).toBe('proxmox:prod/pve1@10.0.0.1');
    expect(identityOf(other)).toBe('proxmox:prod/pve1@10.0.0.1');
  });

  test('is another than one of the same name elsewhere', () => {
    expect(identityOf([CLUSTER, node('pve1', 1, '10.9.0.1')])).toBe('proxmox:prod/pve1@10.9.0.1');
  });

  test('may be a host on its own', () => {
    expect(identityOf([node('pve', 0, '192.168.1.10')])).toBe('proxmox:/pve@192.168.1.10');
  });

  test.each([[[]], [null], ['nonsense'], [[CLUSTER]], [[CLUSTER, node('pve1', 1)]], [[{ ...CLUSTER, name: 7 }]]])(
    'is not known by %j',
    (status) => {
      expect(identityOf(status)).toBeUndefined();
    },
  );
});

test('it is asked once an hour, for all who want to know, and kept where there is no answer', async () => {
  const clock = fakeClock();
  let asked = 0;
  const answers: unknown[] = [[CLUSTER, node('pve1', 1, '10.0.0.1')], new Error('403 Permission check failed'), []];
  const identity = watchIdentity(clock, async () => {
    const answer = answers[asked++];
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const told = await Promise.all([identity(forEver()), identity(forEver())]);
  await clock.advance(60 * 60_000 - 1);
  told.push(await identity(forEver()));
  expect(asked).toBe(1);
  for (const more of [2, 3]) {
    await clock.advance(60 * 60_000);
    told.push(await identity(forEver()));
    expect(asked).toBe(more);
  }
  expect(told).toEqual(Array.from({ length: 5 }, () => 'proxmox:prod/pve1@10.0.0.1'));
});
