import { type InputProblem, ProblemList } from '../problems.js';

/** What the plan says of a package. The first three release. */
export type PackageState =
  | 'changed'
  | 'catch-up'
  | 'channel-only'
  | 'unchanged'
  | 'held'
  | 'withheld'
  | 'not-selected'
  | 'script-only';

/** One package of a plan, in the plan's order. */
export interface PlanPackage {
  readonly name: string;
  readonly space: string | undefined;
  readonly state: PackageState;
  readonly releases: boolean;
  /** Direct providers, unchanged ones included. */
  readonly dependsOn: readonly string[];
  /** The line of the log it stands on, from 1. */
  readonly line: number;
}

/** What `dispat status --log-format json` says of a release. */
export interface Plan {
  /** In plan order, which is topological and the order of publishing. */
  readonly packages: readonly PlanPackage[];
  /** How many of them release. */
  readonly releasing: number;
  /** Whether the log's own count was there to compare with. */
  readonly counted: boolean;
  readonly digest?: string;
  /** Lines that are no JSON; blank ones do not count. */
  readonly skippedLines: number;
}

/** A plan, and what there is to know about the text it came from. */
export interface ParsedPlan {
  readonly plan: Plan;
  readonly problems: readonly InputProblem[];
}

/** The most packages a plan may have. */
const MOST_PACKAGES = 20_000;

const SYMBOLS: Readonly<Record<string, PackageState>> = {
  '●': 'changed',
  '↻': 'catch-up',
  '◈': 'channel-only',
  '‖': 'held',
  '⊘': 'withheld',
  '⊝': 'not-selected',
  '∅': 'script-only',
};

const WORDS: readonly (readonly [start: string, state: PackageState])[] = [
  ['unchanged', 'unchanged'],
  ['changed', 'changed'],
  ['catch-up', 'catch-up'],
  ['channel-only', 'channel-only'],
  ['held', 'held'],
  ['withheld', 'withheld'],
  ['not selected', 'not-selected'],
  ['script-only', 'script-only'],
];

/**
 * Reads the plan `dispat status --log-format json` prints, as a CI system may have kept it: with its own text before
 * each line, with blank lines, with other lines in between, or without any character that is not ASCII.
 * @param text the log
 * @param file what messages call it
 */
export function parsePlan(text: string, file = 'plan'): ParsedPlan {
  const reader = new PlanReader(file);
  let line = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    line++;
    reader.read(text, start, end, line);
    start = end + 1;
  }
  return reader.finish();
}

class PlanReader {
  readonly #file: string;
  readonly #problems = new ProblemList();
  readonly #packages: PlanPackage[] = [];
  readonly #lineOf = new Map<string, number>();
  #releasing = 0;
  #objects = 0;
  #skipped = 0;
  #summary: { readonly releasing: number; readonly line: number } | undefined;
  #digest: string | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  read(text: string, start: number, end: number, line: number): void {
    const brace = text.indexOf('{', start);
    const json = brace === -1 || brace >= end ? undefined : objectOf(text.slice(brace, end));
    if (json === undefined) {
      if (text.slice(start, end).trim() !== '') this.#skipped++;
      return;
    }
    this.#objects++;
    const { message } = json;
    if (typeof message !== 'string') return;
    if (typeof json.package === 'string') this.#readPackage(json, json.package, message, line);
    else if (message.startsWith('release plan ready')) this.#readSummary(json, line);
    else if (message.startsWith('plan fixed') && typeof json.planDigest === 'string') this.#digest = json.planDigest;
  }

  finish(): ParsedPlan {
    if (this.#packages.length === 0) this.#reportNoPlan();
    else this.#compareCount();
    if (this.#packages.length > MOST_PACKAGES) {
      this.#problems.add({
        code: 'INPUT_TOO_LARGE',
        at: this.#file,
        found: `${this.#packages.length} packages`,
        allowed: `at most ${MOST_PACKAGES}`,
        fix: 'size a part of the release',
      });
    }
    return {
      plan: {
        packages: this.#packages,
        releasing: this.#releasing,
        counted: this.#summary !== undefined,
        skippedLines: this.#skipped,
        ...(this.#digest !== undefined && { digest: this.#digest }),
      },
      problems: this.#problems.all,
    };
  }

  #readPackage(json: Readonly<Record<string, unknown>>, name: string, message: string, line: number): void {
    const state = stateOf(message);
    if (state === undefined) return; // another line about a package, a warning for example
    const first = this.#lineOf.get(name);
    if (first !== undefined) {
      this.#reportLine(
        line,
        name,
        `its package line a second time, first on line ${first}`,
        'one line for each package',
      );
      return;
    }
    this.#lineOf.set(name, line);
    const releases = state === 'changed' || state === 'catch-up' || state === 'channel-only';
    if (releases) this.#releasing++;
    this.#packages.push({
      name,
      space: typeof json.space === 'string' ? json.space : undefined,
      state,
      releases,
      dependsOn: this.#providersOf(json.dependsOn, name, line),
      line,
    });
  }

  #providersOf(dependsOn: unknown, name: string, line: number): readonly string[] {
    if (dependsOn === undefined || dependsOn === null) return [];
    if (Array.isArray(dependsOn) && dependsOn.every((provider) => typeof provider === 'string')) return dependsOn;
    this.#reportLine(line, name, 'a dependsOn that is no list of names', 'a list of names, or nothing');
    return [];
  }

  #readSummary(json: Readonly<Record<string, unknown>>, line: number): void {
    if (typeof json.releasing === 'number') this.#summary = { releasing: json.releasing, line };
  }

  #compareCount(): void {
    const summary = this.#summary;
    if (summary === undefined || summary.releasing === this.#releasing) return;
    this.#problems.add({
      code: 'PLAN_COUNT_MISMATCH',
      at: this.#file,
      found: `${this.#releasing} releasing packages, where the plan itself counts ${summary.releasing}`,
      allowed: 'every line of one plan',
      fix: 'give the whole output of one `dispat status --log-format json`',
      place: { file: this.#file, line: summary.line, column: 1 },
    });
  }

  #reportNoPlan(): void {
    if (this.#summary?.releasing === 0 || this.#problems.hasErrors) return;
    this.#problems.add({
      code: 'PLAN_NOT_JSON',
      at: this.#file,
      found:
        this.#objects === 0
          ? 'no line of JSON'
          : `${this.#objects} lines of JSON, none of which is a package of a plan`,
      allowed: 'the plan as JSON, one object a line',
      fix: 'ask for `dispat status --log-format json` and give its standard output',
    });
  }

  #reportLine(line: number, name: string, found: string, allowed: string): void {
    this.#problems.add({
      code: 'PLAN_INVALID',
      at: name,
      found,
      allowed,
      fix: 'give the output of one `dispat status --log-format json` as it is',
      place: { file: this.#file, line, column: 1 },
    });
  }
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** By the symbol it begins with or, where that was lost, by its words. */
function stateOf(message: string): PackageState | undefined {
  const symbol = SYMBOLS[message.charAt(0)];
  if (symbol !== undefined) return symbol;
  const words = message.replace(/^[^A-Za-z]+/, '');
  return WORDS.find(([start]) => words.startsWith(start))?.[1];
}
