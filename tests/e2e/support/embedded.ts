import { type GitHubEmulator, type GitHubEmulatorOptions, startGitHubEmulator } from '@rungar/emulators/github';
import { createScaleSetService } from '@rungar/github';
import { type Machine, type OpenProvider, RungarError, Secret } from '@rungar/model';
import { createReconciler, type EmbeddedReconciler, type ScaleSetOptions } from '@rungar/reconciler';
import { fastClock } from '../../chaos/fast-clock.js';
import { atEnd } from './cleanup.js';

/** How many milliseconds pass for each of the host's: half a minute of waiting takes half a second. */
const SPEED = 60;
const SECOND = 1_000;

/** GitHub on loopback, machines in memory, and daemons without a process of their own, all in a quick time. */
export interface EmbeddedWorld {
  readonly github: GitHubEmulator;
  /** Machines that were not deleted, by name. */
  readonly machines: ReadonlyMap<string, Machine>;
  /** How many machines were ever made. */
  readonly made: number;
  /** Starts a daemon, with a client of GitHub of its own. */
  start(hostname?: string): EmbeddedDaemon;
}

export interface EmbeddedDaemon {
  readonly reconciler: EmbeddedReconciler;
  /** Stops it in order. */
  stop(): Promise<void>;
  /** Ends it as SIGKILL would, as far as GitHub can tell: it is never heard of again. */
  kill(): Promise<void>;
}

/** Starts a GitHub and a backend for the scale set `linux`. */
export async function startEmbeddedWorld(
  options: { readonly github?: GitHubEmulatorOptions; readonly scaleSet?: Partial<ScaleSetOptions> } = {},
): Promise<EmbeddedWorld> {
  const clock = fastClock(SPEED);
  const github = await startGitHubEmulator({
    clock,
    pollHoldMs: 10 * SECOND,
    runnerOfflineAfterMs: 30 * SECOND,
    ...options.github,
  });
  const token = new Secret(github.createToken());
  const machines = new Map<string, Machine>();
  const power = new Map<string, { kill(): void; readonly state: string }>();
  let made = 0;
  const provider: OpenProvider = {
    async list(selector) {
      const begunAt = clock.now();
      const ours = [...machines.values()].filter(({ labels }) =>
        Object.entries(selector).every(([key, value]) => labels[key] === value),
      );
      const seen = ours.map((machine): Machine => {
        const isOff = power.get(machine.name)?.state === 'off';
        return isOff ? { ...machine, state: 'stopped' } : machine;
      });
      return { parts: [{ part: 'memory', begunAt, machines: seen }] };
    },
    async create({ name, labels, jitConfig }) {
      if (machines.has(name)) throw new RungarError('internal', `there is a machine ${name}`);
      const machine: Machine = { name, id: `m-${++made}`, labels, state: 'running', size: 'small' };
      machines.set(name, machine);
      power.set(name, github.startRunner(jitConfig.reveal(), { bootMs: 5 * SECOND }));
      return machine;
    },
    async delete({ name }) {
      power.get(name)?.kill();
      return machines.delete(name) ? 'deleted' : 'absent';
    },
    async close() {},
  };
  const daemons: EmbeddedDaemon[] = [];
  atEnd(async () => {
    await Promise.all(daemons.map((daemon) => daemon.kill()));
    await github.close();
  });

  return {
    github,
    machines,
    get made() {
      return made;
    },
    start(hostname = 'host') {
      const daemonClock = clock.forDaemon();
      const client = createScaleSetService({
        url: github.configUrl,
        credentials: { kind: 'token', token },
        clock: daemonClock,
      });
      const reconciler = createReconciler({
        installation: 'gh-0123456789ab',
        github: client,
        scaleSets: [{ name: 'linux', maxRunners: 4, providers: [{ name: 'memory' }], ...options.scaleSet }],
        providers: [{ name: 'memory', provider }],
        hostname,
        clock: daemonClock,
      });
      const stopping = new AbortController();
      const ended = reconciler.run(stopping.signal).catch(() => {});
      const daemon: EmbeddedDaemon = {
        reconciler,
        async stop() {
          stopping.abort(new Error('stopped'));
          await ended;
          await client.close();
        },
        async kill() {
          await client.close();
          stopping.abort(new Error('killed'));
          await ended;
        },
      };
      daemons.push(daemon);
      return daemon;
    },
  };
}
