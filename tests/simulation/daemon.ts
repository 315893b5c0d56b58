import type { Clock, LogFields, Logger, ScaleSetPolicy } from '@rungar/model';
import { createReconciler, type EmbeddedReconciler } from '@rungar/reconciler';
import type { Checks } from './checks.js';
import type { SimGitHub } from './github.js';
import type { SimProvider } from './provider.js';
import { Life, note, type World } from './world.js';

/** What one daemon is configured with. */
export interface Configuration {
  readonly intervalMs: number;
  readonly scaleSets: readonly ScaleSetPolicy[];
  readonly providers: readonly ProviderEntry[];
}

export interface ProviderEntry {
  readonly name: string;
  readonly weight: number;
  readonly maxRunners: number;
  readonly disabled: boolean;
}

export interface DaemonParts {
  readonly world: World;
  readonly github: SimGitHub;
  readonly providers: ReadonlyMap<string, SimProvider>;
  readonly checks: Checks;
}

/** One daemon process: the real reconciler over simulated ports. */
export class Daemon {
  readonly name: string;
  readonly life: Life;
  readonly configuration: Configuration;
  readonly reconciler: EmbeddedReconciler;
  stopping = false;
  stopped = false;
  readonly #world: World;
  readonly #policies: ReadonlyMap<string, ScaleSetPolicy>;
  readonly #limits: ReadonlyMap<string, number>;

  constructor(name: string, configuration: Configuration, { world, github, providers, checks }: DaemonParts) {
    this.name = name;
    this.configuration = configuration;
    this.#world = world;
    this.life = new Life(name, world);
    this.#policies = new Map(configuration.scaleSets.map((policy) => [policy.name, policy]));
    this.#limits = new Map(configuration.providers.map((entry) => [entry.name, entry.maxRunners]));
    const { life } = this;
    life.onDeath = () => {
      note(world, 'daemon dies', name);
      for (const set of github.sets.values()) if (set.session?.life === life) set.session.orphan();
    };
    checks.daemons.set(life, this);
    this.reconciler = createReconciler({
      installation: world.installation,
      reconcileIntervalMs: configuration.intervalMs,
      scaleSets: configuration.scaleSets,
      providers: configuration.providers.flatMap((entry) => {
        const provider = providers.get(entry.name);
        return provider
          ? [{ ...entry, type: 'simulated', endpoint: entry.name, provider: provider.portFor(life) }]
          : [];
      }),
      github: github.portFor(life),
      hostname: name,
      clock: this.#clock(),
      random: world.random,
      logger: loggerFor(life, checks, {}),
      events: { record: (event) => void (life.over || checks.onEvent(life, event)) },
    });
  }

  policy(scaleSet: string): ScaleSetPolicy | undefined {
    return this.#policies.get(scaleSet);
  }

  providerLimit(provider: string): number {
    return this.#limits.get(provider) ?? 0;
  }

  get alive(): boolean {
    return !this.life.over && !this.stopped;
  }

  start(): void {
    note(this.#world, 'daemon starts', this.name);
    this.reconciler.start();
    this.reconciler.ended.catch(() => {});
  }

  /** Ends it as SIGKILL does. */
  kill(): void {
    this.life.end();
  }

  /** Asks it to end. */
  stop(): void {
    if (this.stopping || !this.alive) return;
    this.stopping = true;
    note(this.#world, 'daemon is stopped', this.name);
    this.#world.scheduler.wake();
    void this.reconciler.stop().then(() => {
      this.stopped = true;
      note(this.#world, 'daemon has stopped', this.name);
    });
  }

  #clock(): Clock {
    const { scheduler } = this.#world;
    return {
      now: () => scheduler.now,
      wallNow: () => scheduler.now + this.life.wallOffsetMs,
      sleep: (ms, signal) => this.life.sleep(ms, signal),
    };
  }
}

function loggerFor(life: Life, checks: Checks, bound: LogFields): Logger {
  const heard =
    (level: string) =>
    (message: string, fields: LogFields = {}): void => {
      if (life.over) return;
      if (level === 'warn' || level === 'error') checks.onLog(life, message, { ...bound, ...fields });
      else if (message === 'Removing a runner') checks.onLog(life, message, { ...bound, ...fields });
      if (message === 'Unexpected failure') {
        const { error } = fields;
        checks.report('unexpected failure', life.name, error instanceof Error ? String(error.stack) : String(error));
      }
    };
  return {
    debug: heard('debug'),
    info: heard('info'),
    warn: heard('warn'),
    error: heard('error'),
    with: (fields) => loggerFor(life, checks, { ...bound, ...fields }),
  };
}
