import type { EmulatedInstance } from '@rungar/emulators/aws';
import type { JobView, RunnerView } from '@rungar/emulators/github';
import { type ChaosWorld, ROOM, SETS } from './world.js';

/** Something that must never be. */
export interface Violation {
  /** In the world's time, from the start of the run. */
  readonly at: number;
  readonly rule: string;
  readonly what: string;
}

/** What the driver has done itself, so that it is not held against the daemons. */
export interface Doings {
  /** Jobs it has cancelled. */
  readonly cancelled: Set<string>;
  /** Names of machines it has taken away. */
  readonly taken: Set<string>;
  /** Names of machines it has launched a second time. */
  readonly copied: Set<string>;
  /** Scale sets it has purged: their running jobs end as failed. */
  readonly purged: Map<string, number>;
  /** When a daemon last began or ended, and when provider silence last made a write-off possible. */
  lastUpset: number;
}

export interface Watch {
  readonly doings: Doings;
  readonly violations: readonly Violation[];
  /** Machines of ours that live, by their scale set. */
  liveOf(scaleSet: string): EmulatedInstance[];
  report(rule: string, what: string): void;
  stop(): void;
}

/** How long one machine too many is forgiven after a daemon has begun: it may not see yet what the last one made. */
const UPSET_MS = 3 * 60_000;
const LIVE: readonly string[] = ['pending', 'running'];
const isOurs = (tags: EmulatedInstance['tags']): boolean => tags['rungar.sh/installation'] === 'chaos';

/** Checks, at every event of the emulators, what must hold at every instant. */
export function watch(world: ChaosWorld): Watch {
  const { github, accounts, clock, foreign, startTimeoutMs } = world;
  const start = clock.now();
  const violations: Violation[] = [];
  const completions = new Map<string, number>();
  const offlineSince = new Map<string, number>();
  const seen = new Set<string>();
  const doings: Doings = {
    cancelled: new Set(),
    taken: new Set(),
    copied: new Set(),
    purged: new Map(),
    lastUpset: clock.now(),
  };

  const report = (rule: string, what: string): void => {
    const key = `${rule} ${what}`;
    if (seen.has(key)) return;
    seen.add(key);
    violations.push({ at: Math.round((clock.now() - start) / 1000), rule, what });
  };

  const liveOf = (scaleSet: string): EmulatedInstance[] =>
    [...accounts.values()]
      .flatMap((ec2) => ec2.instances())
      .filter(
        ({ id, state, tags }) =>
          LIVE.includes(state) && !foreign.has(id) && tags['rungar.sh/scale-set'] === scaleSet && isOurs(tags),
      );

  const runnerNamed = (name: string): RunnerView | undefined => github.runners().find((runner) => runner.name === name);

  const checkDeletion = (instance: EmulatedInstance): void => {
    if (foreign.has(instance.id)) report('foreign machine deleted', instance.name);
    const runner = runnerNamed(instance.name);
    if (!runner?.busy || doings.taken.has(instance.name)) return;
    const since = offlineSince.get(runner.name);
    if (since !== undefined && clock.now() - since > startTimeoutMs) {
      // GitHub had lost it: its job fails, which is nobody's fault any more.
      doings.taken.add(runner.name);
      return;
    }
    report('machine deleted while its runner runs a job', `${instance.name} job ${runner.jobId}`);
  };

  const checkCount = (): void => {
    for (const { name, maxRunners } of SETS) {
      const live = liveOf(name);
      const single = live.filter((instance) => !doings.copied.has(instance.name));
      if (new Set(single.map((one) => one.name)).size < single.length)
        report('two machines of one name', live.map((one) => one.name).join(' '));
      // A machine whose registration is gone is on its way out: it holds a provider's place, and is no runner.
      const registered = single.filter((instance) => runnerNamed(instance.name));
      const spare = clock.now() - doings.lastUpset < UPSET_MS ? maxRunners : 0;
      if (registered.length > maxRunners + spare)
        report('more than max_runners', `${name}: ${registered.length} of ${maxRunners}`);
    }
  };

  const checkRoom = (): void => {
    for (const [name, ec2] of accounts) {
      const room = ROOM[name] ?? 0;
      if (room === 0 || clock.now() - doings.lastUpset < UPSET_MS) continue;
      const taken = ec2.instances().filter(({ id, state, tags, name: machine }) => {
        return LIVE.includes(state) && !foreign.has(id) && isOurs(tags) && !doings.copied.has(machine);
      });
      if (taken.length > room) report("more than a provider's max_runners", `${name}: ${taken.length} of ${room}`);
    }
  };

  const onJob = (job: JobView, change: string): void => {
    if (change !== 'completed') return;
    const times = (completions.get(job.id) ?? 0) + 1;
    completions.set(job.id, times);
    if (times > 1) report('a job ended more than once', job.id);
    const wanted = job.fail ? 'failed' : 'succeeded';
    if (job.result === wanted || doings.cancelled.has(job.id)) return;
    if (job.result === 'failed' && doings.taken.has(job.runnerName ?? '')) return;
    const lostSince = offlineSince.get(job.runnerName ?? '');
    if (job.result === 'failed' && lostSince !== undefined && clock.now() - lostSince > startTimeoutMs) return;
    const purgedAt = doings.purged.get(job.scaleSet ?? '');
    if (job.result === 'failed' && purgedAt !== undefined && (job.startedAt ?? 0) <= purgedAt) return;
    report('a job came to a bad end', `${job.name} ${job.result} on ${job.runnerName}`);
  };

  const stops = [
    github.on((event) => {
      if (event.type === 'job') onJob(event.job, event.change);
      if (event.type === 'runner') {
        const { name } = event.runner;
        if (event.change === 'offline') offlineSince.set(name, clock.now());
        else if (event.change !== 'gone') offlineSince.delete(name);
      }
    }),
    ...[...accounts.values()].map((ec2) =>
      ec2.on('instance', ({ instanceId, state, reason }) => {
        const instance = ec2.instances().find(({ id }) => id === instanceId);
        if (!instance) return;
        if (state === 'shutting-down' && reason?.code === 'Client.UserInitiatedShutdown') checkDeletion(instance);
        if (state !== 'pending') return;
        queueMicrotask(() => {
          checkCount();
          checkRoom();
        });
      }),
    ),
  ];

  return {
    doings,
    violations,
    liveOf,
    report,
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** What must hold once everything is over. */
export function checkEnd(world: ChaosWorld, { report, liveOf }: Watch): void {
  const { github, accounts, foreign } = world;
  const waiting = new Map<string, number>();
  for (const job of github.jobs()) {
    if (job.state !== 'completed') waiting.set(job.labels.join(), (waiting.get(job.labels.join()) ?? 0) + 1);
  }
  for (const [label, count] of waiting) report('jobs never ended', `${count} of ${label}`);
  for (const { name } of SETS) {
    const left = liveOf(name);
    if (left.length > 0) report('machines left', left.map((one) => `${one.name} ${one.state}`).join(', '));
  }
  const runners = github.runners();
  if (runners.length > 0)
    report('registrations left', runners.map(({ name, status }) => `${name} ${status}`).join(', '));
  const sessions = github.sessions();
  if (sessions.length > 0) report('sessions left', sessions.map(({ ownerName }) => ownerName).join(', '));
  for (const ec2 of accounts.values()) {
    for (const instance of ec2.instances()) {
      const before = foreign.get(instance.id);
      if (!before) continue;
      if (instance.state !== 'running') report('foreign machine touched', `${instance.name} is ${instance.state}`);
      if (JSON.stringify(instance.tags) !== JSON.stringify(before.tags))
        report('foreign machine touched', `${instance.name} has other tags`);
    }
    for (const error of ec2.failures) report('the emulated EC2 failed', String(error.stack));
  }
  for (const error of github.failures) report('the emulated GitHub failed', String(error.stack));
}
