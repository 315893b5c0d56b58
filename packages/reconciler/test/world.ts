import { LABEL } from '@rungar/labels';
import {
  type Labels,
  type LogFields,
  type Logger,
  type Machine,
  type RungarEvent,
  type ScaleSetPolicy,
  silentLogger,
} from '@rungar/model';
import { type FakeClock, fakeClock, seededRandom } from '@rungar/model/testing';
import {
  createReconciler,
  type EmbeddedReconciler,
  type FleetProvider,
  type Metrics,
  type Recorder,
} from '../src/index.js';
import { FakeGitHub } from './fake-github.js';
import { FakeProvider, type FakeProviderOptions } from './fake-provider.js';

const INSTALLATION = 'gh-47a00949ae7d';
const REVISION = 'aaaaaaaaaaaa';
export const SECOND = 1_000;
export const MINUTE = 60_000;

export function policy(over: Partial<ScaleSetPolicy> = {}): ScaleSetPolicy {
  const name = over.name ?? 'vm';
  return {
    name,
    labels: [name],
    runnerGroup: 'Default',
    minRunners: 0,
    maxRunners: 10,
    priority: 0,
    placement: 'spread',
    startTimeoutMs: 5 * MINUTE,
    paused: false,
    providers: [{ name: 'a', spec: {}, revision: REVISION, size: 'small' }],
    ...over,
  };
}

export const on = (...names: string[]): ScaleSetPolicy['providers'] =>
  names.map((name) => ({ name, spec: {}, revision: REVISION, size: 'small' }));

export function labelsOf(
  runner: string,
  over: { scaleSet?: string; installation?: string; revision?: string } = {},
): Labels {
  return {
    [LABEL.managed]: 'true',
    [LABEL.installation]: over.installation ?? INSTALLATION,
    [LABEL.scaleSet]: over.scaleSet ?? 'vm',
    [LABEL.runner]: runner,
    [LABEL.revision]: over.revision ?? REVISION,
  };
}

type Backend = Pick<FakeProviderOptions, 'capacity' | 'parts' | 'createMs' | 'deleteMs' | 'acceptMs'>;

export interface WorldOptions {
  scaleSets?: ScaleSetPolicy[];
  providers?: (Partial<Omit<FleetProvider, 'provider'>> & Backend & { name: string })[];
  /** From the machine's creation to its runner being online; `undefined` for never. */
  bootMs?: number | undefined;
  seed?: number;
  clock?: FakeClock;
  recorder?: Recorder;
}

export interface World {
  readonly clock: FakeClock;
  readonly github: FakeGitHub;
  readonly providers: Map<string, FakeProvider>;
  readonly events: Omit<RungarEvent, 'time' | 'kind'>[];
  readonly metrics: RecordedMetrics;
  readonly logs: { level: string; message: string; fields: LogFields }[];
  /** Jobs whose machine was taken from under them. */
  readonly killed: string[];
  reconciler: EmbeddedReconciler;
  provider(name?: string): FakeProvider;
  /** Begins to serve. */
  start(): void;
  stop(): Promise<void>;
  /** Ends the daemon as SIGKILL would, and begins a new one. */
  kill(): void;
  /** Names of the runners that have machines. */
  machines(): string[];
  /** `action name` of every event, or `action name reason`. */
  happened(...actions: string[]): string[];
  failure: unknown;
}

/** Everything a reconciler needs, in memory and on one clock, and a daemon over it. */
export function world(options: WorldOptions = {}): World {
  const clock = options.clock ?? fakeClock();
  const { scaleSets = [policy()], seed = 1 } = options;
  const bootMs = 'bootMs' in options ? options.bootMs : 20_000;
  const events: World['events'] = [];
  const logs: World['logs'] = [];
  const killed: string[] = [];
  const metrics = new RecordedMetrics();
  const providers = new Map<string, FakeProvider>();
  const github = new FakeGitHub({
    clock,
    onRunnerDone: (name) => {
      for (const provider of providers.values()) provider.setState(name, 'stopped');
    },
  });
  const alive = (machine: Machine): boolean => [...providers.values()].some(({ machines }) => machines.has(machine.id));
  const fleet = (options.providers ?? [{ name: 'a' }]).map<FleetProvider>((entry) => {
    const { capacity, parts, createMs, deleteMs, acceptMs, ...config } = entry;
    const provider = new FakeProvider({
      clock,
      ...(capacity !== undefined && { capacity }),
      ...(parts && { parts }),
      ...(createMs !== undefined && { createMs }),
      ...(deleteMs !== undefined && { deleteMs }),
      ...(acceptMs !== undefined && { acceptMs }),
      onCreated: (machine, request) => {
        if (bootMs === undefined) return;
        const id = Number(/^jit-of-(\d+)$/.exec(request.jitConfig.reveal())?.[1]);
        void clock.sleep(bootMs).then(() => alive(machine) && github.connect(id));
      },
      onDeleted: (machine) => {
        const job = github.disconnect(machine.name);
        if (job) killed.push(`${machine.name} ${job.id}`);
      },
    });
    providers.set(config.name, provider);
    return {
      type: 'fake',
      endpoint: `fake:${config.name}`,
      weight: 1,
      maxRunners: 0,
      disabled: false,
      ...config,
      provider,
    };
  });
  const random = seededRandom(seed);
  const make = (life: { over: boolean }): EmbeddedReconciler =>
    createReconciler({
      installation: INSTALLATION,
      reconcileIntervalMs: 30_000,
      scaleSets,
      providers: fleet.map((entry) => ({ ...entry, provider: mortal(entry.provider, life) })),
      github: mortal(github, life),
      hostname: 'host',
      clock: mortalClock(clock, life),
      random,
      logger: recordingLogger(logs),
      events: { record: (event) => void (life.over || events.push(event)) },
      metrics,
      ...(options.recorder && { recorder: options.recorder }),
    });
  let life = { over: false };
  let stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const made: World = {
    clock,
    github,
    providers,
    events,
    metrics,
    logs,
    killed,
    failure: undefined,
    reconciler: make(life),
    provider: (name = 'a') => {
      const provider = providers.get(name);
      if (!provider) throw new Error(`no provider ${name}`);
      return provider;
    },
    start() {
      stop = new AbortController();
      running = made.reconciler.run(stop.signal).catch((error: unknown) => {
        made.failure = error;
      });
    },
    async stop() {
      stop.abort(new Error('stopped'));
      let ended = false;
      void running.then(() => {
        ended = true;
      });
      for (let waited = 0; !ended && waited < 300; waited++) await clock.advance(SECOND);
    },
    kill() {
      life.over = true;
      // GitHub gives a dead daemon's session away after a while; here it does so at once.
      for (const { session } of github.sets.values()) session?.lose(new Error('its daemon is dead'));
      life = { over: false };
      made.reconciler = make(life);
      made.start();
    },
    machines: () =>
      [...providers.values()].flatMap((provider) => [...provider.machines.values()].map(({ machine }) => machine.name)),
    happened: (...actions) =>
      events
        .filter(({ action }) => actions.length === 0 || actions.includes(action))
        .map(({ action, name, attributes }) => [action, name, attributes?.reason].filter(Boolean).join(' ')),
  };
  return made;
}

const NEVER = new Promise<never>(() => {});

/** A port that stops answering when its daemon is dead: calls on their way happen, but nobody hears of it. */
function mortal<T extends object>(port: T, life: { over: boolean }): T {
  return new Proxy(port, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (life.over) return NEVER;
        const answer: unknown = Reflect.apply(value, target, args);
        if (!(answer instanceof Promise)) return answer;
        const heard = (settled: unknown): unknown => {
          if (life.over) return NEVER;
          return settled !== null && typeof settled === 'object' && 'listen' in settled
            ? mortal(settled, life)
            : settled;
        };
        return answer.then(heard, (error: unknown) => {
          if (life.over) return NEVER;
          throw error;
        });
      };
    },
  });
}

function mortalClock(clock: FakeClock, life: { over: boolean }): FakeClock {
  return {
    ...clock,
    sleep: (ms, signal) => (life.over ? NEVER : clock.sleep(ms, signal).then(() => (life.over ? NEVER : undefined))),
    get sleepers() {
      return clock.sleepers;
    },
  };
}

export class RecordedMetrics implements Metrics {
  readonly values = new Map<string, number>();
  readonly changes: string[] = [];

  add(name: string, labels: Record<string, string>, by = 1): void {
    this.#put(name, labels, this.get(name, labels) + by);
  }

  set(name: string, labels: Record<string, string>, value: number): void {
    this.#put(name, labels, value);
    this.changes.push(`${keyOf(name, labels)}=${value}`);
  }

  unset(name: string, labels: Record<string, string>): void {
    this.values.delete(keyOf(name, labels));
  }

  observe(name: string, labels: Record<string, string>, seconds: number): void {
    this.#put(`${name}_count`, labels, this.get(`${name}_count`, labels) + 1);
    this.#put(`${name}_sum`, labels, this.get(`${name}_sum`, labels) + seconds);
  }

  get(name: string, labels: Record<string, string>): number {
    return this.values.get(keyOf(name, labels)) ?? 0;
  }

  #put(name: string, labels: Record<string, string>, value: number): void {
    this.values.set(keyOf(name, labels), value);
  }
}

const keyOf = (name: string, labels: Record<string, string>): string =>
  `${name}{${Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')}}`;

function recordingLogger(logs: World['logs'], bound: LogFields = {}): Logger {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void logs.push({ level, message, fields: { ...bound, ...fields } });
  return {
    ...silentLogger,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => recordingLogger(logs, { ...bound, ...fields }),
  };
}
