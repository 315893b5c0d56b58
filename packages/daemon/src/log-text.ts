import type { LogFields } from '@rungar/model';
import { formatDurationMs, messageOf } from '@rungar/model';

export type LogFormat = 'text' | 'json';

export type Redact = (text: string) => string;

/** What a field becomes in a line. */
export type LogValue = string | number | boolean | null | readonly LogValue[];

/**
 * Fields as they are written: keys in snake_case, in the order given; what is undefined left out. A duration, told by
 * its key's ending `Ms`, loses that ending: it becomes Go's text (`1m30s`) in text and whole nanoseconds in JSON.
 * @param redact takes secrets out of a text; asked before the text is changed in any way, which could hide one from it
 */
export function toLogValues(fields: LogFields, format: LogFormat, redact: Redact): Record<string, LogValue> {
  const values: Record<string, LogValue> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (isDuration(key, value)) {
      values[toSnakeCase(key.slice(0, -2))] = format === 'text' ? formatDurationMs(value) : Math.round(value * 1e6);
    } else {
      values[toSnakeCase(key)] = toLogValue(value, redact);
    }
  }
  return values;
}

function isDuration(key: string, value: unknown): value is number {
  return key.length > 2 && key.endsWith('Ms') && typeof value === 'number' && Number.isFinite(value);
}

function toSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function toLogValue(value: unknown, redact: Redact): LogValue {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value instanceof Error) return messageOf(redact(value.message || value.name));
  if (Array.isArray(value)) return value.map((item) => toLogValue(item, redact));
  if (isPlainObject(value)) {
    return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? redact(inner) : inner));
  }
  return redact(String(value));
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** `key=value` pairs of a text line, quoted where they would not read back as one word. */
export function toLogText(values: Readonly<Record<string, LogValue>>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}=${quoteIfNeeded(toText(value))}`)
    .join(' ');
}

function toText(value: LogValue): string {
  return Array.isArray(value) ? `[${value.map(toText).join(' ')}]` : String(value);
}

/** Whatever could end a word, break a line, or not be seen. */
const NEEDS_QUOTES = /^$|[\s"=\p{C}\p{Z}]/u;

/** The same for ASCII, which most texts are: the rules for all of Unicode take milliseconds to make ready. */
const PRINTABLE = /^[ -~]*$/;
const PRINTABLE_WORD = /^[!#-<>-~]+$/;

function quoteIfNeeded(text: string): string {
  if (PRINTABLE_WORD.test(text)) return text;
  if (PRINTABLE.test(text)) return JSON.stringify(text);
  return NEEDS_QUOTES.test(text) ? JSON.stringify(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escapeUnseen) : text;
}

function escapeUnseen(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
