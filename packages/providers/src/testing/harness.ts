import type { Labels, Logger, OnlineFinding, OpenProvider, Redactor } from '@rungar/model';

/** What the suite needs of a test runner; vitest's own functions fit. */
export interface TestFunctions {
  /** Groups tests under a name. */
  describe(name: string, define: () => void): void;
  test: TestFunction & { readonly skip: TestFunction };
  /** Begins an expectation of a value. */
  expect(actual: unknown, message?: string): Assertions;
}

/** Declares one test. */
export type TestFunction = (name: string, run: () => Promise<void>) => void;

/** What the suite expects of a value: a part of what vitest and jest have. */
export interface Assertions {
  /** The very same value. */
  toBe(expected: unknown): void;
  /** An equal value, looked into. */
  toEqual(expected: unknown): void;
}

/** A machine as its backend has it. */
export interface BackendMachine {
  readonly id: string;
  readonly name: string;
  readonly labels: Labels;
}

/** A call of a provider, as the backend sees it. */
export type Operation = 'list' | 'create' | 'delete';

/** How a call goes wrong, from now until {@link BackendFaults.clear}. */
export type Fault =
  /** It is carried out and its answer is lost, once. */
  | 'lost_reply'
  /** It is carried out and its answer is lost, each time. */
  | 'lost_replies'
  /** It is never answered. */
  | 'hang'
  /** It is refused for lack of room. */
  | 'full'
  /** It is refused for something else. */
  | 'refused'
  /** Its connection is cut before anything is done. */
  | 'reset'
  /** Something before the backend answers success with nothing in it. */
  | 'empty_answer'
  /** Something before the backend answers an HTML page. */
  | 'html_answer'
  /** It is refused with an error that repeats everything that was sent. */
  | 'echo';

/** What the backend answers wrongly, from now on. */
export interface BackendFaults {
  /** Has every call of `operation` meet `fault`. */
  set(operation: Operation, fault: Fault): void;
  /** Has every call answered well again. */
  clear(): void;
  /** Resolves once the backend has received a call of `operation` since {@link BackendFaults.set}: at once when it has. */
  met(operation: Operation): Promise<void>;
}

/** The backend a provider under test works on, and the hand that moves it. It begins empty. */
export interface ContractBackend {
  /** Every machine that is there and not on its way out, whoever made it. */
  machines(): Promise<readonly BackendMachine[]>;
  /** Puts a machine there that the provider did not make, with exactly these labels. */
  addForeign(name: string, labels: Labels): Promise<BackendMachine>;
  /** The registration a machine was given, as it would read it; nothing where the backend cannot tell. */
  deliveredJitConfig(machine: BackendMachine): Promise<string | undefined>;
  readonly faults: BackendFaults;
}

/** What the suite opens a provider with. */
export interface OpenOptions {
  /** The provider's own time limit for a call. */
  readonly timeoutMs: number;
  readonly redactor: Redactor;
  readonly logger: Logger;
}

/** A backend with a way to open a provider on it. */
export interface Harness<Spec> {
  readonly backend: ContractBackend;
  /** A runner specification of which this backend makes machines. */
  readonly spec: Spec;
  /** Opens the provider; the suite closes it. */
  open(options: OpenOptions): Promise<OpenProvider<Spec>>;
  /** Asks the type's `checkOnline` about the entry and {@link Harness.spec}, which are right; absent where it has none. */
  checkOnline?(options: OpenOptions): Promise<readonly OnlineFinding[]>;
  /** Ends the backend and frees its port. */
  close(): Promise<void>;
}

/** What a behaviour may need of a backend in a test: that it can go wrong so, or one of these. */
export type Need =
  | Fault
  /** It can tell what registration a machine was given. */
  | 'delivery'
  /** It takes the deletion of what is deleted already. */
  | 'repeated_delete'
  /** It keeps what machines write to their consoles, and the provider reads it. */
  | 'console'
  /** The type asks the backend whether a configuration would work there. */
  | 'online_check';

/** What a backend in a test cannot do, and why. Behaviours that need it are skipped, with the reason. */
export type Limits = Partial<Record<Need, string>>;
