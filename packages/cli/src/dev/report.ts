import type { EmulatedInstance } from '@rungar/emulators/aws';
import type { JobView } from '@rungar/emulators/github';
import { table } from '../output/table.js';
import { plural } from '../output/words.js';

/** What was written down while the demonstration ran. Instants are epoch milliseconds. */
export interface DemoRecord {
  readonly startedAt: number;
  readonly jobs: readonly JobView[];
  /** Every machine there has been, the foreign ones included. */
  readonly machines: readonly EmulatedInstance[];
  /** Ids of the machines that are not Rungar's to touch. */
  readonly foreignIds: readonly string[];
  /** As it stood when the daemon was killed. */
  readonly atKill: {
    readonly at: number;
    readonly runningJobs: readonly JobView[];
    readonly machineNames: readonly string[];
  };
  /** Runners the second daemon said it had adopted. */
  readonly adopted: readonly string[];
  /** Those of the killed daemon's machines that still stood when the second one had adopted. */
  readonly standingAtAdoption: readonly string[];
  /** Calls to the cloud that named a foreign machine and were not a listing. */
  readonly callsOnForeign: number;
  readonly registrationsLeft: readonly string[];
  readonly sessionsLeft: number;
  readonly socketLeft: boolean;
}

/** One thing the demonstration shows, and whether it held. */
export interface Proof {
  readonly holds: boolean;
  readonly text: string;
}

/** Each job's way, in seconds after the start. */
export function timeline({ jobs, machines, startedAt }: DemoRecord): string[] {
  const launched = new Map(machines.map((machine) => [machine.name, machine.launchedAt]));
  const at = (instant: number | undefined): string =>
    instant === undefined ? '-' : ((instant - startedAt) / 1000).toFixed(1);
  const rows = jobs.map((job) => [
    job.name,
    at(job.queuedAt),
    at(job.runnerName === undefined ? undefined : launched.get(job.runnerName)),
    at(job.runnerConnectedAt),
    at(job.startedAt),
    at(job.finishedAt),
    job.runnerName ?? '-',
  ]);
  const titles = ['JOB', 'QUEUED', 'MACHINE', 'ONLINE', 'STARTED', 'ENDED', 'RUNNER'];
  return table(
    titles.map((title) => ({ title })),
    rows,
  );
}

/** What the demonstration claims, each checked against what GitHub and the cloud themselves say. */
export function proofs(record: DemoRecord): Proof[] {
  return [
    allJobsRan(record),
    nothingDisturbed(record),
    adoption(record),
    oneMachinePerJob(record),
    foreignUntouched(record),
    nothingLeft(record),
  ];
}

function allJobsRan({ jobs }: DemoRecord): Proof {
  const succeeded = jobs.filter((job) => job.result === 'succeeded' && job.requeued === 0);
  return {
    holds: succeeded.length === jobs.length,
    text: `${succeeded.length} of ${plural(jobs.length, 'job')} ran to the end at the first attempt`,
  };
}

function nothingDisturbed({ atKill, jobs }: DemoRecord): Proof {
  const after = new Map(jobs.map((job) => [job.id, job]));
  const undisturbed = atKill.runningJobs.filter((before) => {
    const now = after.get(before.id);
    return now?.result === 'succeeded' && now.runnerName === before.runnerName && now.startedAt === before.startedAt;
  });
  return {
    holds: atKill.runningJobs.length > 0 && undisturbed.length === atKill.runningJobs.length,
    text: `${undisturbed.length} of ${plural(atKill.runningJobs.length, 'job')} running at the kill ended on the runner they began on`,
  };
}

function adoption({ adopted, standingAtAdoption, atKill }: DemoRecord): Proof {
  const found = standingAtAdoption.filter((name) => adopted.includes(name));
  const strangers = adopted.filter((name) => !atKill.machineNames.includes(name));
  return {
    holds: found.length > 0 && found.length === standingAtAdoption.length && strangers.length === 0,
    text: `${found.length} of ${plural(standingAtAdoption.length, 'machine')} left were adopted by their labels, and nothing else`,
  };
}

function oneMachinePerJob({ jobs, machines, foreignIds }: DemoRecord): Proof {
  const used = jobs.flatMap(({ runnerName }) => runnerName ?? []);
  const own = machines.filter(({ id }) => !foreignIds.includes(id));
  const spare = own.length - new Set(used).size;
  return {
    holds: new Set(used).size === used.length && new Set(own.map(({ name }) => name)).size === own.length,
    text: `${plural(used.length, 'job')} on ${plural(new Set(used).size, 'machine')}, a fresh one each (${own.length} made, ${spare} in reserve)`,
  };
}

function foreignUntouched({ machines, foreignIds, callsOnForeign }: DemoRecord): Proof {
  const running = machines.filter(({ id, state }) => foreignIds.includes(id) && state === 'running');
  return {
    holds: running.length === foreignIds.length && callsOnForeign === 0,
    text: `${running.length} of ${plural(foreignIds.length, 'foreign machine')} still run, and ${plural(callsOnForeign, 'call')} named them`,
  };
}

function nothingLeft({ machines, foreignIds, registrationsLeft, sessionsLeft, socketLeft }: DemoRecord): Proof {
  const alive = machines.filter(
    ({ id, state }) => !foreignIds.includes(id) && state !== 'terminated' && state !== 'shutting-down',
  );
  return {
    holds: alive.length === 0 && registrationsLeft.length === 0 && sessionsLeft === 0 && !socketLeft,
    text: `left behind: ${plural(alive.length, 'machine')}, ${plural(registrationsLeft.length, 'registration')}, ${plural(sessionsLeft, 'session')}, ${socketLeft ? 'a socket' : 'no socket'}`,
  };
}

/** `median 3.1 s, longest 4.0 s`. */
export function waits({ jobs }: DemoRecord): string {
  const seconds = jobs
    .flatMap(({ queuedAt, startedAt }) => (startedAt === undefined ? [] : [(startedAt - queuedAt) / 1000]))
    .sort((a, b) => a - b);
  const median = seconds[Math.floor(seconds.length / 2)];
  return median === undefined
    ? 'no job started'
    : `median ${median.toFixed(1)} s, longest ${seconds.at(-1)?.toFixed(1)} s`;
}
