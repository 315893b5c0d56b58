import type { Located, LocatedScalar, Place } from '@rungar/model';

/** Whether a plain text is YAML's null. */
export function isNullText(source: string): boolean {
  return source === '' || source === '~' || source === 'null' || source === 'Null' || source === 'NULL';
}

/** A value that was not written. */
export function nullAt(place: Place): LocatedScalar {
  return { kind: 'scalar', source: '', quoted: false, isNull: true, place };
}

/** How many values `value` consists of, itself included. */
export function sizeOf(value: Located): number {
  let size = 1;
  if (value.kind === 'list') for (const item of value.items) size += sizeOf(item);
  if (value.kind === 'map') for (const entry of value.entries) size += sizeOf(entry.value);
  return size;
}

/** How many levels lie below `value`. */
export function depthOf(value: Located): number {
  let depth = 0;
  if (value.kind === 'list') for (const item of value.items) depth = Math.max(depth, depthOf(item) + 1);
  if (value.kind === 'map') for (const entry of value.entries) depth = Math.max(depth, depthOf(entry.value) + 1);
  return depth;
}

/** A copy of `value` that knows where it is used. */
export function copyOf(value: Located, usedAt: Place): Located {
  const place = usedPlace(value.place, usedAt);
  if (value.kind === 'scalar') return { ...value, place };
  if (value.kind === 'list') return { kind: 'list', items: value.items.map((item) => copyOf(item, usedAt)), place };
  const entries = value.entries.map((entry) => ({
    key: entry.key,
    keyPlace: usedPlace(entry.keyPlace, usedAt),
    value: copyOf(entry.value, usedAt),
  }));
  return { kind: 'map', entries, place };
}

function usedPlace({ file, line, column }: Place, usedAt: Place): Place {
  return { file, line, column, usedAt };
}
