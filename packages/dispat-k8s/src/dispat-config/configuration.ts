import type { LocatedMap, Place } from '@rungar/model';

/** A value of a dispat configuration and where it was written. */
export interface Written<T> {
  readonly value: T;
  readonly place: Place;
}

/**
 * What a consumer's first task waits for in a provider: nothing, the provider's build, or its build and its publish.
 * dispat's key is `isBuildWaitingPublish`, read on the provider.
 */
export type Relation = 'none' | 'build' | 'publish';

/** Where a task may run. */
export type Where = 'both' | 'worker' | 'orchestrator';

/** dispat's `runOnly`. A publish leaves the orchestrator only with `worker`. */
export interface RunOnly {
  readonly build: Where;
  readonly publish: Where;
}

/** What can be said at the root, in `spaces.NAME` and in `packages.NAME`; the later replaces the earlier whole. */
export interface Scope {
  readonly isBuildWaitingPublish?: Written<Relation>;
  readonly runOnly?: Written<RunOnly>;
  /** Platforms in Go's words, `linux/amd64`. */
  readonly buildPlatforms?: Written<readonly string[]>;
  readonly buildOutputs?: Written<readonly string[]>;
  /** A login script: what logs in always publishes on the orchestrator. */
  readonly login?: Written<true>;
}

/** One entry of `execution.workers`. */
export interface WorkerLink {
  readonly name?: Written<string>;
  readonly endpoint?: Written<string>;
  readonly place: Place;
}

/** The `execution` block. A stated 0 among the timeouts means dispat's default and is left out here. */
export interface Execution {
  readonly place: Place;
  readonly role?: Written<string>;
  readonly name?: Written<string>;
  readonly endpoint?: Written<string>;
  readonly secretEnv?: Written<string>;
  readonly concurrency?: Written<number>;
  /** Whole seconds. */
  readonly timeouts: {
    readonly preflight?: Written<number>;
    readonly task?: Written<number>;
    readonly cancel?: Written<number>;
  };
  readonly transfer?: Written<Readonly<Record<string, number>>>;
  readonly workers?: Written<readonly WorkerLink[]>;
  /** The block as written, for keys that are not read here. */
  readonly map: LocatedMap;
}

/** What this package reads of a dispat configuration. */
export interface DispatConfiguration {
  /** What messages call the file. */
  readonly file: string;
  /** The whole file as written; an empty mapping when it holds none. */
  readonly map: LocatedMap;
  /** How many builds a whole run has in flight at most; absent (or 0) means the orchestrator's number of CPUs. */
  readonly buildBudget?: Written<number>;
  /** The same for publishes. */
  readonly publishBudget?: Written<number>;
  readonly execution?: Execution;
  readonly unsafeDisableLock?: Written<boolean>;
  readonly commitVerify?: Written<boolean>;
  readonly defaults: Scope;
  readonly spaces: ReadonlyMap<string, Scope>;
  readonly packages: ReadonlyMap<string, Scope>;
}

/** dispat's own default of each timeout, in seconds. */
export const DEFAULT_TIMEOUTS = { preflight: 60, task: 3600, cancel: 60 } as const;

/**
 * What holds for one package: its own settings, else its space's, else the root's. A login script is never overruled.
 * @param configuration nothing when there is no file: then nothing is set
 */
export function settingsOf(
  configuration: DispatConfiguration | undefined,
  { name, space }: { readonly name: string; readonly space?: string | undefined },
): Scope {
  if (configuration === undefined) return {};
  const ofSpace = space === undefined ? undefined : configuration.spaces.get(space);
  return { ...configuration.defaults, ...ofSpace, ...configuration.packages.get(name) };
}
