import type { EmulatedInstance } from '@rungar/emulators/aws';
import type { JobView } from '@rungar/emulators/github';
import { describe, expect, test } from 'vitest';
import { type DemoRecord, proofs, timeline, waits } from './report.js';

const START = Date.UTC(2027, 0, 4, 9, 0, 0);

function job(id: string, given: Partial<JobView> = {}): JobView {
  return {
    ...{ id, runId: 1, name: `build ${id}`, repository: 'acme/demo', workflow: 'build', labels: ['linux-small'] },
    ...{ seconds: 5, fail: false, requeued: 0, state: 'completed', result: 'succeeded' },
    ...{
      queuedAt: START + 1_000,
      startedAt: START + 4_000,
      finishedAt: START + 9_000,
      runnerName: `linux-small-${id}`,
    },
    runnerConnectedAt: START + 3_500,
    ...given,
  };
}

function machine(name: string, given: Partial<EmulatedInstance> = {}): EmulatedInstance {
  return {
    ...{ id: `i-${name}`, name, state: 'terminated', launchedAt: START + 1_500 },
    ...given,
  } as EmulatedInstance;
}

const FOREIGN = ['i-database', 'i-neighbour'];

/** A demonstration in which everything held: two jobs, the second of them running when the daemon was killed. */
const GOOD: DemoRecord = {
  startedAt: START,
  jobs: [job('1'), job('2')],
  machines: [
    machine('linux-small-1'),
    machine('linux-small-2'),
    machine('linux-small-spare'),
    machine('database', { state: 'running' }),
    machine('neighbour', { state: 'running' }),
  ],
  foreignIds: FOREIGN,
  atKill: {
    at: START + 6_000,
    runningJobs: [job('2')],
    machineNames: ['linux-small-1', 'linux-small-2'],
  },
  adopted: ['linux-small-2'],
  standingAtAdoption: ['linux-small-2'],
  callsOnForeign: 0,
  registrationsLeft: [],
  sessionsLeft: 0,
  socketLeft: false,
};

const broken = (record: DemoRecord): string[] => proofs(record).flatMap(({ holds, text }) => (holds ? [] : [text]));

test('everything holds when everything went well', () => {
  expect(proofs(GOOD).map(({ holds, text }) => [holds, text])).toEqual([
    [true, '2 of 2 jobs ran to the end at the first attempt'],
    [true, '1 of 1 job running at the kill ended on the runner they began on'],
    [true, '1 of 1 machine left were adopted by their labels, and nothing else'],
    [true, '2 jobs on 2 machines, a fresh one each (3 made, 1 in reserve)'],
    [true, '2 of 2 foreign machines still run, and 0 calls named them'],
    [true, 'left behind: 0 machines, 0 registrations, 0 sessions, no socket'],
  ]);
});

describe('each claim is broken by what it claims, and by nothing else', () => {
  test.each<[string, Partial<DemoRecord>, string]>([
    ['a job failed', { jobs: [job('1', { result: 'failed' }), job('2')] }, '1 of 2 jobs ran to the end'],
    ['a job was queued again', { jobs: [job('1', { requeued: 1 }), job('2')] }, '1 of 2 jobs ran to the end'],
    [
      'a running job began anew',
      { jobs: [job('1'), job('2', { startedAt: START + 8_000 })] },
      '0 of 1 job running at the kill',
    ],
    [
      'nothing ran when the daemon was killed',
      { atKill: { ...GOOD.atKill, runningJobs: [] } },
      '0 of 0 jobs running at the kill',
    ],
    ['a machine was not adopted', { adopted: [] }, '0 of 1 machine left'],
    ['a stranger was adopted', { adopted: ['linux-small-2', 'database'] }, '1 of 1 machine left'],
    ['nothing stood to be adopted', { adopted: [], standingAtAdoption: [] }, '0 of 0 machines left'],
    [
      'two machines bear one name',
      { machines: [...GOOD.machines, machine('linux-small-1', { id: 'i-double' })] },
      '2 jobs on 2 machines',
    ],
    [
      'a foreign machine was ended',
      { machines: GOOD.machines.map((one) => (one.name === 'database' ? { ...one, state: 'terminated' } : one)) },
      '1 of 2 foreign machines still run',
    ],
    ['a foreign machine was named in a call', { callsOnForeign: 1 }, '2 of 2 foreign machines still run, and 1 call'],
    [
      'a machine is left',
      { machines: GOOD.machines.map((one) => (one.name === 'linux-small-spare' ? { ...one, state: 'running' } : one)) },
      'left behind: 1 machine, 0 registrations, 0 sessions, no socket',
    ],
    ['a registration is left', { registrationsLeft: ['linux-small-1'] }, 'left behind: 0 machines, 1 registration,'],
    ['a session is left', { sessionsLeft: 1 }, 'left behind: 0 machines, 0 registrations, 1 session,'],
    ['the socket is left', { socketLeft: true }, 'left behind: 0 machines, 0 registrations, 0 sessions, a socket'],
  ])('%s', (_, change, text) => {
    const claims = broken({ ...GOOD, ...change });
    expect(claims).toHaveLength(1);
    expect(claims[0]).toContain(text);
  });

  test('two jobs ran on one machine', () => {
    const second = job('2', { runnerName: 'linux-small-1' });
    const claims = broken({ ...GOOD, jobs: [job('1'), second], atKill: { ...GOOD.atKill, runningJobs: [second] } });
    expect(claims).toEqual(['2 jobs on 1 machine, a fresh one each (3 made, 2 in reserve)']);
  });
});

test("each job's way is told in seconds from the start", () => {
  const { runnerName, runnerConnectedAt, startedAt, finishedAt, result, ...waiting } = job('3', { state: 'queued' });
  expect(timeline({ ...GOOD, jobs: [job('1'), waiting] })).toEqual([
    'JOB       QUEUED   MACHINE   ONLINE   STARTED   ENDED   RUNNER',
    'build 1   1.0      1.5       3.5      4.0       9.0     linux-small-1',
    'build 3   1.0      -         -        -         -       -',
  ]);
});

test('waits are told by the median and the longest', () => {
  const started = (seconds: number) => job(String(seconds), { startedAt: START + 1_000 + seconds * 1_000 });
  expect(waits({ ...GOOD, jobs: [started(9), started(2), started(3)] })).toBe('median 3.0 s, longest 9.0 s');
  expect(waits({ ...GOOD, jobs: [] })).toBe('no job started');
});
