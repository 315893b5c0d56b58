import { didYouMean, parseDuration, quoted } from '@rungar/model';
import type { ProblemList } from '../problems.js';

/** How long one package's tasks take; what is not known is absent. */
export interface TaskDurations {
  readonly buildMs?: number;
  readonly publishMs?: number;
  /** How much of the build budget its build takes; 1 unless it says otherwise. */
  readonly weight?: number;
}

/** A durations file: what holds for every package, and what holds for one. */
export interface Durations {
  readonly defaults: TaskDurations;
  readonly packages: ReadonlyMap<string, TaskDurations>;
}

const TASK_KEYS = ['build', 'publish', 'weight'] as const;
const ROOT_KEYS = ['defaults', 'packages'] as const;

/**
 * Reads `{"defaults": {"build": 240, "publish": "30s"}, "packages": {"core": {"build": "4m"}}}`.
 * @param text JSON; a number is seconds, a text has units
 * @param file what to call it in messages
 */
export function readDurations(text: string, file: string, problems: ProblemList): Durations {
  const packages = new Map<string, TaskDurations>();
  const root = parseObject(text, file, problems);
  if (root === undefined) return { defaults: {}, packages };
  reportUnknown(root, ROOT_KEYS, file, problems);
  if (ROOT_KEYS.every((key) => saysNothing(root[key]))) {
    problems.add({
      code: 'DURATION_INVALID',
      at: file,
      found: 'no duration',
      allowed: 'a duration among the defaults, or of a package',
      fix: 'leave --durations out, which makes every build one step',
    });
  }
  const named = objectAt(root.packages, 'packages', problems);
  for (const [name, value] of Object.entries(named ?? {})) {
    packages.set(name, readTasks(value, `packages.${name}`, problems));
  }
  return { defaults: readTasks(root.defaults, 'defaults', problems), packages };
}

function parseObject(text: string, file: string, problems: ProblemList): Readonly<Record<string, unknown>> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return problems.add({
      code: 'YAML_INVALID',
      at: file,
      found: error instanceof SyntaxError ? `what is no JSON: ${error.message}` : 'what is no JSON',
      allowed: 'one JSON object',
      fix: 'write {"defaults": {"build": 240, "publish": 30}, "packages": {}}',
    });
  }
  return objectAt(value === null ? 'null' : value, file, problems);
}

function objectAt(value: unknown, at: string, problems: ProblemList): Readonly<Record<string, unknown>> | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object' && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  return problems.add({
    code: 'DOCUMENT_NOT_OBJECT',
    at,
    found: Array.isArray(value) ? 'a list' : quoted(String(value)),
    allowed: 'a JSON object',
    fix: 'put the durations in braces, by name',
  });
}

function saysNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function readTasks(value: unknown, at: string, problems: ProblemList): TaskDurations {
  const tasks = objectAt(value, at, problems);
  if (tasks === undefined) return {};
  reportUnknown(tasks, TASK_KEYS, at, problems);
  const buildMs = readMs(tasks.build, `${at}.build`, problems);
  const publishMs = readMs(tasks.publish, `${at}.publish`, problems);
  const weight = readWeight(tasks.weight, `${at}.weight`, problems);
  return {
    ...(buildMs !== undefined && { buildMs }),
    ...(publishMs !== undefined && { publishMs }),
    ...(weight !== undefined && { weight }),
  };
}

function readMs(value: unknown, at: string, problems: ProblemList): number | undefined {
  if (value === undefined || value === null) return undefined;
  const ms = durationMs(value);
  if (ms !== undefined) return ms;
  return problems.add({
    code: 'DURATION_INVALID',
    at,
    found: quoted(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
    allowed: 'seconds from 0 to 10000000, as a number or as a text like "4m" or "1m30s"',
    fix: 'write 240 or "4m"',
  });
}

const MOST_SECONDS = 10_000_000;

/**
 * Seconds as a number, or a text with units, in whole milliseconds.
 * @returns nothing when it is neither, negative or beyond 10,000,000 seconds
 */
export function durationMs(value: unknown): number | undefined {
  if (typeof value === 'string') {
    const nanoseconds = /^[0-9.]+$/.test(value) ? undefined : parseDuration(value);
    const seconds =
      nanoseconds === undefined ? Number(value.trim() === '' ? Number.NaN : value) : Number(nanoseconds) / 1e9;
    return durationMs(seconds);
  }
  if (typeof value !== 'number' || !(value >= 0 && value <= MOST_SECONDS)) return undefined;
  return Math.round(value * 1000);
}

function readWeight(value: unknown, at: string, problems: ProblemList): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value;
  return problems.add({
    code: 'OPTION_INVALID',
    at,
    found: JSON.stringify(value) ?? '',
    allowed: 'a whole number from 1',
    fix: 'leave it out for 1',
  });
}

function reportUnknown(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  at: string,
  problems: ProblemList,
): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue;
    problems.add({
      code: 'CONFIG_UNKNOWN_KEY',
      at: `${at}: ${key}`,
      found: 'a key that is not known',
      allowed: known.join(', '),
      fix: didYouMean(key, known) ?? 'take it out',
    });
  }
}
