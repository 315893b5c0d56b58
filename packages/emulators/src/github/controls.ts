import type { Fault } from '../faults.js';
import { bootMachine, type EmulatedMachine } from '../machine/machine.js';
import type { Credentials } from './credentials.js';
import type { GitHubControls } from './emulator.js';
import type { ScaleSet } from './entities.js';
import type { JobBoard } from './jobs.js';
import type { Runners } from './runners.js';
import type { ScaleSets } from './scale-sets.js';
import type { Sessions } from './sessions.js';
import { untilTrue } from './until.js';
import { viewJob, viewRunner, viewScaleSet, viewSession } from './views.js';
import type { World } from './world.js';

export interface ControlParts {
  readonly world: World;
  readonly board: JobBoard;
  readonly runners: Runners;
  readonly sessions: Sessions;
  readonly scaleSets: ScaleSets;
  readonly credentials: Credentials;
  /** The faults of the server, known once it listens. */
  readonly faults: FaultControls;
  /** The machines that are on; whoever closes the emulator kills them. */
  readonly machines: Set<EmulatedMachine>;
}

/** What can be done to the server's fault script. */
export interface FaultControls {
  /** The names that a fault may carry. */
  operations(): ReadonlySet<string>;
  add(fault: Fault): void;
  clear(operation?: string): void;
}

/** What can be done to an emulated GitHub from outside. */
export function gitHubControls(parts: ControlParts): GitHubControls {
  const { world, board, runners, sessions, scaleSets, credentials, faults, machines } = parts;
  const { clock, settings } = world;
  const scaleSetOf = (id: number): ScaleSet => {
    const scaleSet = world.scaleSets.get(id);
    if (!scaleSet) throw new RangeError(`there is no scale set ${id}`);
    return scaleSet;
  };

  return {
    settings,
    createApp: (app) => credentials.createApp(app),
    createToken: (grants) => credentials.createToken(grants),
    expireTokens(kind) {
      if (kind !== 'queue') credentials.revoke(kind);
      else for (const session of world.sessions.values()) session.queueTokenExpiresAt = clock.now();
    },
    queueJob(job) {
      const [queued] = board.queue([job]);
      if (!queued) throw new Error('no job was queued');
      return viewJob(queued);
    },
    queueJobs: (jobs) => board.queue(jobs).map(viewJob),
    cancelJob(id) {
      const job = world.jobs.get(id);
      if (!job) throw new RangeError(`there is no job ${id}`);
      board.cancel(job);
    },
    finishJob(id, result) {
      const job = world.jobs.get(id);
      if (!job?.runner || job.state !== 'running') throw new RangeError(`there is no job ${id} that runs`);
      runners.finish(job.runner, job, result);
    },
    jobs: () => [...world.jobs.values()].map(viewJob),
    runners: () => [...world.runners.values()].map(viewRunner),
    scaleSets: () => [...world.scaleSets.values()].map(viewScaleSet),
    sessions: () => [...world.sessions.values()].map(viewSession),
    addScaleSet({ scope: path = world.scopes[0]?.path ?? '', name, runnerGroup = 'Default', labels = [] }) {
      const scope = world.scope(path);
      const group = scope?.groups.find((candidate) => candidate.name === runnerGroup);
      if (!scope || !group) throw new RangeError(`there is no runner group ${runnerGroup} in ${path}`);
      if (scaleSets.named(scope, group, name)) throw new RangeError(`the scale set ${name} exists already`);
      const typed = labels.map((label) => ({ type: 'System', name: label }));
      return viewScaleSet(scaleSets.create({ scope, name, group, labels: typed, disableUpdate: true }));
    },
    purgeScaleSet: (id) => scaleSets.remove(scaleSetOf(id), 'purged'),
    holdSession(scaleSetId, ownerName) {
      const scaleSet = scaleSetOf(scaleSetId);
      if (scaleSet.session) throw new RangeError(`the scale set ${scaleSet.name} has a session already`);
      const session = sessions.open(scaleSet, ownerName, true);
      return () => {
        if (!session.ended) sessions.close(session);
      };
    },
    endSession(id) {
      const session = world.sessions.get(id);
      if (!session) throw new RangeError(`there is no session ${id}`);
      sessions.close(session);
    },
    startRunner(encodedJitConfig, { bootMs = 0 } = {}) {
      const machine = bootMachine({
        delivery: { kind: 'jit-config', text: encodedJitConfig },
        bootMs,
        clock,
        onPowerOff: () => machines.delete(machine),
      });
      machines.add(machine);
      return machine;
    },
    disconnectRunner(name) {
      const started = [...machines].filter((machine) => machine.runnerName === name);
      if (started.length === 0) throw new RangeError(`no machine was started for a runner ${name}`);
      for (const machine of started) {
        machine.kill();
        machines.delete(machine);
      }
    },
    setFault(fault) {
      const operations = faults.operations();
      if (fault.operation !== '*' && !operations.has(fault.operation)) {
        throw new RangeError(`there is no operation ${fault.operation}; there are ${[...operations].join(', ')}`);
      }
      faults.add(fault);
    },
    clearFaults: (operation) => faults.clear(operation),
    on: (listener) => world.events.on(listener),
    until: (check, signal) => untilTrue(check, (again) => world.events.watch(again), signal),
  };
}
