import { describe, expect, test } from 'vitest';
import { refLine } from '../../test/refs.js';
import { classifyDemand, type DemandContext, remember, type Tip } from './classify.js';
import { byName, indexIn } from './node-order.js';
import { parseRefs } from './parse-refs.js';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 7, 20, 12);
const context: DemandContext = {
  now: 1_000,
  wallNow: NOON,
  pools: [{ prefix: 'w-', count: 4 }],
  sightings: new Map(),
  retainedAfterMs: 3_660_000,
};

const demandOf = (lines: readonly string[], more: Partial<DemandContext> = {}) =>
  classifyDemand(parseRefs(lines.join('\n')), { ...context, ...more });

const nameOf = (line: string): string => line.split('refs/heads/')[1] ?? '';
const tips = (entries: readonly (readonly [string, Tip])[]) =>
  new Map(entries.map(([line, tip]) => [nameOf(line), tip]));

test('A64: the probes name the nodes that are wanted', () => {
  const demand = demandOf([3, 1, 0, 2].map((index) => refLine(`w-${index}`, 'probe', { id: index })));
  expect(demand.wantedNodes).toEqual(['w-0', 'w-1', 'w-2', 'w-3']);
  expect(demand.pools).toEqual([
    { prefix: 'w-', count: 4, wantedNodes: ['w-0', 'w-1', 'w-2', 'w-3'], wanted: 4, gaps: [] },
  ]);
  expect(demand).toMatchObject({ demand: 4, upperBound: true, candidates: 4, unclaimed: { probe: 4, build: 0 } });
});

test('A65: a node with hyphens and digits is read whole', () => {
  const { branches } = parseRefs(refLine('build-a-1', 'probe'));
  expect(branches).toMatchObject([{ node: 'build-a-1', kind: 'probe' }]);
  expect(parseRefs(refLine('w-20260819-run-1', 'build')).branches[0]?.node).toBe('w-20260819-run-1');
});

test('A66: a snapshot is transport, however old', () => {
  const demand = demandOf([refLine('w-0', 'snapshot'), refLine('w-0', 'relay', { date: '20260101', id: 2 })]);
  expect(demand).toMatchObject({ transport: 2, demand: 0, wantedNodes: [] });
});

describe('A67: a branch dated', () => {
  test.each([
    ['20260811', 'stale'],
    ['20260817', 'stale'],
    ['20260818', 'candidates'],
    ['20260821', 'candidates'],
    ['20260822', 'foreign'],
  ] as const)('%s is, on the 20th, among the %s', (date, kind) => {
    const demand = demandOf([refLine('w-0', 'probe', { date })]);
    expect(demand[kind]).toBe(1);
    expect(demand.stale + demand.candidates + demand.foreign).toBe(1);
  });
});

describe('A68: what is none of dispat’s is foreign', () => {
  const good = refLine('w-0', 'probe');
  test.each([
    ['no more than a prefix', `${'a'.repeat(40)}\trefs/heads/dispat-worker-x`],
    ['an unknown kind', good.replace('-probe-', '-deploy-')],
    ['a day the calendar does not have', good.replace('20260820', '20260230')],
    ['a short number', good.slice(0, -1)],
    ['capital hex digits', good.replace(/.$/, 'A')],
    ['no node', good.replace('-w-0-', '-')],
    ['two dots', good.replace('-w-0-', '-w..0-')],
    ['a blank in the node', good.replace('-w-0-', '-w 0-')],
    ['a tag', good.replace('refs/heads/', 'refs/tags/')],
    ['no object id', good.slice(1)],
  ])('%s', (_, line) => {
    expect(demandOf([line, good])).toMatchObject({ foreign: 1, candidates: 1 });
  });

  test('an object id of 64 digits and a carriage return are fine', () => {
    expect(parseRefs(`${good.replace(/^0{40}|^0+1/, 'b'.repeat(64))}\r\n`)).toMatchObject({
      foreign: 0,
      branches: [{ node: 'w-0' }],
    });
  });
});

describe('A69: with inspection', () => {
  const lines = ['claim', 'assignment', 'result', 'cancel', 'nothing'].map((_, id) =>
    refLine('w-0', 'build', { id: id + 1 }),
  );
  const states = ['running', 'unclaimed', 'done', 'withdrawn', 'unknown'] as const;
  const demand = demandOf(lines, { tips: tips(lines.map((line, at) => [line, { state: states[at] ?? 'unknown' }])) });

  test('a claim is running, and only an assignment waits', () => {
    expect(demand).toMatchObject({ running: 1, done: 1, withdrawn: 1, unknown: 1, demand: 1, upperBound: false });
    expect(demand.unclaimed.build).toBe(1);
  });

  test('a claimed probe wants nothing', () => {
    const probe = refLine('w-0', 'probe');
    expect(demandOf([probe], { tips: tips([[probe, { state: 'running' }]]) }).wantedNodes).toEqual([]);
  });
});

describe('A70: a publish that has not moved', () => {
  const line = refLine('w-0', 'publish');
  const { branches } = parseRefs(line);
  const firstSeen = remember(branches, new Map(), 0);

  test('for two hours is retained, no demand, and not to be deleted', () => {
    const demand = demandOf([line], { now: 2 * HOUR, sightings: remember(branches, firstSeen, 2 * HOUR) });
    expect(demand).toMatchObject({ retained: 1, demand: 0, candidates: 0 });
    expect(demand.messages[0]).toContain('do not delete');
    expect(demand.messages[0]).toContain('E228');
  });

  test('is a candidate until then', () => {
    expect(demandOf([line], { now: 3_660_000, sightings: firstSeen })).toMatchObject({ retained: 0, candidates: 1 });
    expect(demandOf([line], { now: 3_660_001, sightings: firstSeen })).toMatchObject({ retained: 1, candidates: 0 });
  });

  test('begins anew when it moves', () => {
    const moved = parseRefs(refLine('w-0', 'publish').replace(/^./, 'f')).branches;
    const sightings = remember(moved, firstSeen, HOUR);
    expect([...sightings.values()]).toMatchObject([{ firstSeen: 0, unmovedSince: HOUR }]);
    expect(classifyDemand({ branches: moved, foreign: 0 }, { ...context, now: 2 * HOUR, sightings }).retained).toBe(0);
  });

  test('is told by the time of its tip, where that was read', () => {
    const at = (committedAt: number, state: Tip['state'] = 'running') =>
      demandOf([line], { tips: tips([[line, { state, committedAt }]]) });
    expect(at(NOON - 2 * HOUR)).toMatchObject({ retained: 1, running: 0 });
    expect(at(NOON - HOUR)).toMatchObject({ retained: 0, running: 1 });
    expect(at(NOON - 2 * HOUR, 'done')).toMatchObject({ retained: 0, done: 1 });
  });

  test('is never a build', () => {
    const build = refLine('w-0', 'build');
    expect(
      demandOf([build], { now: 9 * HOUR, sightings: remember(parseRefs(build).branches, new Map(), 0) }).retained,
    ).toBe(0);
  });
});

describe('what is reported', () => {
  test('gaps below the highest index, and nodes of no pool', () => {
    const demand = demandOf(['w-0', 'w-3', 'w-7', 'laptop'].map((node, id) => refLine(node, 'probe', { id })));
    expect(demand.pools[0]).toMatchObject({ wanted: 8, gaps: [1, 2, 4, 5, 6] });
    expect(demand.unservable).toEqual(['laptop', 'w-7']);
  });

  test('how long ago the oldest waiting branch was first seen', () => {
    const { branches } = parseRefs(refLine('w-0', 'probe'));
    const demand = demandOf([refLine('w-0', 'probe')], {
      now: 61_500,
      sightings: remember(branches, new Map(), 1_000),
    });
    expect(demand.oldestUnclaimedSeconds).toBe(60);
    expect(demandOf([]).oldestUnclaimedSeconds).toBeNull();
  });
});

describe('names', () => {
  test('are ordered as people do', () => {
    expect(['w-10', 'w-2', 'a-1', 'w-02', 'w', 'w-2a'].sort(byName)).toEqual([
      'a-1',
      'w',
      'w-02',
      'w-2',
      'w-2a',
      'w-10',
    ]);
  });

  test.each([
    ['w-0', 0],
    ['w-12', 12],
    ['w-01', undefined],
    ['w-', undefined],
    ['w-1-0', undefined],
    ['x-1', undefined],
  ])('%s has, in the pool of w-, the index %s', (node, index) => {
    expect(indexIn('w-', node)).toBe(index);
  });
});

test('a long list is read as each of its lines is', () => {
  const lines = ['w-1', 'w-1', 'w-10', 'w-1'].flatMap((node, group) =>
    ['probe', 'build', 'snapshot'].flatMap((kind) =>
      [1, 2, 3].map((id) => refLine(node, kind, { id: id + 10 * group, date: group === 3 ? '20260819' : '20260820' })),
    ),
  );
  const broken = lines.with(4, (lines[4] ?? '').replace('-build-', '-bui1d-')).with(7, `${lines[7]}x`);
  expect(parseRefs(broken.join('\n')).foreign).toBe(2);
  const each = broken.flatMap((line) => parseRefs(line).branches);
  const all = parseRefs(`${broken.join('\n')}\n`).branches;
  const plain = (branches: typeof all) =>
    branches.map(({ name, node, day, kind, oid }) => ({ name, node, day, kind, oid }));
  expect(plain(all)).toEqual(plain(each));
  expect(demandOf(broken)).toMatchObject({ candidates: 23, transport: 11, unclaimed: { probe: 12, build: 11 } });
});
