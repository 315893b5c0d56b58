import { exactSize, type Field, type Fields, formatDurationMs, type Shape } from '@rungar/model';
import type { JsonSchema } from './json-schema.js';

/**
 * Whole numbers that YAML 1.2 takes for text, and a configuration for numbers: `0b101`, `0X10`, `1_000`. Their bounds
 * are left to the reading of the file.
 */
const WRITTEN_INTEGER = '[-+]?(?:0[xXoObB][0-9a-fA-F_]+|[0-9]+_[0-9_]*)';
const WRITTEN_NUMBER = `${WRITTEN_INTEGER}|[-+]?[0-9.]*_[0-9._]*(?:[eE][-+]?[0-9]+)?`;
const BOOLEAN_WORD = ['true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n'].flatMap((word) => [
  word,
  `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
  word.toUpperCase(),
]);
const DURATION_UNIT = '(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h)';
/** A sign before anything but zero is all that is refused. */
const DURATION = `[-+]?0|\\+?(?:(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)${DURATION_UNIT})+|-(?:[0.]+${DURATION_UNIT})+`;
const SIZE = '\\+?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][-+]?[0-9]+)? ?(?:[bB]|[kKmMgGtTpP](?:[iI]?[bB])?)?';
const TIME_OF_DAY = '(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00';

/** What a key's place means for its value. */
export interface SchemaOptions {
  /**
   * Whether it is part of a block that another one is written over: nothing is missing there, and a null clears even
   * what must be set in the end.
   */
  readonly partial?: boolean;
}

/**
 * Describes a mapping: its keys, and no others.
 * @param more keys whose values another module reads
 */
export function mappingSchema(
  fields: Fields,
  { partial = false }: SchemaOptions = {},
  more: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const keys = Object.entries(fields);
  const required = partial ? [] : keys.filter(([, field]) => field.required).map(([key]) => key);
  return {
    type: 'object',
    properties: Object.fromEntries(
      keys.map(([key, field]) => [key, { ...fieldSchema(field, { partial }), ...more[key] }]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Describes one key: what it takes, null included where that means "not set", and what is said of it. */
export function fieldSchema(field: Field<unknown>, { partial = false }: SchemaOptions = {}): JsonSchema {
  const mustBeSet = field.required && !partial;
  const schema = valueSchema(field, mustBeSet, partial);
  return {
    description: descriptionOf(field),
    ...(mustBeSet ? schema : orNull(schema)),
    ...defaultOf(field),
  };
}

/** The key's description as a sentence, with the rest of what there is to know. */
function descriptionOf({ description, rule, addition, shape }: Field<unknown>): string {
  const parts = [`${description.charAt(0).toUpperCase()}${description.slice(1)}`];
  if (shape.kind === 'duration' && shape.minMs !== undefined) parts.push(`At least ${formatDurationMs(shape.minMs)}`);
  if (rule !== undefined) parts.push(`It must be ${rule}`);
  if (addition) parts.push('An addition of Rungar for Node: the Go daemon refuses a file with this key');
  return `${parts.join('. ')}.`;
}

function defaultOf({ fallback, shape }: Field<unknown>): JsonSchema {
  if (fallback === undefined || (Array.isArray(fallback) && fallback.length === 0)) return {};
  if (shape.kind === 'duration') return { default: formatDurationMs(Number(fallback)) };
  return { default: typeof fallback === 'bigint' ? exactSize(fallback) : fallback };
}

function valueSchema({ shape }: Field<unknown>, mustBeSet: boolean, partial: boolean): JsonSchema {
  switch (shape.kind) {
    case 'text':
      return textSchema(shape, mustBeSet);
    case 'choice':
      return choiceSchema(shape);
    case 'integer':
    case 'number':
      return numberSchema(shape);
    case 'boolean':
      return { type: ['boolean', 'string'], pattern: whole(BOOLEAN_WORD.join('|')) };
    case 'duration':
      return { type: 'string', pattern: whole(DURATION) };
    case 'size':
      return { type: ['string', 'number'], minimum: 0, pattern: whole(`${WRITTEN_INTEGER}|${SIZE}`) };
    case 'time of day':
      return { type: 'string', pattern: whole(TIME_OF_DAY) };
    case 'list':
      return listSchema(shape, mustBeSet);
    case 'text map':
      return { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } };
    case 'mapping':
      return mappingSchema(shape.fields, { partial });
    case 'any':
      return {};
  }
}

type ShapeOf<Kind extends Shape['kind']> = Extract<Shape, { readonly kind: Kind }>;

/** Text is any single value as it is spelled, so also what YAML takes for a number or a boolean. */
function textSchema({ pattern, keepEmpty }: ShapeOf<'text'>, mustBeSet: boolean): JsonSchema {
  const isEmptyFine = !mustBeSet && !keepEmpty;
  if (pattern === undefined) {
    return { type: ['string', 'number', 'boolean'], ...(mustBeSet && !keepEmpty && { minLength: 1 }) };
  }
  const canBe = (...samples: string[]): boolean => samples.some((sample) => pattern.test(sample));
  const others = [
    ...(canBe('0', '12', '1234567890', '1.5', '1'.repeat(64)) ? (['number'] as const) : []),
    ...(canBe('true', 'false', 'True', 'False', 'TRUE', 'FALSE') ? (['boolean'] as const) : []),
  ];
  return {
    type: others.length === 0 ? 'string' : ['string', ...others],
    pattern: isEmptyFine ? `^$|${pattern.source}` : pattern.source,
  };
}

function choiceSchema({ words, aliases, anyCase }: ShapeOf<'choice'>): JsonSchema {
  const spellings = [...words, ...aliases];
  if (!anyCase) return { enum: spellings };
  const inAnyCase = spellings.map((word) => word.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`));
  return { anyOf: [{ enum: spellings }, { type: 'string', pattern: whole(inAnyCase.join('|')) }] };
}

function numberSchema({ kind, min, max, zeroIsUnset }: ShapeOf<'integer' | 'number'>): JsonSchema {
  const pattern = whole(kind === 'integer' ? WRITTEN_INTEGER : WRITTEN_NUMBER);
  const bounded: JsonSchema = {
    type: [kind, 'string'],
    pattern,
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
  };
  return zeroIsUnset && min !== undefined && min > 0 ? { anyOf: [bounded, { const: 0 }] } : bounded;
}

function listSchema({ of, alsoOne, unique, emptyItems }: ShapeOf<'list'>, mustBeSet: boolean): JsonSchema {
  const item = valueSchema(of, !emptyItems, false);
  const list: JsonSchema = {
    type: 'array',
    items: { description: descriptionOf(of), ...(emptyItems ? orNull(item) : item) },
    ...(mustBeSet && { minItems: 1 }),
    ...(unique && { uniqueItems: true }),
  };
  if (!alsoOne) return list;
  const one = valueSchema(of, mustBeSet, false);
  return { anyOf: [list, one] };
}

/** The schema, and a null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: words, anyOf } = schema;
  if (anyOf !== undefined) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  if (words !== undefined) return { ...schema, enum: [...words, null] };
  if (type === undefined) return schema;
  return { ...schema, type: [...(typeof type === 'string' ? [type] : type), 'null'] };
}

function whole(pattern: string): string {
  return `^(?:${pattern})$`;
}
