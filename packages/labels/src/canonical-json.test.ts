import { describe, expect, test } from 'vitest';
import { expectInvalid } from '../test/expect-error.js';
import { canonicalJson } from './canonical-json.js';

describe('records, maps and lists', () => {
  test('a record keeps its order and leaves out what is undefined', () => {
    expect(canonicalJson({ Zone: 1, Absent: undefined, Image: 'a', Nested: { b: null, a: [] } })).toBe(
      '{"Zone":1,"Image":"a","Nested":{"b":null,"a":[]}}',
    );
  });

  test('a map is sorted by the bytes of its keys in UTF-8, integer-like keys too', () => {
    const keys = ['\uffee', '😀', '\ue000', 'a', 'B', '10', '9', '__proto__', 'é'];
    expect(canonicalJson(new Map(keys.map((key, at) => [key, at])))).toBe(
      '{"10":5,"9":6,"B":4,"__proto__":7,"a":3,"é":8,"\ue000":2,"\uffee":0,"😀":1}',
    );
  });

  test('keys are sorted as they are, then escaped', () => {
    expect(
      canonicalJson(
        new Map([
          ['b', '2'],
          ['a&b', '<x>'],
          ['B', '1'],
        ]),
      ),
    ).toBe('{"B":"1","a\\u0026b":"\\u003cx\\u003e","b":"2"}');
  });

  test('unset, empty list and empty map are three texts', () => {
    expect(canonicalJson({ A: null, B: [], C: new Map() })).toBe('{"A":null,"B":[],"C":{}}');
  });

  test('a record without a prototype, and a member named __proto__, are like any other', () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    expect(canonicalJson(bare)).toBe('{"a":1}');
    expect(canonicalJson(JSON.parse('{"__proto__":"x"}'))).toBe('{"__proto__":"x"}');
  });

  test('toJSON is not called', () => {
    expectInvalid(() => canonicalJson({ a: 1, toJSON: () => 'something else' }), 'toJSON');
  });
});

describe('text', () => {
  test.each([
    ['"\\', '"\\"\\\\"'],
    ['\b\f\n\r\t', '"\\b\\f\\n\\r\\t"'],
    ['\0\u001f', '"\\u0000\\u001f"'],
    ['<&>', '"\\u003c\\u0026\\u003e"'],
    ['\u2028\u2029', '"\\u2028\\u2029"'],
    ['/\u007f\u0080é😀', '"/\u007f\u0080é😀"'],
    ['\ufffd', '"\ufffd"'],
    ['a\ud83db', '"a\\ufffdb"'],
    ['\ude00\ud83d', '"\\ufffd\\ufffd"'],
    ['<\ud83d"', '"\\u003c\\ufffd\\""'],
    ['\\ud83d', '"\\\\ud83d"'],
    ['\\u003c', '"\\\\u003c"'],
    ['', '""'],
  ])('%j is written %s', (text, json) => {
    expect(canonicalJson(text)).toBe(json);
  });
});

describe('numbers', () => {
  test.each([
    [0, '0'],
    [-0, '0'],
    [4294967296, '4294967296'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [Number.MIN_SAFE_INTEGER, '-9007199254740991'],
    [9007199254740993n, '9007199254740993'],
    [-9223372036854775808n, '-9223372036854775808'],
    [0.1, '0.1'],
    [1e-6, '0.000001'],
    [1e-7, '1e-7'],
    [5e-324, '5e-324'],
    [1e21, '1e+21'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [true, 'true'],
    [false, 'false'],
    [null, 'null'],
  ])('%s is written %s', (value, json) => {
    expect(canonicalJson(value)).toBe(json);
  });

  test.each([2 ** 53, -(2 ** 53), 2 ** 60, 999999999999999900000])(
    '%s, which a number may hold inexactly, is refused',
    (value) => {
      expectInvalid(() => canonicalJson({ DiskSize: value }), '"DiskSize"', String(value));
    },
  );
});

describe('what has no JSON form is refused, naming where it stands', () => {
  class Machine {
    name = 'a';
  }
  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['undefined in a list', [undefined]],
    ['a hole in a list', Array(1)],
    ['undefined in a map', new Map([['a', undefined]])],
    ['a function', { a: () => 1 }],
    ['a symbol', { a: Symbol('a') }],
    ['NaN', { a: Number.NaN }],
    ['infinity', { a: -Infinity }],
    ['a date', { a: new Date(0) }],
    ['a set', { a: new Set() }],
    ['bytes', { a: Buffer.from('a') }],
    ['an instance of a class', { a: new Machine() }],
    ['a map with a number for a key', { a: new Map([[1, 1]]) }],
  ])('%s', (_, value) => {
    expectInvalid(() => canonicalJson(value));
  });

  test('the member is named', () => {
    expectInvalid(() => canonicalJson({ Outer: { UserData: () => 1 } }), '"UserData"', 'function');
  });

  test('a value that holds itself', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    expectInvalid(() => canonicalJson(circle), 'holds itself');
  });
});
