/** A JSON object whose members are read by name, whatever their case: GitHub's own servers are not of one mind. */
export type Shape = Readonly<Record<string, unknown>>;

export function asShape(value: unknown): Shape | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Shape) : undefined;
}

/** The member of that name: in the very spelling if there is one, else in any other case. */
export function member(shape: Shape, name: string): unknown {
  const exact = shape[name];
  if (exact !== undefined) return exact;
  const wanted = name.toLowerCase();
  for (const key in shape) {
    if (key.length === wanted.length && key.toLowerCase() === wanted) return shape[key];
  }
  return undefined;
}

/** A string member; empty where there is none. */
export function textOf(shape: Shape, name: string): string {
  const value = member(shape, name);
  return typeof value === 'string' ? value : '';
}

/** An integer member; 0 where there is none, or none that a number can hold exactly. */
export function integerOf(shape: Shape, name: string): number {
  const value = member(shape, name);
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0;
}

export function listOf(shape: Shape, name: string): readonly unknown[] {
  const value = member(shape, name);
  return Array.isArray(value) ? value : [];
}

export function textsOf(shape: Shape, name: string): readonly string[] {
  return listOf(shape, name).filter((item) => typeof item === 'string');
}

/** How a Go server writes "no time". */
const ZERO_TIME_PREFIX = '0001-01-01T';

/** An RFC 3339 member in epoch milliseconds; nothing where it is absent, unreadable, or the zero time. */
export function instantOf(shape: Shape, name: string): number | undefined {
  const text = textOf(shape, name);
  if (text === '' || text.startsWith(ZERO_TIME_PREFIX)) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}
