import type { Labels } from '@rungar/model';
import { requireInstallation } from './installation.js';
import { InvalidArgument, requireText, shown } from './invalid-argument.js';
import { sortUtf8 } from './text.js';

export type { Labels } from '@rungar/model';

/** The keys of the five labels every machine of Rungar's carries (docs/reference/labels.md). They never change. */
export const LABEL = Object.freeze({
  /** `true` on every machine that is Rungar's. */
  managed: 'rungar.sh/managed',
  /** The installation that created it. */
  installation: 'rungar.sh/installation',
  /** Its scale set's name, in full. */
  scaleSet: 'rungar.sh/scale-set',
  /** Its runner's name, which is also the machine's. */
  runner: 'rungar.sh/runner',
  /** The revision of the runner block it was created from. */
  revision: 'rungar.sh/revision',
} as const);

/** What a key starts with that only Rungar may use. */
export const RESERVED_PREFIX = 'rungar.sh/';

/** Who a machine belongs to, as the five labels tell it. */
export interface RunnerIdentity {
  readonly installation: string;
  readonly scaleSet: string;
  /** The runner's name, which is also the machine's. */
  readonly runner: string;
  /** May be empty, where it is not known. */
  readonly revision: string;
}

/**
 * The five labels of a runner's machine, sorted by key.
 * @throws an error of code `invalid_argument` when the installation breaks its rule, a name is empty, or a text holds
 * half a surrogate pair, which no backend could keep
 */
export function runnerLabels({ installation, scaleSet, runner, revision }: RunnerIdentity): Labels {
  requireInstallation(installation);
  requireName(scaleSet, 'the scale set name');
  requireName(runner, 'the runner name');
  requireKeepable(revision, 'the revision');
  return {
    [LABEL.installation]: installation,
    [LABEL.managed]: 'true',
    [LABEL.revision]: revision,
    [LABEL.runner]: runner,
    [LABEL.scaleSet]: scaleSet,
  };
}

/** @throws an error of code `invalid_argument` */
export function requireName(text: unknown, what: string): asserts text is string {
  requireKeepable(text, what);
  if (text === '') throw new InvalidArgument(`${what} must not be empty`);
}

function requireKeepable(text: unknown, what: string): asserts text is string {
  requireText(text, what);
  if (/\p{Surrogate}/u.test(text)) throw new InvalidArgument(`${what} ${shown(text)} holds half a surrogate pair`);
}

/** The keys of `labels` in the order of their UTF-8 bytes. */
export function sortedKeys(labels: Labels): string[] {
  return sortUtf8(Object.keys(labels));
}

/**
 * The value of one of the labels.
 * @throws an error of code `invalid_argument` when it is not text
 */
export function textOf(labels: Labels, key: string): string {
  const value: unknown = labels[key];
  requireText(value, key);
  return value;
}

/** Whether `value`, which may be anything a backend answered, is a map of texts. */
export function isLabels(value: unknown): value is Labels {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const map = value as Readonly<Record<string, unknown>>;
  for (const key in map) if (typeof map[key] !== 'string') return false;
  return true;
}
