import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyUnits } from '../test/hostile.js';
import { compareUtf8, lowerCase, sortUtf8, trimWhiteSpace } from './text.js';

test('the order of two texts is the order of their UTF-8 bytes', () => {
  fc.assert(
    fc.property(anyUnits, anyUnits, anyUnits, (start, a, b) => {
      const left = start + a;
      const right = start + b;
      const bytes = Buffer.compare(Buffer.from(left), Buffer.from(right));
      // Two broken texts may have the same bytes; any fixed order of those will do.
      if (bytes !== 0) expect(Math.sign(compareUtf8(left, right))).toBe(bytes);
    }),
    { numRuns: 2_000 },
  );
});

test('sorting puts every neighbour in byte order and loses nothing', () => {
  fc.assert(
    fc.property(fc.array(anyUnits, { maxLength: 12 }), (texts) => {
      const sorted = sortUtf8([...texts]);
      expect([...sorted].sort()).toEqual([...texts].sort());
      for (const [at, text] of sorted.slice(1).entries()) {
        expect(Buffer.compare(Buffer.from(sorted[at] ?? ''), Buffer.from(text))).toBeLessThanOrEqual(0);
      }
    }),
  );
});

test('lower-casing a text is lower-casing each of its code points', () => {
  fc.assert(
    fc.property(anyUnits, (text) => {
      expect(lowerCase(text)).toBe([...text].map(lowerCase).join(''));
      expect(lowerCase(lowerCase(text))).toBe(lowerCase(text));
    }),
  );
});

test('trimming leaves a part of the text, which trimming does not change', () => {
  fc.assert(
    fc.property(anyUnits, (text) => {
      const trimmed = trimWhiteSpace(text);
      expect(text).toContain(trimmed);
      expect(trimWhiteSpace(trimmed)).toBe(trimmed);
      expect(trimmed).toBe(text.replace(/^\p{White_Space}+/u, '').replace(/\p{White_Space}+$/u, ''));
    }),
  );
});
