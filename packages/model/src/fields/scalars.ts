import { formatDurationMs, parseDuration } from '../duration.js';
import type { Located, ProblemSink } from '../located.js';
import { nearest } from '../nearest.js';
import { parseSize } from '../size.js';
import { type Field, type FieldOptions, type IsSure, makeField } from './field.js';
import { readInteger, readNumber } from './numerals.js';
import { asScalar, reject } from './report.js';

export interface TextOptions extends FieldOptions<string> {
  /** The form it must have, with {@link TextOptions.want} to say it in words. */
  readonly pattern?: RegExp;
  /** `must be …`, for a value of another form. */
  readonly want?: string;
  /** Whether an empty text is a value of its own. Without this it is the same as none. */
  readonly keepEmpty?: boolean;
}

/** Any single value, taken exactly as it is written. */
export function text<const O extends TextOptions>(options: O): Field<string, IsSure<O>> {
  const { pattern, want = 'must be text', secret } = options;
  const shape = { kind: 'text', ...(pattern && { pattern }), keepEmpty: options.keepEmpty ?? false } as const;
  return makeField<string, O>(shape, options, {
    rule: pattern && ruleOf(want),
    isUnset: (value) => value === '' && options.keepEmpty !== true,
    read(node, path, problems) {
      const scalar = asScalar(node, path, want, problems);
      if (scalar === undefined) return undefined;
      const value = scalar.isNull ? '' : scalar.source;
      if (value === '' && options.keepEmpty !== true) return value;
      if (pattern !== undefined && !pattern.test(value)) return reject(problems, { node, path, want, secret });
      return checked(value, options, node, path, problems);
    },
  });
}

export interface ParsedTextOptions<T> extends FieldOptions<T> {
  /** A form that every good text has, to describe it by; {@link ParsedTextOptions.parse} decides. */
  readonly pattern?: RegExp;
  /** `must be …`, for a text it cannot be read from. */
  readonly want: string;
  /** Reads a text. Pure; nothing where it cannot be read. */
  parse(source: string): T | undefined;
  /** What to do about a text it cannot be read from. */
  hint?(source: string): string | undefined;
}

/** A single value read from its text by a rule of its own. */
export function parsedText<T, const O extends ParsedTextOptions<T> = ParsedTextOptions<T>>(
  options: O & ParsedTextOptions<T>,
): Field<T, IsSure<O>> {
  const { want, secret, pattern } = options;
  return makeField<T, O>({ kind: 'text', ...(pattern && { pattern }), keepEmpty: false }, options, {
    rule: ruleOf(want),
    read(node, path, problems) {
      const scalar = asScalar(node, path, want, problems);
      if (scalar === undefined) return undefined;
      const value = options.parse(scalar.source);
      if (value !== undefined) return checked(value, options, node, path, problems);
      return reject(problems, { node, path, want, secret, hint: options.hint?.(scalar.source) });
    },
  });
}

/** What a text must be, for the reference. */
function ruleOf(want: string): string {
  return want.replace(/^must be /, '');
}

/**
 * One of a few words; an alias stands for the word it maps to.
 * @param words lower case, in the order to list them
 */
export function choice<const Word extends string, const O extends FieldOptions<NoInfer<Word>>>(
  words: readonly Word[],
  options: O & { readonly aliases?: Readonly<Record<string, NoInfer<Word>>>; readonly anyCase?: boolean },
): Field<Word, IsSure<O>> {
  const { aliases = {} } = options;
  const want = `must be ${words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : words[0]}`;
  const shape = { kind: 'choice', words, aliases: Object.keys(aliases), anyCase: options.anyCase ?? false } as const;
  return makeField<Word, O>(shape, options, {
    read(node, path, problems) {
      const scalar = asScalar(node, path, want, problems);
      if (scalar === undefined) return undefined;
      const word = options.anyCase === true ? scalar.source.toLowerCase() : scalar.source;
      const known = words.find((each) => each === word) ?? (Object.hasOwn(aliases, word) ? aliases[word] : undefined);
      if (known !== undefined) return known;
      return reject(problems, { node, path, want, hint: didYouMean(scalar.source, words) });
    },
  });
}

/** The question after a word nobody knows, when one that is known is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const near = nearest(word, candidates);
  return near === undefined ? undefined : `did you mean ${near}?`;
}

export interface NumberOptions extends FieldOptions<number> {
  readonly min?: number;
  readonly max?: number;
  /** Whether 0 is the same as no value. */
  readonly zeroIsUnset?: boolean;
}

/** A whole number, without quotes. */
export function integer<const O extends NumberOptions>(options: O): Field<number, IsSure<O>> {
  const { secret } = options;
  return makeField<number, O>({ kind: 'integer', ...bounds(options) }, options, {
    isUnset: (value) => value === 0 && options.zeroIsUnset === true,
    read(node, path, problems) {
      const scalar = asScalar(node, path, 'must be a whole number', problems);
      if (scalar === undefined) return undefined;
      const read = readInteger(scalar);
      if (read === undefined) {
        const hint = scalar.quoted && /^[-+]?[0-9]+$/.test(scalar.source) ? 'take the quotes away' : undefined;
        return reject(problems, { node, path, want: 'must be a whole number', secret, hint });
      }
      if ('ambiguous' in read) return rejectLeadingZero(node, path, read.ambiguous, problems);
      const value = Number(read.value);
      if (value === 0 && options.zeroIsUnset === true) return value;
      if (!Number.isSafeInteger(value)) {
        const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options;
        const want = value < 0 ? `must be at least ${min}` : `must be at most ${max}`;
        return reject(problems, { node, path, want, secret });
      }
      return checked(value, options, node, path, problems);
    },
  });
}

/** A number with or without a fraction, without quotes. */
export function number<const O extends NumberOptions>(options: O): Field<number, IsSure<O>> {
  const { secret } = options;
  return makeField<number, O>({ kind: 'number', ...bounds(options) }, options, {
    isUnset: (value) => value === 0 && options.zeroIsUnset === true,
    read(node, path, problems) {
      const scalar = asScalar(node, path, 'must be a number', problems);
      if (scalar === undefined) return undefined;
      const value = readNumber(scalar);
      if (value === undefined) {
        const hint = readNumber({ ...scalar, quoted: false }) === undefined ? undefined : 'take the quotes away';
        return reject(problems, { node, path, want: 'must be a number', secret, hint });
      }
      if (typeof value !== 'number') return rejectLeadingZero(node, path, value.ambiguous, problems);
      if (value === 0 && options.zeroIsUnset === true) return value;
      return checked(value, options, node, path, problems);
    },
  });
}

function bounds({ min, max, zeroIsUnset = false }: NumberOptions): {
  min?: number;
  max?: number;
  zeroIsUnset: boolean;
} {
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }), zeroIsUnset };
}

function rejectLeadingZero(node: Located, path: string, hint: string, problems: ProblemSink): undefined {
  return reject(problems, { node, path, want: 'must be a number without a leading zero', hint });
}

const YES = words('true', 'yes', 'on', 'y');
const NO = words('false', 'no', 'off', 'n');

function words(...lower: string[]): ReadonlySet<string> {
  return new Set(
    lower.flatMap((word) => [word, word.toUpperCase(), `${word.charAt(0).toUpperCase()}${word.slice(1)}`]),
  );
}

/** `true` or `false`, or one of YAML's older words for them, without quotes. */
export function boolean<const O extends FieldOptions<boolean>>(options: O): Field<boolean, IsSure<O>> {
  return makeField<boolean, O>({ kind: 'boolean' }, options, {
    read(node, path, problems) {
      const scalar = asScalar(node, path, 'must be true or false', problems);
      if (scalar === undefined) return undefined;
      const known = YES.has(scalar.source) || NO.has(scalar.source);
      if (known && !scalar.quoted) return YES.has(scalar.source);
      const hint = known ? 'take the quotes away' : undefined;
      return reject(problems, { node, path, want: 'must be true or false', hint });
    },
  });
}

export interface DurationOptions extends FieldOptions<number> {
  /** The shortest allowed, in milliseconds. */
  readonly minMs?: number;
}

/** A duration as Go writes it (`1h30m`), in milliseconds. Zero is the same as none. */
export function duration<const O extends DurationOptions>(options: O): Field<number, IsSure<O>> {
  const { minMs } = options;
  const want = 'must be a duration like 30s, 5m or 1h30m';
  return makeField<number, O>({ kind: 'duration', ...(minMs !== undefined && { minMs }) }, options, {
    isUnset: (value) => value === 0,
    read(node, path, problems) {
      const scalar = asScalar(node, path, want, problems);
      if (scalar === undefined) return undefined;
      const nanoseconds = scalar.source === '0' && !scalar.quoted ? undefined : parseDuration(scalar.source);
      if (nanoseconds === undefined) {
        const hint = /^[0-9]+$/.test(scalar.source) ? `say the unit: ${scalar.source}s` : undefined;
        return reject(problems, { node, path, want, hint });
      }
      const ms = Number(nanoseconds) / 1e6;
      if (ms < 0) return reject(problems, { node, path, want: 'must not be negative' });
      if (ms !== 0 && minMs !== undefined && ms < minMs) {
        return reject(problems, { node, path, want: `must be at least ${formatDurationMs(minMs)}` });
      }
      return ms === 0 ? ms : checked(ms, options, node, path, problems);
    },
  });
}

/** A size (`4GiB`, or a number of bytes), in bytes. Zero is the same as none. */
export function size<const O extends FieldOptions<bigint>>(options: O): Field<bigint, IsSure<O>> {
  const want = 'must be a size like 512MiB or 4GiB';
  return makeField<bigint, O>({ kind: 'size' }, options, {
    isUnset: (value) => value === 0n,
    read(node, path, problems) {
      const scalar = asScalar(node, path, want, problems);
      if (scalar === undefined) return undefined;
      const whole = readInteger(scalar);
      if (whole !== undefined && 'ambiguous' in whole) return rejectLeadingZero(node, path, whole.ambiguous, problems);
      const bytes = parseSize(whole === undefined ? scalar.source : `${whole.value}`);
      if (bytes === undefined) return reject(problems, { node, path, want });
      return bytes === 0n ? bytes : checked(bytes, options, node, path, problems);
    },
  });
}

/** A time of day, `HH:MM` from `00:00` to `24:00`, in minutes after midnight. */
export function timeOfDay<const O extends FieldOptions<number>>(options: O): Field<number, IsSure<O>> {
  const want = 'must be a time like "08:00", from "00:00" to "24:00"';
  return makeField<number, O>({ kind: 'time of day' }, options, {
    read(node, path, problems) {
      const scalar = asScalar(node, path, want, problems);
      if (scalar === undefined) return undefined;
      const [, hours, minutes] = /^([0-9]{2}):([0-9]{2})$/.exec(scalar.source) ?? [];
      const value = Number(hours) * 60 + Number(minutes);
      if (!(value <= 24 * 60) || Number(minutes) > 59) return reject(problems, { node, path, want });
      return checked(value, options, node, path, problems);
    },
  });
}

/** `value`, unless a bound or the field's own rule speaks against it. */
function checked<T>(
  value: T,
  options: FieldOptions<T> & { readonly min?: number; readonly max?: number },
  node: Located,
  path: string,
  problems: ProblemSink,
): T | undefined {
  const { min, max, secret } = options;
  if (typeof value === 'number' && min !== undefined && !(value >= min)) {
    return reject(problems, { node, path, want: `must be at least ${min}`, secret });
  }
  if (typeof value === 'number' && max !== undefined && !(value <= max)) {
    return reject(problems, { node, path, want: `must be at most ${max}`, secret });
  }
  const want = options.check?.(value);
  return want === undefined ? value : reject(problems, { node, path, want, secret });
}
