import type { ProblemCode } from '../problems.js';
import type { Gathered } from './gather.js';
import type { OptionKey } from './table.js';

/** The form a text must have, and how to say so. */
export interface Form {
  readonly pattern: RegExp;
  readonly longest?: number;
  readonly allowed: string;
  readonly fix: string;
  readonly code?: ProblemCode;
}

export const DNS_LABEL: Form = {
  pattern: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
  longest: 63,
  allowed: 'lower-case letters, digits and hyphens, no hyphen at either end, at most 63 characters',
  fix: 'write it like dispat-workers',
};

/** The name of a Secret, a ServiceAccount, a class. */
export const DNS_SUBDOMAIN: Form = {
  pattern: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/,
  longest: 253,
  allowed: 'lower-case letters, digits, hyphens and dots, no hyphen or dot at either end',
  fix: 'write the name as `kubectl get` shows it',
};

export const SECRET_KEY: Form = {
  pattern: /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/,
  longest: 253,
  allowed: 'letters, digits, dots, hyphens and underscores',
  fix: 'write the key as it stands in the Secret',
};

export const VARIABLE: Form = {
  pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
  allowed: 'letters, digits and underscores, no digit first',
  fix: 'write it like DISPAT_EXECUTION_SECRET',
};

export const LABEL_VALUE: Form = {
  pattern: /^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$/,
  longest: 63,
  allowed: 'letters, digits, dots, hyphens and underscores, a letter or digit at both ends, at most 63 characters',
  fix: 'write the value as the machines carry it',
};

export const LABEL_KEY: Form = {
  pattern: /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/,
  allowed: 'a name of at most 63 characters, with a DNS prefix and a slash if any',
  fix: 'write the key as the machines carry it',
};

/** A folder in the pod. It ends up in a shell command of git's, hence no blanks. */
export const FOLDER: Form = {
  pattern: /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._+-]+)+$/,
  allowed: 'an absolute path of letters, digits, `.`, `_`, `+` and `-`, without `..` or a slash at the end',
  fix: 'write it like /work',
};

/** A quantity above zero: `7`, `500m`, `24Gi`. */
export const QUANTITY: Form = {
  pattern: /^(?=[^1-9]*[1-9])([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$/,
  allowed: 'a quantity above 0',
  fix: 'write it like 7, 500m or 24Gi',
  code: 'QUANTITY_INVALID',
};

export function fits(text: string, { pattern, longest }: Form): boolean {
  return pattern.test(text) && (longest === undefined || text.length <= longest);
}

/** An option's text when it has the form; otherwise the fallback, with the problem reported. */
export function textOf<Fallback extends string | undefined>(
  gathered: Gathered,
  key: OptionKey,
  form: Form,
  fallback: Fallback,
): string | Fallback {
  const text = gathered.input[key];
  if (typeof text !== 'string') return fallback;
  if (fits(text, form)) return text;
  return refuse(gathered, key, form, text) ?? fallback;
}

/** Reports that `text` has not the form. */
export function refuse(gathered: Gathered, key: OptionKey, form: Form, text: string): undefined {
  const { code = 'OPTION_INVALID', allowed, fix } = form;
  return gathered.report(key, { code, found: shown(text), allowed, fix });
}

/** A text for a message: on one line, in quotes, not too long. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

/** The number a quantity stands for. */
export function amountOf(quantity: string): number {
  const [, digits = '', unit = ''] = /^([0-9.]+)(.*)$/.exec(quantity) ?? [];
  const power = /^[eE]([+-]?[0-9]+)$/.exec(unit)?.[1];
  return Number(digits) * (power === undefined ? (UNITS[unit] ?? 1) : 10 ** Number(power));
}

const UNITS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};
