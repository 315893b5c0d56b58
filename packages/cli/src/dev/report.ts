import type { JobView } from '@rungar/emulators/github';
import { table } from '../output/table.js';
import { plural } from '../output/words.js';
import type { BackendName } from './backends/backend.js';
import type { DevMachine } from './backends/machines.js';

/** What was written down of one backend while the demonstration ran, as its emulator has it. */
export interface BackendRecord {
  readonly name: BackendName;
  readonly title: string;
  /** How many runners it had room for; any number unless set. */
  readonly room?: number;
  /** Every machine there has been, those of others included. */
  readonly machines: readonly DevMachine[];
  /** The most of Rungar's that had power at the same time. */
  readonly mostAtOnce: number;
  /** Calls that asked to change a machine of others. */
  readonly callsOnForeign: number;
}

/** What was written down while the demonstration ran. Instants are epoch milliseconds. */
export interface DemoRecord {
  readonly jobs: readonly JobView[];
  /** In the order in which runners are placed on them. */
  readonly backends: readonly BackendRecord[];
  /** As it stood when the daemon was killed. */
  readonly atKill: {
    readonly runningJobs: readonly JobView[];
    readonly machineNames: readonly string[];
  };
  /** Runners the second daemon said it had adopted. */
  readonly adopted: readonly string[];
  /** Those of the killed daemon's machines that still stood when the second one had adopted. */
  readonly standingAtAdoption: readonly string[];
  readonly registrationsLeft: readonly string[];
  readonly sessionsLeft: number;
  readonly socketLeft: boolean;
  /** Credentials and registrations that were in use. */
  readonly secrets: number;
  /** How many of them stand in what the daemon wrote. */
  readonly secretsTold: number;
}

/** One thing the demonstration shows, and whether it held. */
export interface Proof {
  readonly holds: boolean;
  readonly text: string;
}

/** Each job's way, in seconds after it was queued. */
export function timeline({ jobs, backends }: DemoRecord): string[] {
  const homes = new Map(
    backends.flatMap(({ name, machines }) => machines.map((machine) => [machine.name, { ...machine, backend: name }])),
  );
  const rows = jobs.map((job) => {
    const home = homes.get(job.runnerName ?? '');
    const after = (instant: number | undefined): string =>
      instant === undefined ? '-' : ((instant - job.queuedAt) / 1000).toFixed(1);
    const instants = [home?.seenAt, job.runnerConnectedAt, job.startedAt, job.finishedAt];
    return [job.name, ...instants.map(after), home?.backend ?? '-', job.runnerName ?? '-'];
  });
  const titles = ['JOB', 'MACHINE', 'ONLINE', 'STARTED', 'ENDED', 'ON', 'RUNNER'];
  return table(
    titles.map((title) => ({ title })),
    rows,
  );
}

/** What each backend's own records say. */
export function byBackend(record: DemoRecord): string[] {
  const rows = record.backends.map((backend) => {
    const own = ownOf(backend);
    const names = new Set(own.map(({ name }) => name));
    const count = (list: readonly (string | undefined)[]): number =>
      list.filter((name) => name !== undefined && names.has(name)).length;
    const { jobs, atKill, standingAtAdoption, adopted } = record;
    return [
      backend.title,
      own.length,
      backend.room === undefined ? backend.mostAtOnce : `${backend.mostAtOnce} of ${backend.room}`,
      count(jobs.map(({ runnerName }) => runnerName)),
      count(atKill.runningJobs.map(({ runnerName }) => runnerName)),
      `${count(standingAtAdoption.filter((name) => adopted.includes(name)))} of ${count(standingAtAdoption)}`,
      leftOf(backend).length,
    ].map(String);
  });
  const titles = ['BACKEND', 'MACHINES', 'AT ONCE', 'JOBS', 'AT THE KILL', 'ADOPTED', 'LEFT'];
  return table(
    titles.map((title) => ({ title })),
    rows,
  );
}

/** What the demonstration claims, each checked against what GitHub and the backends themselves say. */
export function proofs(record: DemoRecord): Proof[] {
  return [
    allJobsRan(record),
    spilledOver(record),
    nothingDisturbed(record),
    adoption(record),
    oneMachinePerJob(record),
    foreignUntouched(record),
    nothingTold(record),
    nothingLeft(record),
  ];
}

function ownOf({ machines }: BackendRecord): DevMachine[] {
  return machines.filter(({ isForeign }) => !isForeign);
}

function leftOf(backend: BackendRecord): DevMachine[] {
  return ownOf(backend).filter(({ state }) => state !== 'gone');
}

/** The backends a job has run on. */
function backendsUsed({ jobs, backends }: DemoRecord): BackendRecord[] {
  const used = new Set(jobs.map(({ runnerName }) => runnerName));
  return backends.filter((backend) => ownOf(backend).some(({ name }) => used.has(name)));
}

function allJobsRan(record: DemoRecord): Proof {
  const { jobs, backends } = record;
  const succeeded = jobs.filter((job) => job.result === 'succeeded' && job.requeued === 0);
  const used = backendsUsed(record).length;
  return {
    holds: succeeded.length === jobs.length && used === backends.length,
    text: `${succeeded.length} of ${plural(jobs.length, 'job')} ran to the end at the first attempt, on ${used} of ${plural(backends.length, 'backend')}`,
  };
}

/** Each backend with little room was full, and the next one took the rest. */
function spilledOver({ backends }: DemoRecord): Proof {
  const small = backends.filter(({ room }) => room !== undefined);
  const next = backends.find(({ room }) => room === undefined);
  const filled = small.map(({ name, room, mostAtOnce }) => `${name} had ${mostAtOnce} of ${room}`);
  const spilled = next === undefined ? 0 : ownOf(next).length;
  return {
    holds: small.every(({ room, mostAtOnce }) => mostAtOnce === room) && spilled > 0,
    text: `${filled.join(', ')}, and ${spilled} more spilled over to ${next?.name}`,
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

function oneMachinePerJob({ jobs, backends }: DemoRecord): Proof {
  const used = jobs.flatMap(({ runnerName }) => runnerName ?? []);
  const own = backends.flatMap(ownOf);
  const spare = own.length - new Set(used).size;
  return {
    holds: new Set(used).size === used.length && new Set(own.map(({ name }) => name)).size === own.length,
    text: `${plural(used.length, 'job')} on ${plural(new Set(used).size, 'machine')}, a fresh one each (${own.length} made, ${spare} in reserve)`,
  };
}

function foreignUntouched({ backends }: DemoRecord): Proof {
  const foreign = backends.flatMap(({ machines }) => machines.filter(({ isForeign }) => isForeign));
  const running = foreign.filter(({ state }) => state === 'running');
  const calls = backends.reduce((sum, { callsOnForeign }) => sum + callsOnForeign, 0);
  return {
    holds: foreign.length > 0 && running.length === foreign.length && calls === 0,
    text: `${running.length} of ${plural(foreign.length, 'foreign machine')} still run, and ${plural(calls, 'call')} would have changed them`,
  };
}

function nothingTold({ secrets, secretsTold }: DemoRecord): Proof {
  return {
    holds: secrets > 0 && secretsTold === 0,
    text: `${secretsTold} of ${plural(secrets, 'secret')} stand in the daemon's log and events`,
  };
}

function nothingLeft({ backends, registrationsLeft, sessionsLeft, socketLeft }: DemoRecord): Proof {
  const left = backends.flatMap(leftOf);
  return {
    holds: left.length === 0 && registrationsLeft.length === 0 && sessionsLeft === 0 && !socketLeft,
    text: `left behind: ${plural(left.length, 'machine')}, ${plural(registrationsLeft.length, 'registration')}, ${plural(sessionsLeft, 'session')}, ${socketLeft ? 'a socket' : 'no socket'}`,
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
