import type { LocatedScalar } from '../located.js';

const INTEGER = /^[-+]?(?:0x[0-9a-f]+|0o[0-7]+|0b[01]+|0|[1-9][0-9]*)$/i;
const LEADING_ZERO = /^([-+]?)0+([0-9]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:e[-+]?[0-9]+)?$/i;
const INFINITE = /^([-+]?)\.(?:inf|Inf|INF)$/;
const NOT_A_NUMBER = /^\.(?:nan|NaN|NAN)$/;

/** More digits than any whole number here may have. */
const MOST_DIGITS = 64;

/** How a number was written: whole, with a leading zero that programs read in two ways, or not as a whole number. */
export type Integer = { readonly value: bigint } | { readonly ambiguous: string } | undefined;

/** Reads a whole number as YAML writes it: decimal, `0x`, `0o`, `0b`, with `_` between digits, and never in quotes. */
export function readInteger(node: LocatedScalar): Integer {
  if (node.quoted || !/^[-+]?[0-9]/.test(node.source)) return undefined;
  const text = node.source.replaceAll('_', '');
  if (text.length > MOST_DIGITS) return undefined;
  const leading = LEADING_ZERO.exec(text);
  if (leading !== null) return { ambiguous: readingsOf(leading[1] ?? '', leading[2] ?? '') };
  if (!INTEGER.test(text)) return undefined;
  const size = BigInt(text.replace(/^[-+]/, '').toLowerCase());
  return { value: text.startsWith('-') ? -size : size };
}

function readingsOf(sign: string, digits: string): string {
  const decimal = `${sign}${BigInt(digits)}`;
  if (!/^[0-7]+$/.test(digits)) return `write ${decimal}`;
  const octal = `${sign}${BigInt(`0o${digits}`)}`;
  return `it could be ${decimal} or, read as octal, ${octal}: write the one you mean`;
}

/** Reads a number as YAML writes it, `.inf` and `.nan` included, and never in quotes. */
export function readNumber(node: LocatedScalar): number | { readonly ambiguous: string } | undefined {
  const whole = readInteger(node);
  if (whole !== undefined) return 'value' in whole ? Number(whole.value) : whole;
  if (node.quoted) return undefined;
  if (NOT_A_NUMBER.test(node.source)) return Number.NaN;
  const infinite = INFINITE.exec(node.source);
  if (infinite !== null) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const text = node.source.replaceAll('_', '');
  return FLOAT.test(text) ? Number(text) : undefined;
}
