import type { Clock, LogFields, Logger, ScaleSetPolicy } from '@rungar/model';
import { createReconciler, type EmbeddedReconciler, type FleetProviderOptions } from '@rungar/reconciler';
import type { Checks } from './checks.js';
import type { SimGitHub } from './github.js';
import type { SimProvider } from './provider.js';
import { Life, MINUTE, note, type World } from './world.js';

/** How long a creation may go on for which the limits of its beginning count. */
const BEGUN_MS = 6 * MINUTE;

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
  configuration: Configuration;
  /** What it had before, and since when it has what it has. */
  #before: { readonly configuration: Configuration; readonly until: number } | undefined;
  readonly reconciler: EmbeddedReconciler;
  stopping = false;
  stopped = false;
  readonly #world: World;
  readonly #ports: (entry: ProviderEntry) => FleetProviderOptions[];

  constructor(name: string, configuration: Configuration, { world, github, providers, checks }: DaemonParts) {
    this.name = name;
    this.configuration = configuration;
    this.#world = world;
    this.life = new Life(name, world);
    const { life } = this;
    life.onDeath = () => {
      note(world, 'daemon dies', name);
      for (const set of github.sets.values()) if (set.session?.life === life) set.session.orphan();
    };
    checks.daemons.set(life, this);
    const ports = new Map([...providers].map(([provider, source]) => [provider, source.portFor(life)]));
    this.#ports = (entry) => {
      const provider = ports.get(entry.name);
      return provider ? [{ ...entry, type: 'simulated', endpoint: entry.name, provider }] : [];
    };
    this.reconciler = createReconciler({
      installation: world.installation,
      reconcileIntervalMs: configuration.intervalMs,
      scaleSets: configuration.scaleSets,
      providers: configuration.providers.flatMap(this.#ports),
      github: github.portFor(life),
      hostname: name,
      clock: this.#clock(),
      random: world.random,
      logger: loggerFor(life, checks, {}),
      events: { record: (event) => void (life.over || checks.onEvent(life, event)) },
    });
  }

  /** Of what is configured now. */
  policy(scaleSet: string): ScaleSetPolicy | undefined {
    return policyIn(this.configuration, scaleSet);
  }

  /** The most runners of a scale set that a creation under way may have been begun for. */
  scaleSetLimit(scaleSet: string): number {
    return Math.max(...this.#recent().map((configuration) => policyIn(configuration, scaleSet)?.maxRunners ?? 0));
  }

  /** The same of a provider; 0 is no limit. */
  providerLimit(provider: string): number {
    const limits = this.#recent().map(
      ({ providers }) => providers.find(({ name }) => name === provider)?.maxRunners ?? 0,
    );
    return limits.includes(0) ? 0 : Math.max(...limits);
  }

  #recent(): readonly Configuration[] {
    const isRecent = this.#before && this.#world.scheduler.now < this.#before.until;
    return this.#before && isRecent ? [this.configuration, this.#before.configuration] : [this.configuration];
  }

  /** Goes on with another configuration, without an end. */
  apply(configuration: Configuration): void {
    if (!this.alive || this.stopping) return;
    const { now } = this.#world.scheduler;
    note(this.#world, 'daemon is configured anew', this.name);
    this.#before = { configuration: this.configuration, until: now + BEGUN_MS };
    this.configuration = configuration;
    this.#world.scheduler.wake();
    void this.reconciler.apply({
      scaleSets: configuration.scaleSets,
      providers: configuration.providers.flatMap(this.#ports),
      reconcileIntervalMs: configuration.intervalMs,
    });
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

const policyIn = ({ scaleSets }: Configuration, scaleSet: string): ScaleSetPolicy | undefined =>
  scaleSets.find(({ name }) => name === scaleSet);

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
