// Rules for text where JavaScript's own `trim`, `toLowerCase` and `sort` would give other bytes than the Go daemon.

const BEYOND_ASCII = /[^\0-\x7f]/;
const FROM_SURROGATES_ON = /[\ud800-\uffff]/;

/** Whether a UTF-16 unit is a character of Unicode's White_Space property. All of them lie below U+10000. */
function isWhiteSpace(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  if (unit < 0x2000) return unit === 0x85 || unit === 0xa0 || unit === 0x1680;
  return unit <= 0x200a || unit === 0x2028 || unit === 0x2029 || unit === 0x202f || unit === 0x205f || unit === 0x3000;
}

/** `text` without the White_Space at its ends. Unlike `trim` it takes U+0085 for white space, and not U+FEFF. */
export function trimWhiteSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isWhiteSpace(text.charCodeAt(start))) start++;
  while (start < end && isWhiteSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/**
 * `text` in lower case, one code point for one code point: U+0130 becomes a plain `i`, where `toLowerCase` makes two
 * of it, and a sigma is the same at the end of a word as within.
 */
export function lowerCase(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase();
  return text.replaceAll('\u0130', 'i').replaceAll('\u03a3', '\u03c3').toLowerCase();
}

/**
 * Orders two texts by their UTF-8 bytes. Comparing UTF-16 units gives the same order except between a surrogate and
 * a unit at or above it.
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left === right) continue;
    if (left >= 0xd800 && right >= 0xd800) return Buffer.compare(Buffer.from(a), Buffer.from(b));
    return left - right;
  }
  return a.length - b.length;
}

/**
 * Sorts `texts` in place by their UTF-8 bytes. Labels mostly come sorted, so that is looked at first: below the
 * surrogates the order of JavaScript's own comparison is that of the bytes.
 */
export function sortUtf8(texts: string[]): string[] {
  for (let at = 1; at < texts.length; at++) {
    const text = texts[at] ?? '';
    if ((texts[at - 1] ?? '') > text || FROM_SURROGATES_ON.test(text)) return texts.sort(compareUtf8);
  }
  return texts;
}
