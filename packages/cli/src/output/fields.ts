import type { Style } from './style.js';

/** A label and its values. */
export type FieldEntry = readonly [label: string, values: readonly string[]];

/** `label: value`, labels right-aligned; further values stand under the first. */
export function fieldLines(entries: readonly FieldEntry[], style: Style): string[] {
  const width = Math.max(...entries.map(([label]) => label.length));
  return entries.flatMap(([label, values]) =>
    values.map((value, at) =>
      at === 0 ? `${style.dim(`${label.padStart(width)}:`)} ${value}` : `${' '.repeat(width + 2)}${value}`,
    ),
  );
}
