import type { Located, Place } from '@rungar/model';
import type { InputProblem, ProblemCode, ProblemList } from '../problems.js';
import { entriesOfOptionsFile, unknownOption } from './document.js';
import { OPTIONS, type OptionKey, type OptionRow, type PoolInput } from './table.js';
import { readValue } from './values.js';

/** Where a pool's options are written: a file, flags, or both; a flag wins. */
export interface OptionsSource {
  /** A YAML or JSON text and what to call it. */
  readonly file?: { readonly name: string; readonly text: string };
  /** Keys that may stand in the file beside a pool's options: they are read by the command they belong to. */
  readonly otherKeys?: readonly string[];
  /** By option key (`sshMode`); an option that may be given several times has a list. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

/** A pool's options as given, and where each was written. */
export interface Gathered {
  readonly input: PoolInput;
  /** Keys whose value could not be read: nothing more is said of them. */
  readonly wrong: ReadonlySet<OptionKey>;
  /** Reports a problem of an option, with its place when a file has one. */
  report(
    key: OptionKey,
    problem: Omit<InputProblem, 'severity' | 'at'> & Partial<Pick<InputProblem, 'severity'>>,
  ): undefined;
}

const RUN_IDS = ['runId', 'runIdFrom'] as const satisfies readonly OptionKey[];

interface Given {
  readonly node: Located;
  /** Absent for a flag, and for an argument of the library. */
  readonly place?: Place;
}

/** Reads file and flags into one set of options. What is wrong with their form goes to `problems`. */
export function gather({ file, otherKeys = [], flags = {} }: OptionsSource, problems: ProblemList): Gathered {
  const given = new Map<OptionKey, Given>();
  const at = new Map<OptionKey, Place>();
  if (file !== undefined) readFileInto(given, file, otherKeys, problems);
  // A run id is told in either way: one by flag stands in place of the other in the file.
  if (RUN_IDS.some((key) => flags[key] !== undefined)) for (const key of RUN_IDS) given.delete(key);
  for (const [key, value] of Object.entries(flags)) {
    if (value === undefined) continue;
    if (isOption(key)) given.set(key, { node: locate(value) });
    else problems.add(unknownOption(key, KEYS));
  }

  const values: Record<string, unknown> = {};
  const wrong = new Set<OptionKey>();
  for (const [key, { node, place }] of given) {
    if (place !== undefined) at.set(key, place);
    const row: OptionRow = OPTIONS[key];
    const reading = readValue(node, row);
    if ('value' in reading) values[key] = reading.value;
    else {
      wrong.add(key);
      const fix =
        row.default === undefined ? `write ${row.example ?? 'it so'}` : `write ${row.default}, or leave it out`;
      problems.add({ code: codeOf(key), at: key, ...reading, fix, ...(place && { place }) });
    }
  }
  return {
    input: values as PoolInput,
    wrong,
    report: (key, problem) => {
      const place = at.get(key);
      return problems.add({ ...problem, at: key, ...(place && { place }) });
    },
  };
}

function isOption(key: string): key is OptionKey {
  return Object.hasOwn(OPTIONS, key);
}

const KEYS = Object.keys(OPTIONS);

function readFileInto(
  given: Map<OptionKey, Given>,
  file: { readonly name: string; readonly text: string },
  otherKeys: readonly string[],
  problems: ProblemList,
): void {
  for (const { key, keyPlace, value } of entriesOfOptionsFile(file, problems)) {
    if (isOption(key)) {
      if (value.kind !== 'scalar' || !value.isNull) given.set(key, { node: value, place: value.place });
    } else if (!otherKeys.includes(key)) problems.add(unknownOption(key, [...otherKeys, ...KEYS], keyPlace));
  }
}

const DURATIONS = new Set<string>(['ttl', 'preflight', 'taskTimeout', 'cancel', 'gracePeriod', 'idleTimeout']);

function codeOf(key: OptionKey): ProblemCode {
  if (DURATIONS.has(key)) return 'DURATION_INVALID';
  return key === 'count' ? 'COUNT_INVALID' : 'OPTION_INVALID';
}

const NOWHERE: Place = { file: '', line: 1, column: 1 };

/** A plain value as if it had been written. Text is taken as it is; a mapping's members keep their types. */
function locate(value: unknown): Located {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(locate), place: NOWHERE };
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, member]) => ({ key, keyPlace: NOWHERE, value: locate(member) }));
    return { kind: 'map', entries, place: NOWHERE };
  }
  const isNull = value === null || value === undefined;
  return {
    kind: 'scalar',
    source: isNull ? '' : String(value),
    quoted: typeof value === 'string',
    isNull,
    place: NOWHERE,
  };
}
