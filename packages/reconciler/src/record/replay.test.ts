import { expect, test } from 'vitest';
import { aFleet, aMemory, aRunner, aSeenMachine, NOW, named } from '../../test/facts.js';
import { labelsOf, MINUTE, on, policy, SECOND, world } from '../../test/world.js';
import type { LeavingFacts, RunnerFacts } from '../decide/facts.js';
import { planPass } from '../decide/plan-pass.js';
import { type DecisionRecord, recordLine } from './entries.js';
import { readRecordLine } from './read-line.js';
import { replayRecord } from './replay.js';

/** Two scale sets through scarcity, crashes, an outage and a pause, recorded. */
async function recorded(): Promise<string[]> {
  const lines: string[] = [];
  const w = world({
    scaleSets: [
      policy({ name: 'vm', minRunners: 3, maxRunners: 8, providers: on('a', 'b'), maxIdleAgeMs: 10 * MINUTE }),
      policy({ name: 'big', priority: 5, providers: on('b') }),
    ],
    providers: [
      { name: 'a', capacity: 3, maxRunners: 4 },
      { name: 'b', maxRunners: 2 },
    ],
    recorder: { record: (line) => void lines.push(line) },
  });
  w.provider('a').put('vm-00000001', { ...labelsOf('vm-00000001'), owner: 'hunter2-team' });
  w.start();
  await w.clock.advance(MINUTE);
  for (let job = 0; job < 6; job++) w.github.queueJob('vm', 30 * SECOND);
  for (let job = 0; job < 3; job++) w.github.queueJob('big', 40 * SECOND);
  await w.clock.advance(2 * MINUTE);
  const [crashed = ''] = w.machines();
  w.provider('a').vanish(crashed);
  w.github.crash(crashed);
  await w.clock.advance(12 * MINUTE);
  w.reconciler.pause('vm');
  await w.clock.advance(MINUTE);
  await w.stop();
  return lines;
}

const recordOf = (line: string): DecisionRecord => {
  const read = readRecordLine(line);
  if (read.kind !== 'record') throw new Error(`no record: ${line}`);
  return read.record;
};

test('what was decided is decided again, pass by pass and decision by decision, from the recording alone', async () => {
  const lines = await recorded();
  const records = lines.map(recordOf);
  const kinds = new Set(records.map(({ kind, scaleSet }) => `${kind} ${scaleSet}`));
  expect(kinds).toEqual(new Set(['pass vm', 'pass big', 'scaling vm', 'scaling big']));
  const scalings = records.flatMap((record) => (record.kind === 'scaling' ? [record.plan] : []));
  expect(scalings.some(({ placed }) => placed.length > 1)).toBe(true);
  expect(scalings.some(({ placed, create }) => placed.length < create)).toBe(true);
  expect(scalings.some(({ remove }) => remove.length > 0)).toBe(true);
  const passes = records.flatMap((record) => (record.kind === 'pass' ? record.plan.items : []));
  expect(new Set(passes.map((item) => item.do)).size).toBeGreaterThan(4);
  expect(records.flatMap(replayRecord)).toEqual([]);
});

test('another decision is told by its place', async () => {
  const lines = await recorded();
  const line = lines.find((one) => one.includes('"do":"adopt"')) ?? '';
  const changed = recordOf(line.replace('"do":"adopt"', '"do":"delete_again"'));
  expect(replayRecord(changed)).toContainEqual({ path: 'items[0].do', recorded: '"delete_again"', now: '"adopt"' });
  const scaling = recordOf(lines.find((one) => one.includes('"kind":"scaling"')) ?? '');
  if (scaling.kind !== 'scaling') throw new Error('no scaling');
  const more = { ...scaling, plan: { ...scaling.plan, target: 77 } };
  expect(replayRecord(more)).toEqual([{ path: 'target', recorded: '77', now: String(scaling.plan.target) }]);
});

test('neither specifications nor labels of others are in a recording', async () => {
  const text = (await recorded()).join('\n');
  expect(text).not.toMatch(/hunter2|jit-of|"spec"|display/i);
  expect(text).toContain('vm-00000001');
});

test('every fact that a decision may read comes back as it was, and jobs stay out', () => {
  const { job: _job, ...runner }: Required<RunnerFacts> = {
    ...aRunner(),
    place: { provider: 'a', part: 'zone', id: 'i-1' },
    twins: [{ provider: 'b' }],
    state: 'busy',
    job: { id: 'secret job', repository: 'r', workflowRef: 'w', displayName: 'd', workflowRunId: 1, startedAt: 1 },
    githubStatus: 'offline',
    ...{ createdAt: 1, connectedAt: 2, toldAt: 3, offlineSince: 4, missingSince: 5, unknownSince: 6 },
  };
  const leaving: Required<LeavingFacts> = {
    runner: { ...runner, job: _job },
    outcome: { kind: 'lost', reason: 'ended', proof: ['machine_ended'] },
    endedAt: 7,
    endProof: ['machine_not_listed', 'machine_not_listed_again'],
    ...{ deleted: true, deleting: false, deleteFailures: 2, deleteAgainAt: Number.NEGATIVE_INFINITY },
  };
  const memory = aMemory({
    runners: named({ ...runner, job: _job }),
    creating: new Map([['vm-new', {}]]),
    leaving: new Map([[runner.name, leaving]]),
    left: new Map([['vm-left', 8]]),
    orphans: new Map([['vm-orphan', 9]]),
    unreachable: new Map([['a/', 10]]),
    writtenOff: new Set(['vm-off']),
    replacement: { old: 'vm-1', reason: 'outdated', removedFirst: true },
  });
  const context = { policy: policy(), scaleSetId: 7, now: NOW, wallNow: NOW };
  const seen = { fleet: aFleet([aSeenMachine()]), github: { asked: false, lookUps: new Map() } };
  const plan = planPass(context, seen, memory);
  const line = recordLine({ kind: 'pass', scaleSet: 'vm', at: NOW, context, seen, memory, plan });
  expect(line).not.toContain('secret job');
  const record = recordOf(line);
  if (record.kind !== 'pass') throw new Error('no pass');
  expect(record.memory).toEqual({
    ...memory,
    runners: named(runner),
    creating: new Set(['vm-new']),
    leaving: new Map([[runner.name, { ...leaving, runner }]]),
  });
  expect(record.seen).toEqual(seen);
  expect(replayRecord(record)).toEqual([]);
});

test.each([
  ['{"v":1', 'it is no JSON'],
  ['[]', 'it is no object'],
  ['{"kind":"pass"}', 'it lacks v: it is no line of a recording'],
  ['{"v":9,"kind":"pass"}', 'it has version 9, and 1 is read here'],
  ['{"v":1,"kind":"pass","at":"2027-01-04T09:00:00Z"}', 'it lacks scale_set or at'],
  ['{"v":1,"kind":"dream","scale_set":"vm","at":"2027-01-04T09:00:00Z"}', 'its kind "dream" is not known'],
  ['{"v":1,"kind":"pass","scale_set":"vm","at":"2027-01-04T09:00:00Z","context":{}}', 'it lacks seen'],
  [
    '{"v":1,"kind":"scaling","scale_set":"vm","at":"2027-01-04T09:00:00Z","question":{"a":{"~map":[1]}},"plan":{}}',
    'a map holds pairs',
  ],
])('a line %s is damaged: %s', (line, why) => expect(readRecordLine(line)).toEqual({ kind: 'damaged', why }));

test('a gap says how much was left out', () => {
  expect(readRecordLine('{"v":1,"kind":"gap","left":12}')).toEqual({ kind: 'gap', left: 12 });
});

test('a recorder that throws disturbs nobody', async () => {
  const w = world({
    scaleSets: [policy({ minRunners: 1 })],
    recorder: {
      record() {
        throw new Error('disk full');
      },
    },
  });
  w.start();
  await w.clock.advance(MINUTE);
  expect(w.machines()).toHaveLength(1);
  await w.stop();
});
