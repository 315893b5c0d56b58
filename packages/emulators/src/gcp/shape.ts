import { GceRefusal } from './errors.js';

/** What a JSON value of Compute Engine may be: only what is named here is taken. */
export type Shape =
  | 'string'
  | 'boolean'
  | 'number'
  /** A 64-bit whole number, in JSON as text or as a number. */
  | 'int64'
  /** A map of texts. */
  | 'texts'
  /** A map of anything, by keys that are not known before. */
  | { readonly '*': Shape }
  | readonly [Shape]
  | { readonly [field: string]: Shape };

/** The shape of one field of a value of `shape`; nothing when there is no such field. */
export function fieldOf(shape: Shape, field: string): Shape | undefined {
  if (typeof shape === 'string') return shape === 'texts' ? 'string' : undefined;
  if (isList(shape)) return fieldOf(shape[0], field);
  const fields = shape as Readonly<Record<string, Shape>>;
  if (Object.hasOwn(fields, '*')) return fields['*'];
  return Object.hasOwn(fields, field) ? fields[field] : undefined;
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

/**
 * Reads a request's JSON body.
 * @throws GceRefusal when it is not JSON, or holds anything that `shape` does not name
 */
export function readBody(text: string, shape: Shape): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new GceRefusal(400, 'parseError', 'Parse Error');
  }
  requireShape(value, shape, 'resource');
  return value as Readonly<Record<string, unknown>>;
}

function requireShape(value: unknown, shape: Shape, at: string): void {
  if (typeof shape === 'string') {
    requireScalar(value, shape, at);
    return;
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) throw wrongType(at, value);
    for (const [index, item] of value.entries()) requireShape(item, shape[0], `${at}[${index}]`);
    return;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongType(at, value);
  for (const [field, inner] of Object.entries(value)) {
    const inside = fieldOf(shape, field);
    if (inside === undefined) {
      const message = `Invalid JSON payload received. Unknown name "${field}" at '${at}': Cannot find field.`;
      throw new GceRefusal(400, 'badRequest', message);
    }
    requireShape(inner, inside, `${at}.${field}`);
  }
}

function requireScalar(value: unknown, shape: 'string' | 'boolean' | 'number' | 'int64' | 'texts', at: string): void {
  if (shape === 'texts') {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongType(at, value);
    for (const [key, text] of Object.entries(value))
      if (typeof text !== 'string') throw wrongType(`${at}.${key}`, text);
    return;
  }
  const fits = shape === 'int64' ? /^-?\d{1,19}$/.test(String(value)) : typeof value === shape;
  if (!fits) throw wrongType(at, value);
}

function wrongType(at: string, value: unknown): GceRefusal {
  const message = `Invalid value at '${at}', ${JSON.stringify(value)}`;
  return new GceRefusal(400, 'badRequest', message);
}
