import type { Located, LocatedMap, Place } from '../located.js';

/** A value in quotes; any other text stands for one written plainly. */
export class QuotedText {
  constructor(readonly source: string) {}
}

/** Marks a text as written in quotes. */
export function inQuotes(source: string): QuotedText {
  return new QuotedText(source);
}

/** A value as a test writes it down. */
export type Written = string | QuotedText | null | readonly Written[] | { readonly [key: string]: Written };

/**
 * A located value as a file would give it: text as it is written, null, lists and mappings. Every scalar, list and
 * mapping stands on a line of its own, in order from 1, at column 1.
 */
export function located(value: Written): Located {
  let line = 0;
  const next = (): Place => ({ file: 'test.yaml', line: ++line, column: 1 });

  function build(written: Written): Located {
    const place = next();
    if (written === null) return { kind: 'scalar', source: '', quoted: false, isNull: true, place };
    if (typeof written === 'string') return { kind: 'scalar', source: written, quoted: false, isNull: false, place };
    if (written instanceof QuotedText) {
      return { kind: 'scalar', source: written.source, quoted: true, isNull: false, place };
    }
    if (Array.isArray(written)) return { kind: 'list', items: written.map(build), place };
    const entries = Object.entries(written as { readonly [key: string]: Written }).map(([key, item]) => {
      const built = build(item);
      return { key, keyPlace: built.place, value: built };
    });
    return { kind: 'map', entries, place };
  }

  return build(value);
}

/** {@link located} of a mapping. */
export function locatedMap(value: { readonly [key: string]: Written }): LocatedMap {
  const built = located(value);
  if (built.kind !== 'map') throw new TypeError('a mapping was asked for');
  return built;
}
