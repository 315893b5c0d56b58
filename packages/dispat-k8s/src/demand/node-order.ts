/** Orders names as a person does: runs of digits by their value, so that `w-2` comes before `w-10`. */
export function byName(a: string, b: string): number {
  const left = a.match(PARTS) ?? [];
  const right = b.match(PARTS) ?? [];
  for (let at = 0; at < left.length && at < right.length; at++) {
    const [one = '', other = ''] = [left[at], right[at]];
    const order = isNumber(one) && isNumber(other) ? byValue(one, other) : byText(one, other);
    if (order !== 0) return order;
  }
  return left.length - right.length || byText(a, b);
}

const PARTS = /[0-9]+|[^0-9]+/g;

function isNumber(text: string): boolean {
  return /^[0-9]/.test(text);
}

function byValue(a: string, b: string): number {
  const [one, other] = [a.replace(/^0+(?=.)/, ''), b.replace(/^0+(?=.)/, '')];
  return one.length - other.length || byText(one, other);
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The index a pool's node has: `w-12` is 12 in the pool of `w-`; nothing for a name that is none of its. */
export function indexIn(prefix: string, node: string): number | undefined {
  if (!node.startsWith(prefix)) return undefined;
  const digits = node.slice(prefix.length);
  return /^(0|[1-9][0-9]{0,5})$/.test(digits) ? Number(digits) : undefined;
}
