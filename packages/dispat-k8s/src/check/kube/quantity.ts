const SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', 1e-9],
  ['u', 1e-6],
  ['m', 1e-3],
  ['', 1],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
  ['P', 1e15],
  ['E', 1e18],
  ['Ki', 2 ** 10],
  ['Mi', 2 ** 20],
  ['Gi', 2 ** 30],
  ['Ti', 2 ** 40],
  ['Pi', 2 ** 50],
  ['Ei', 2 ** 60],
]);

/** A Kubernetes quantity (`7`, `500m`, `24Gi`, `1e3`) as a number; nothing when it is none. */
export function readQuantity(text: string | undefined): number | undefined {
  const match = /^([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:([eE][-+]?[0-9]+)|([A-Za-z]{0,2}))$/.exec(text ?? '');
  if (match === null) return undefined;
  const [, digits = '', exponent, suffix = ''] = match;
  if (exponent !== undefined) {
    const value = Number(`${digits}${exponent}`);
    return Number.isFinite(value) ? value : undefined;
  }
  const factor = SUFFIXES.get(suffix);
  return factor === undefined ? undefined : Number(digits) * factor;
}
