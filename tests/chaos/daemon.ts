import { join } from 'node:path';
import { loadConfig, type Settings } from '@rungar/config';
import type { Daemon } from '@rungar/daemon';
import { createScaleSetService } from '@rungar/github';
import { createRedactor, type OpenProvider, type ScaleSetService, systemRandom } from '@rungar/model';
import { providerTypes } from '@rungar/providers';
import { createReconciler, type Reconciler } from '@rungar/reconciler';
import { startWith } from '../../packages/daemon/src/start.js';
import type { ChaosWorld } from './world.js';

/** A daemon, which can be killed as a process can. */
export interface ChaosDaemon {
  readonly name: string;
  readonly alive: boolean;
  /** Everything it has logged while it lived. */
  readonly log: readonly string[];
  /** Ends it as SIGKILL would: from this instant on nothing it does reaches anybody. */
  kill(): void;
  /** Stops it in order. @returns the sleeps it left behind */
  stop(): Promise<number>;
  /** Sets its host's wall clock wrong, where that can be done. */
  upset(stepMs: number): void;
  /** Wants no idle runner any more, where it can be told. */
  pauseAll(): void;
  /** What it says of itself, as text. */
  status(): string;
}

/** Reads the world's configuration as the command would. */
export async function readSettings({ config }: ChaosWorld): Promise<Settings> {
  const { signal } = new AbortController();
  const { settings, problems } = await loadConfig(config, { types: providerTypes, signal });
  if (!settings) throw new Error(problems.map(({ path, message }) => `${path} ${message}`).join('\n'));
  return settings;
}

/** Starts the real daemon, all of it, with the world's clock and a host name of its own. */
export async function startChaosDaemon(name: string, world: ChaosWorld, settings: Settings): Promise<ChaosDaemon> {
  const clock = world.clock.forDaemon();
  const log: string[] = [];
  const providers: OpenProvider[] = [];
  let github: ScaleSetService | undefined;
  let reconciler: Reconciler | undefined;
  let alive = true;
  const daemon: Daemon = await startWith(
    {
      settings: {
        ...settings,
        socket: join(world.folder, `${name}.sock`),
        events: { ...settings.events, file: join(world.folder, `${name}.jsonl`) },
        providers: settings.providers.map((provider) => ({
          ...provider,
          configured: {
            ...provider.configured,
            async open(context) {
              const opened = await provider.configured.open(context);
              providers.push(opened);
              return opened;
            },
          },
        })),
      },
      version: '0.0.0',
      commit: 'chaos',
      clock,
      random: systemRandom,
      redactor: createRedactor(),
      stderr: { write: (text) => alive && log.push(text) },
      host: { name, nodeVersion: process.versions.node, umask: (mask) => process.umask(mask) },
    },
    {
      createScaleSetService: (options) => (github = createScaleSetService(options)),
      createReconciler: (options) => (reconciler = createReconciler(options)),
    },
  );
  if (!reconciler) throw new Error('the daemon has made no reconciler');
  const made = reconciler;
  let ended: Promise<unknown> = Promise.resolve();
  return {
    name,
    log,
    get alive() {
      return alive;
    },
    kill() {
      alive = false;
      ended = Promise.allSettled([github?.close(), ...providers.map((provider) => provider.close()), daemon.stop()]);
    },
    async stop() {
      if (alive) ended = daemon.stop();
      await ended;
      alive = false;
      // What was abandoned at its limit may end a moment later.
      await world.clock.forDaemon().sleep(5_000);
      return clock.sleepers;
    },
    upset: (stepMs) => clock.stepWall(stepMs),
    pauseAll() {
      for (const { name: scaleSet } of settings.scaleSets) made.pause(scaleSet);
    },
    status: () => JSON.stringify([made.scaleSets(), made.providers()]),
  };
}
