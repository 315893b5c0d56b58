import type { Place } from '@rungar/model';
import { RungarError } from '@rungar/model';

/** Every code an input problem can have (docs/dispat-workers.md, "What can be wrong with an input"). */
export const PROBLEM_CODES = [
  'CLIENT_MISSING',
  'CLUSTER_FAILED',
  'CLUSTER_FORBIDDEN',
  'CONFIG_NOT_READABLE',
  'CONFIG_UNKNOWN_KEY',
  'COUNT_INVALID',
  'DOCUMENT_NOT_OBJECT',
  'DURATION_INVALID',
  'EGRESS_INVALID',
  'EGRESS_MISSING',
  'ENDPOINT_INVALID',
  'ENDPOINT_MISSING',
  'ENV_RESERVED',
  'FEATURE_NEEDS_KUBE',
  'FIELD_CONFLICT',
  'GIT_FAILED',
  'GRACE_TOO_SHORT',
  'HEREDOC_UNSAFE',
  'IDLE_FOR_STATEFULSET',
  'IDLE_ZERO_FOR_JOB',
  'IMAGE_FLOATING',
  'INPUT_TOO_LARGE',
  'KUBE_VERSION_INVALID',
  'LINKS_LISTED_TWICE',
  'MODE_AMBIGUOUS',
  'MOUNT_FORBIDDEN',
  'NAMESPACE_SHARED',
  'NAME_INVALID',
  'NAME_TOO_LONG',
  'NO_POOL',
  'OPTIONS_CONFLICT',
  'OPTION_INVALID',
  'OPTION_MISSING',
  'OPTION_QUESTIONABLE',
  'OUTPUT_NOT_WRITABLE',
  'PLAN_COUNT_MISMATCH',
  'PLAN_CYCLE',
  'PLAN_INVALID',
  'PLAN_NOT_JSON',
  'PLAN_UNKNOWN_PROVIDER',
  'PLATFORM_INVALID',
  'POOLS_OVERLAP',
  'POOL_FINISHED',
  'POOL_IN_USE',
  'PREFIX_INVALID',
  'QUANTITY_INVALID',
  'RUN_ID_INVALID',
  'SECRET_LITERAL',
  'SECRET_MISSING',
  'USAGE',
  'YAML_DUPLICATE_KEY',
  'YAML_INVALID',
] as const;

/** What kind of problem it is. */
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** Something an input says that cannot be, or that its author should know. It never holds a secret. */
export interface InputProblem {
  readonly code: ProblemCode;
  /** An error stops the command; the others are told and the work goes on. */
  readonly severity: 'error' | 'warning' | 'info';
  /** What it is about: an option's key (`endpoint`), a file's name, an object. */
  readonly at: string;
  /** What was found, fit to print: endpoints redacted, secrets left out. */
  readonly found: string;
  /** What is allowed, and why where the reason is not plain. */
  readonly allowed: string;
  /** One way to put it right. */
  readonly fix: string;
  /** Where it was written, when it came from a file. */
  readonly place?: Place;
}

/** What was given breaks one rule or several; all of them are in {@link InputError.problems}. */
export class InputError extends RungarError {
  /** Errors first come first; warnings found on the way are here too. */
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    const errors = problems.filter((problem) => problem.severity === 'error');
    super('invalid_argument', errors.map(problemLine).join('\n'));
    this.problems = problems;
  }
}

/** Whether `error` is an {@link InputError}, also one of another copy of this package. */
export function isInputError(error: unknown): error is InputError {
  return error instanceof Error && 'problems' in error && Array.isArray(error.problems) && 'code' in error;
}

/** Collects problems, so that all of them are told at once. */
export class ProblemList {
  readonly #all: InputProblem[] = [];

  /** Adds a problem; `severity` is `error` unless it says otherwise. */
  add(problem: Omit<InputProblem, 'severity'> & { readonly severity?: InputProblem['severity'] }): undefined {
    this.#all.push({ severity: 'error', ...problem });
    return undefined;
  }

  /** The same, unless it is there already: of that code, about that, at that place. */
  addOnce(problem: Parameters<ProblemList['add']>[0]): undefined {
    const { code, at, place } = problem;
    const isSame = (one: InputProblem): boolean =>
      one.code === code && one.at === at && one.place?.line === place?.line && one.place?.column === place?.column;
    return this.#all.some(isSame) ? undefined : this.add(problem);
  }

  /** Takes back problems that another one explains. */
  drop(isExplained: (problem: InputProblem) => boolean): void {
    const kept = this.#all.filter((problem) => !isExplained(problem));
    this.#all.splice(0, this.#all.length, ...kept);
  }

  /** Every problem, in the order in which they were found. */
  get all(): readonly InputProblem[] {
    return this.#all;
  }

  /** Whether anything among them stops a command. */
  get hasErrors(): boolean {
    return this.#all.some((problem) => problem.severity === 'error');
  }

  /** @throws InputError when any of them is an error. */
  throwIfAny(): void {
    if (this.hasErrors) throw new InputError(this.#all);
  }
}

/**
 * Goes on after what is wrong with one of several inputs, so that what is wrong with the others is told with it.
 * @returns nothing when `read` found its input wrong, which `problems` then has
 */
export async function collected<T>(problems: ProblemList, read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isInputError(error)) throw error;
    for (const problem of error.problems) problems.addOnce(problem);
    return undefined;
  }
}

/** An error made of one problem. */
export function inputError(problem: Omit<InputProblem, 'severity'>): InputError {
  return new InputError([{ severity: 'error', ...problem }]);
}

/** One problem as a line for a person: `CODE at (file:3:5): found X; allowed: Y. Fix.` */
export function problemLine(problem: InputProblem): string {
  const { code, at, found, allowed, fix, place } = problem;
  const where = place === undefined ? '' : ` (${place.file}:${place.line}:${place.column})`;
  return `${code} ${at}${where}: found ${found}; allowed: ${allowed}; fix: ${fix}`;
}
