import type { JobView } from '@rungar/emulators/github';
import { describe, expect, test } from 'vitest';
import type { DevMachine } from './backends/machines.js';
import { type BackendRecord, byBackend, type DemoRecord, proofs, timeline, waits } from './report.js';

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

function machine(name: string, given: Partial<DevMachine> = {}): DevMachine {
  return {
    ...{ id: `i-${name}`, name, state: 'gone', seenAt: START + 1_500, isForeign: false, registration: undefined },
    ...given,
  };
}

const foreign = (name: string): DevMachine => machine(name, { state: 'running', isForeign: true });

const HOST: BackendRecord = {
  ...{ name: 'dicer', title: 'Dicer', room: 1, mostAtOnce: 1, callsOnForeign: 0 },
  machines: [machine('linux-small-1'), foreign('database')],
};
const CLOUD: BackendRecord = {
  ...{ name: 'gcp', title: 'Compute Engine', mostAtOnce: 2, callsOnForeign: 0 },
  machines: [machine('linux-small-2'), machine('linux-small-spare'), foreign('neighbour')],
};

/** A demonstration in which everything held: two jobs, the second of them running when the daemon was killed. */
const GOOD: DemoRecord = {
  jobs: [job('1'), job('2')],
  backends: [HOST, CLOUD],
  atKill: {
    runningJobs: [job('2')],
    machineNames: ['linux-small-1', 'linux-small-2'],
  },
  adopted: ['linux-small-2'],
  standingAtAdoption: ['linux-small-2'],
  registrationsLeft: [],
  sessionsLeft: 0,
  socketLeft: false,
  secrets: 7,
  secretsTold: 0,
};

/** The cloud, with one of its machines in another state. */
function withCloud(name: string, state: DevMachine['state']): Partial<DemoRecord> {
  const machines = CLOUD.machines.map((one) => (one.name === name ? { ...one, state } : one));
  return { backends: [HOST, { ...CLOUD, machines }] };
}

const broken = (record: DemoRecord): string[] => proofs(record).flatMap(({ holds, text }) => (holds ? [] : [text]));

test('everything holds when everything went well', () => {
  expect(proofs(GOOD).map(({ holds, text }) => [holds, text])).toEqual([
    [true, '2 of 2 jobs ran to the end at the first attempt, on 2 of 2 backends'],
    [true, 'dicer had 1 of 1, and 2 more spilled over to gcp'],
    [true, '1 of 1 job running at the kill ended on the runner they began on'],
    [true, '1 of 1 machine left were adopted by their labels, and nothing else'],
    [true, '2 jobs on 2 machines, a fresh one each (3 made, 1 in reserve)'],
    [true, '2 of 2 foreign machines still run, and 0 calls would have changed them'],
    [true, "0 of 7 secrets stand in the daemon's log and events"],
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
      { backends: [HOST, { ...CLOUD, machines: [...CLOUD.machines, machine('linux-small-1', { id: 'i-double' })] }] },
      '2 jobs on 2 machines',
    ],
    ['a foreign machine was ended', withCloud('neighbour', 'gone'), '1 of 2 foreign machines still run'],
    [
      'a call would have changed a foreign machine',
      { backends: [HOST, { ...CLOUD, callsOnForeign: 1 }] },
      '2 of 2 foreign machines still run, and 1 call would',
    ],
    [
      'no foreign machine was there',
      {
        backends: GOOD.backends.map((one) => ({
          ...one,
          machines: one.machines.filter(({ isForeign }) => !isForeign),
        })),
      },
      '0 of 0 foreign machines still run',
    ],
    ['a host had room left', { backends: [{ ...HOST, room: 2 }, CLOUD] }, 'dicer had 1 of 2, and 2 more'],
    ['a secret was told', { secretsTold: 1 }, "1 of 7 secrets stand in the daemon's log"],
    ['no secret was in use', { secrets: 0 }, "0 of 0 secrets stand in the daemon's log"],
    [
      'a machine is left',
      withCloud('linux-small-spare', 'stopped'),
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
    const both = [job('1', { runnerName: 'linux-small-2' }), job('3', { runnerName: 'linux-small-1' }), second];
    const claims = broken({ ...GOOD, jobs: both, atKill: { ...GOOD.atKill, runningJobs: [second] } });
    expect(claims).toEqual(['3 jobs on 2 machines, a fresh one each (3 made, 1 in reserve)']);
  });

  test('a backend had no job', () => {
    const claims = broken({ ...GOOD, jobs: [job('2')] });
    expect(claims).toEqual(['1 of 1 job ran to the end at the first attempt, on 1 of 2 backends']);
  });

  test('nothing spilled over', () => {
    const all = { ...HOST, machines: [...HOST.machines, machine('linux-small-2')] };
    const claims = broken({ ...GOOD, backends: [all, { ...CLOUD, machines: [foreign('neighbour')] }] });
    expect(claims).toEqual([
      '2 of 2 jobs ran to the end at the first attempt, on 1 of 2 backends',
      'dicer had 1 of 1, and 0 more spilled over to gcp',
    ]);
  });
});

test("each job's way is told in seconds after it was queued, with where it ran", () => {
  const { runnerName, runnerConnectedAt, startedAt, finishedAt, result, ...waiting } = job('3', { state: 'queued' });
  expect(timeline({ ...GOOD, jobs: [job('1'), waiting] })).toEqual([
    'JOB       MACHINE   ONLINE   STARTED   ENDED   ON      RUNNER',
    'build 1   0.5       2.5      3.0       8.0     dicer   linux-small-1',
    'build 3   -         -        -         -       -       -',
  ]);
});

test('each backend is told by its own records', () => {
  // One that was adopted, and had ended before anybody looked what still stood.
  expect(byBackend({ ...GOOD, adopted: [...GOOD.adopted, 'linux-small-spare'] })).toEqual([
    'BACKEND          MACHINES   AT ONCE   JOBS   AT THE KILL   ADOPTED   LEFT',
    'Dicer            1          1 of 1    1      0             0 of 0    0',
    'Compute Engine   2          2         1      1             1 of 1    0',
  ]);
});

test('waits are told by the median and the longest', () => {
  const started = (seconds: number) => job(String(seconds), { startedAt: START + 1_000 + seconds * 1_000 });
  expect(waits({ ...GOOD, jobs: [started(9), started(2), started(3)] })).toBe('median 3.0 s, longest 9.0 s');
  expect(waits({ ...GOOD, jobs: [] })).toBe('no job started');
});
