import { GceRefusal } from './errors.js';
import { fieldOf, type Shape } from './shape.js';

/** Which fields of an answer are wanted; `true` is all that is in one. */
type Mask = ReadonlyMap<string, Mask | true>;

/**
 * Cuts an answer down to what its `fields` parameter asks for: names separated by commas, `a/b` for a field of a
 * field, `a(b,c)` for several of them, `*` for any.
 * @throws GceRefusal when the parameter cannot be read or names a field the answer never has
 */
export function selectFields(answer: unknown, fields: string, shape: Shape): unknown {
  const mask = parseMask(fields);
  checkMask(mask, shape, fields);
  return cut(answer, mask);
}

function parseMask(text: string): Mask {
  const tokens = text.match(/[A-Za-z0-9_*-]+|[(),/]/g) ?? [];
  if (tokens.join('') !== text.replace(/\s/g, '') || text === '') throw invalidSelection(text);
  let at = 0;

  const readList = (): Map<string, Mask | true> => {
    const found = new Map<string, Mask | true>();
    for (;;) {
      const [name, inside] = readPath();
      found.set(name, merged(found.get(name), inside));
      if (tokens[at] !== ',') return found;
      at++;
    }
  };

  const readPath = (): [string, Mask | true] => {
    const name = tokens[at++];
    if (name === undefined || /[(),/]/.test(name)) throw invalidSelection(text);
    if (tokens[at] === '/') {
      at++;
      return [name, new Map([readPath()])];
    }
    if (tokens[at] !== '(') return [name, true];
    at++;
    const inside = readList();
    if (tokens[at++] !== ')') throw invalidSelection(text);
    return [name, inside];
  };

  const mask = readList();
  if (at !== tokens.length) throw invalidSelection(text);
  return mask;
}

function merged(one: Mask | true | undefined, other: Mask | true): Mask | true {
  if (one === undefined) return other;
  if (one === true || other === true) return true;
  const both = new Map(one);
  for (const [name, inside] of other) both.set(name, merged(both.get(name), inside));
  return both;
}

function checkMask(mask: Mask, shape: Shape, text: string): void {
  for (const [name, inside] of mask) {
    if (name === '*') continue;
    const field = fieldOf(shape, name);
    if (field === undefined) throw invalidSelection(name);
    if (inside !== true) checkMask(inside, field, text);
  }
}

function cut(value: unknown, mask: Mask): unknown {
  if (Array.isArray(value)) return value.map((item) => cut(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    const inside = mask.get(name) ?? mask.get('*');
    if (inside !== undefined) kept[name] = inside === true ? inner : cut(inner, inside);
  }
  return kept;
}

function invalidSelection(what: string): GceRefusal {
  return new GceRefusal(400, 'invalidParameter', `Invalid field selection ${what}`);
}
