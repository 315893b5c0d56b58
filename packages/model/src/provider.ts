import type { Clock } from './clock.js';
import type { Fields } from './fields/field.js';
import type { LocatedMap, Place, ProblemSink } from './located.js';
import type { Logger } from './logger.js';
import type { DeleteOutcome, Labels, Machine, MachineListing, MachineRef, MachineRequest } from './machine.js';
import type { Random } from './random.js';
import type { Redactor } from './secret.js';

/** Of a call to another system: it ends early, with the reason of the signal, once that aborts. */
export interface CallOptions {
  readonly signal: AbortSignal;
}

/** Of a call that has its backend begin something, and then waits until that is done. */
export interface ChangeOptions extends CallOptions {
  /**
   * Told once the backend has taken the request and only its end is waited for, which may still be a refusal: the
   * caller then asks for the next thing. Without it a call counts as one that is being asked until it ends.
   */
  readonly onAccepted?: () => void;
}

/**
 * An open provider. All calls may run at once; each has a time limit of its own beside the caller's signal.
 * docs/guides/adding-a-provider.md has the whole contract.
 */
export interface OpenProvider<Spec = unknown> {
  /**
   * Every machine whose labels carry the whole selector. A part that cannot be listed says so in its `error`.
   * @throws when no part could be asked at all; the caller takes that as unknown, never as empty.
   */
  list(selector: Labels, options: CallOptions): Promise<MachineListing>;
  /**
   * Makes and starts one machine. A repetition after a lost answer never makes a second one.
   * @throws RungarError `no_capacity` when it is full for now, `invalid_argument` when this can never work as
   * configured, `internal` or `unavailable` for anything else, an unknown outcome included. A failed create may
   * leave something behind: the caller always deletes that name before it tries elsewhere.
   */
  create(request: MachineRequest<Spec>, options: ChangeOptions): Promise<Machine>;
  /**
   * Deletes one machine, after making sure that its labels carry `selector`. Safe to repeat.
   * @throws when the machine may still be there.
   */
  delete(machine: MachineRef, selector: Labels, options: ChangeOptions): Promise<DeleteOutcome>;
  /**
   * The last lines a machine wrote to its console, oldest first, where the backend keeps them; nothing where it does
   * not. Asked when a runner never connects. The caller redacts them.
   */
  readConsole?(machine: MachineRef, options: CallOptions): Promise<readonly string[] | undefined>;
  /** Cancels every call in flight. Later calls are cancelled at once. Safe to repeat. */
  close(): Promise<void>;
}

/** A runner block as a provider type understood it. */
export interface ParsedRunner<Spec = unknown> {
  readonly spec: Spec;
  /** The hash of the block after defaults: docs/reference/labels.md. */
  readonly revision: string;
  /** How big its machines are, for people. */
  readonly size: string;
}

/** What a provider is opened with. */
export interface ProviderContext {
  /** The provider's name in the configuration. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly redactor: Redactor;
  /** Names proxies: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in either case. None unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** A runner block to ask a backend about. */
export interface RunnerToCheck<Spec = unknown> {
  readonly scaleSet: string;
  readonly spec: Spec;
}

/** Something wrong that only the backend could tell. */
export interface OnlineFinding {
  readonly severity: 'error' | 'warning';
  /** Whose runner block it is about; absent when it is about the provider's entry. */
  readonly scaleSet?: string;
  /** The key at fault, of the entry or of the runner block, where there is one. */
  readonly key?: string;
  /** Begins with a verb, like every problem of a configuration: `names an image that does not exist: "x"`. */
  readonly message: string;
  readonly hint?: string;
}

/** A provider whose entry has been read and found good. Nothing here contacts the backend but `open`'s result. */
export interface ConfiguredProvider<Spec = unknown> {
  /** What tells two entries for one backend apart from two backends, prefix included: `aws:eu-central-1`. */
  readonly endpoint: string;
  /** Files that hold secrets, by path. */
  readonly secretFiles: readonly string[];
  /** The entry with defaults filled in and secrets as `REDACTED`, in the order to print. */
  readonly effective: Readonly<Record<string, unknown>>;
  /**
   * Reads a merged runner block; nothing when it has problems, which then went to `problems`.
   * @param at where to point when the whole block is missing
   */
  parseRunner(
    block: LocatedMap | undefined,
    at: Place,
    path: string,
    problems: ProblemSink,
  ): ParsedRunner<Spec> | undefined;
  /**
   * A runner block with defaults filled in, in the keys and words of a configuration and in the order to print; what
   * is unset is left out. Without this the block is shown as it is written.
   */
  effectiveRunner?(spec: Spec): Readonly<Record<string, unknown>>;
  /** Why this backend could never have a machine of that name, if so. */
  checkRunnerName(name: string): string | undefined;
  /**
   * Reads every file the entry names.
   * @throws RungarError `invalid_argument` naming the file and the cure, or an AggregateError with one for each file
   * that cannot be used.
   */
  checkFiles(options: CallOptions): Promise<void>;
  /**
   * Asks the backend, changing nothing, whether the credential works and may do what is needed, and whether what the
   * entry and these runner blocks name is there. All findings at once; none when everything is fine.
   */
  checkOnline?(
    runners: readonly RunnerToCheck<Spec>[],
    context: ProviderContext,
    options: CallOptions,
  ): Promise<readonly OnlineFinding[]>;
  /** Reads files and loads the SDK; does not need the backend to be up. */
  open(context: ProviderContext): Promise<OpenProvider<Spec>>;
}

/** The keys of a type's two mappings, for whoever describes them or looks for some of them. */
export interface ProviderFields {
  /** Those of the entry beside the keys every provider has. */
  readonly entry: Fields;
  readonly runner: Fields;
}

/** One `type:` of provider. */
export interface ProviderType<Spec = unknown> {
  readonly type: string;
  /** Keys of the entry whose values are secrets. */
  readonly secretKeys: readonly string[];
  /** The declarations that {@link ProviderType.configure} and `parseRunner` read with. */
  readonly fields?: ProviderFields;
  /**
   * Reads a provider's entry, less the keys every provider has (`name`, `type`, `weight`, `max_runners`,
   * `disabled`, `runner`). Contacts nothing and reads no file.
   * @returns nothing when the entry has problems, which then went to `problems`
   */
  configure(entry: LocatedMap, path: string, problems: ProblemSink): ConfiguredProvider<Spec> | undefined;
  /**
   * Looks for what is wrong with a merged runner block whatever the entry says, so that a mistake in the entry hides
   * none in the block. Takes what {@link ConfiguredProvider.parseRunner} takes.
   */
  checkRunner?(block: LocatedMap | undefined, at: Place, path: string, problems: ProblemSink): void;
}
