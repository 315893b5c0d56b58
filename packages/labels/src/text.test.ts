import { describe, expect, test } from 'vitest';
import { compareUtf8, lowerCase, sortUtf8, trimWhiteSpace } from './text.js';

describe('trimWhiteSpace', () => {
  test('takes away every character of the White_Space property, and no other', () => {
    const removed: string[] = [];
    for (let unit = 0; unit <= 0xffff; unit++) {
      const character = String.fromCharCode(unit);
      if (trimWhiteSpace(`${character}x${character}`) === 'x') removed.push(unit.toString(16));
    }
    expect(removed.join(' ')).toBe(
      '9 a b c d 20 85 a0 1680 2000 2001 2002 2003 2004 2005 2006 2007 2008 2009 200a 2028 2029 202f 205f 3000',
    );
  });

  test('keeps white space within', () => {
    expect(trimWhiteSpace(' \t a \u0085 b\n')).toBe('a \u0085 b');
  });

  test('leaves nothing of white space alone', () => {
    expect(trimWhiteSpace(' \u0085\u3000')).toBe('');
  });
});

describe('lowerCase', () => {
  test.each([
    ['ABCxyz019', 'abcxyz019'],
    ['ÀÉ', 'àé'],
    ['\u0130', 'i'],
    ['I\u0130I', 'iii'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['\u212a', 'k'],
    ['\u1e9e', 'ß'],
    ['\u01c5', '\u01c6'],
    ['\u{10400}', '\u{10428}'],
    ['ß', 'ß'],
    ['ς', 'ς'],
    ['\ud801', '\ud801'],
  ])('makes %j %j', (text, lower) => {
    expect(lowerCase(text)).toBe(lower);
  });

  test('makes one code point of every code point', () => {
    const grown: string[] = [];
    for (let point = 0; point <= 0x10ffff; point++) {
      const lower = lowerCase(String.fromCodePoint(point));
      if ([...lower].length !== 1) grown.push(point.toString(16));
    }
    expect(grown).toEqual([]);
  });
});

describe('sortUtf8', () => {
  test('orders characters beyond U+FFFF after those from U+E000, where UTF-16 has them before', () => {
    expect(sortUtf8(['😀', '\uffee', '\ue000', 'z', 'é', 'B', 'a', '10', '9', ''])).toEqual([
      '',
      '10',
      '9',
      'B',
      'a',
      'z',
      'é',
      '\ue000',
      '\uffee',
      '😀',
    ]);
  });
});

describe('compareUtf8', () => {
  test.each([
    ['a', 'a', 0],
    ['a', 'b', -1],
    ['ab', 'a', 1],
    ['A', 'a', -1],
    ['\ud7ff', '😀', -1],
    ['\uffff', '😀', -1],
    ['x\uffff', 'x\u{10ffff}', -1],
    ['😀', '😁', -1],
  ])('compares %j with %j', (a, b, sign) => {
    expect(Math.sign(compareUtf8(a, b))).toBe(sign);
    expect(Math.sign(compareUtf8(b, a))).toBe(sign === 0 ? 0 : -sign);
  });
});
