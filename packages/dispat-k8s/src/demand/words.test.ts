import { describe, expect, test } from 'vitest';
import { areEqual, areHex } from './words.js';

const viewOf = (text: string): DataView => {
  const bytes = new TextEncoder().encode(text);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
};

describe('four bytes of hex digits', () => {
  test('are told from any others, in every place', () => {
    for (let place = 0; place < 4; place++) {
      for (let byte = 0; byte < 256; byte++) {
        const bytes = Uint8Array.of(0x30, 0x39, 0x61, 0x66).with(place, byte);
        const digit = (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66);
        expect(areHex(new DataView(bytes.buffer), 0, 4), `${byte} in place ${place}`).toBe(digit);
      }
    }
  });

  test('are all looked at', () => {
    expect(areHex(viewOf('x0123456789abcdefx'), 1, 17)).toBe(true);
    expect(areHex(viewOf('x0123456789abcdeg'), 1, 17)).toBe(false);
    expect(areHex(viewOf('xg123456789abcdef'), 1, 17)).toBe(false);
  });
});

test.each([
  ['abcdefgabcdefg', 7, true],
  ['abcdefgXbcdefg', 7, false],
  ['abcdefgabcdefX', 7, false],
  ['abcdefgabXdefg', 7, false],
  ['abab', 2, true],
  ['abaX', 2, false],
])('%s repeats its first half of %i: %s', (text, length, equal) => {
  expect(areEqual(viewOf(text), 0, length, length)).toBe(equal);
});
