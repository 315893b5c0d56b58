import { describe, expect, test } from 'vitest';
import type { Problem } from '../located.js';
import { inQuotes, located, locatedMap, type Written } from '../testing/located.js';
import { readMapping } from './collections.js';
import type { Field } from './field.js';
import { field } from './kinds.js';

const describeIt = { describe: 'a thing' };

/** What a field makes of a value: the value, or the first problem's message. */
function outcome(of: Field<unknown>, written: Written): unknown {
  const problems: Problem[] = [];
  const value = of.read(located(written), 'it', { add: (problem) => problems.push(problem) });
  expect(value === undefined).toBe(problems.length > 0);
  return problems.length > 0 ? `it ${problems[0]?.message}` : value;
}

function hintOf(of: Field<unknown>, written: Written): string | undefined {
  const problems: Problem[] = [];
  of.read(located(written), 'it', { add: (problem) => problems.push(problem) });
  return problems[0]?.hint;
}

describe('text', () => {
  test.each<[Written, string]>([
    ['123', '123'],
    ['0x10', '0x10'],
    ['true', 'true'],
    [inQuotes(' a '), ' a '],
  ])('takes %j as it is written', (written, want) => expect(outcome(field.text(describeIt), written)).toBe(want));

  test.each<[Written, string]>([
    [['a'], 'it must be text, not a list'],
    [{ a: 'b' }, 'it must be text, not a mapping'],
  ])('refuses %j', (written, want) => expect(outcome(field.text(describeIt), written)).toBe(want));

  test('refuses another form, saying which is wanted', () => {
    const word = field.text({ ...describeIt, pattern: /^[a-z]+$/, want: 'must be lower case' });
    expect(outcome(word, 'Ab')).toBe('it must be lower case, not Ab');
    expect(outcome(word, inQuotes('5'))).toBe('it must be lower case, not "5"');
  });

  test('shows a last dot as part of the value', () => {
    const word = field.text({ ...describeIt, pattern: /^[a-z]+$/, want: 'must be lower case' });
    expect(outcome(word, 'a.')).toBe('it must be lower case, not "a."');
  });

  test('shows no secret', () => {
    expect(
      outcome(field.text({ ...describeIt, secret: true, pattern: /^a/, want: 'must begin with a' }), 'hunter2'),
    ).toBe('it must begin with a');
  });
});

describe('a whole number', () => {
  test.each<[string, number]>([
    ['0', 0],
    ['-0', 0],
    ['+5', 5],
    ['-12', -12],
    ['1_000', 1000],
    ['0x1F', 31],
    ['-0x10', -16],
    ['0o17', 15],
    ['0b101', 5],
    ['9007199254740991', 9_007_199_254_740_991],
  ])('reads %s', (written, want) => expect(outcome(field.integer(describeIt), written)).toBe(want));

  test.each<[Written, string]>([
    ['1.9', 'it must be a whole number, not 1.9'],
    ['1.0', 'it must be a whole number, not 1.0'],
    ['1e3', 'it must be a whole number, not 1e3'],
    ['five', 'it must be a whole number, not five'],
    ['_5', 'it must be a whole number, not _5'],
    ['0xg', 'it must be a whole number, not 0xg'],
    ['1:30', 'it must be a whole number, not 1:30'],
    [inQuotes('5'), 'it must be a whole number, not "5"'],
    ['007', 'it must be a number without a leading zero, not 007'],
    ['-9223372036854775808', 'it must be at least -9007199254740991, not -9223372036854775808'],
    ['9007199254740992', 'it must be at most 9007199254740991, not 9007199254740992'],
    ['5'.repeat(5_000), expect.stringContaining('must be a whole number') as unknown as string],
    [['5'], 'it must be a whole number, not a list'],
  ])('refuses %j', (written, want) => expect(outcome(field.integer(describeIt), written)).toEqual(want));

  test('names both readings of a leading zero', () => {
    expect(hintOf(field.integer(describeIt), '0777')).toBe(
      'it could be 777 or, read as octal, 511: write the one you mean',
    );
    expect(hintOf(field.integer(describeIt), '-08')).toBe('write -8');
  });

  test.each<[string, unknown]>([
    ['-9223372036854775808', 'it must be at least 2, not -9223372036854775808'],
    ['1', 'it must be at least 2, not 1'],
    ['2', 2],
    ['4', 4],
    ['5', 'it must be at most 4, not 5'],
    ['9223372036854775807', 'it must be at most 4, not 9223372036854775807'],
  ])('of 2 to 4: %s', (written, want) => {
    expect(outcome(field.integer({ ...describeIt, min: 2, max: 4 }), written)).toBe(want);
  });
});

describe('a number', () => {
  test.each<[string, number]>([
    ['1', 1],
    ['-1.5', -1.5],
    ['.5', 0.5],
    ['1.', 1],
    ['1e3', 1000],
    ['.inf', Number.POSITIVE_INFINITY],
    ['-.INF', Number.NEGATIVE_INFINITY],
    ['.NaN', Number.NaN],
  ])('reads %s', (written, want) => expect(outcome(field.number(describeIt), written)).toEqual(want));

  test.each<Written>(['one', inQuotes('1'), '1.2.3', '01', 'NaN', 'Infinity', '.'])('refuses %j', (written) => {
    expect(outcome(field.number(describeIt), written)).toEqual(expect.stringContaining('it must be a number'));
  });

  test('in quotes is told to lose them, and a word in quotes is not', () => {
    for (const written of ['1', '1.5', '.inf']) {
      expect(hintOf(field.number(describeIt), inQuotes(written))).toBe('take the quotes away');
    }
    expect(hintOf(field.number(describeIt), inQuotes('one'))).toBeUndefined();
  });

  test('that must be at least 0 is no NaN', () => {
    expect(outcome(field.number({ ...describeIt, min: 0 }), '.nan')).toBe('it must be at least 0, not .nan');
  });
});

describe('a boolean', () => {
  const words = (truth: boolean, ...all: string[]): [string, boolean][] => all.map((word) => [word, truth]);

  test.each([
    ...words(true, 'true', 'True', 'TRUE', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'y', 'Y'),
    ...words(false, 'false', 'False', 'FALSE', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'n', 'N'),
  ])('%s is %s', (written, want) => expect(outcome(field.boolean(describeIt), written)).toBe(want));

  test.each<Written>(['tRUE', '1', '0', 'enabled', inQuotes('true'), inQuotes('yes'), []])('%j is none', (written) => {
    expect(outcome(field.boolean(describeIt), written)).toEqual(expect.stringContaining('it must be true or false'));
  });
});

describe('a duration', () => {
  test.each<[Written, number]>([
    ['30s', 30_000],
    ['1.5h', 5_400_000],
    [inQuotes('1h30m'), 5_400_000],
    ['1500us', 1.5],
    ['0s', 0],
    [inQuotes('0'), 0],
  ])('reads %j', (written, want) => expect(outcome(field.duration(describeIt), written)).toBe(want));

  test.each<[Written, string]>([
    ['30', 'it must be a duration like 30s, 5m or 1h30m, not 30'],
    ['0', 'it must be a duration like 30s, 5m or 1h30m, not 0'],
    [inQuotes('30'), 'it must be a duration like 30s, 5m or 1h30m, not "30"'],
    ['1d', 'it must be a duration like 30s, 5m or 1h30m, not 1d'],
    ['-1s', 'it must not be negative, not -1s'],
  ])('refuses %j', (written, want) => expect(outcome(field.duration(describeIt), written)).toBe(want));

  test('without a unit is told to have one', () =>
    expect(hintOf(field.duration(describeIt), '30')).toBe('say the unit: 30s'));

  test.each<[string, unknown]>([
    ['4999ms', 'it must be at least 5s, not 4999ms'],
    ['5s', 5_000],
    ['0s', 0],
  ])('of at least 5s: %s', (written, want) => {
    expect(outcome(field.duration({ ...describeIt, minMs: 5_000 }), written)).toBe(want);
  });
});

describe('a size', () => {
  test.each<[Written, bigint]>([
    ['4GiB', 4_294_967_296n],
    [inQuotes('4 gb'), 4_294_967_296n],
    ['4294967296', 4_294_967_296n],
    ['0x10', 16n],
    ['1_000', 1_000n],
    ['1.9', 1n],
    ['1e3', 1_000n],
    ['9007199254740993', 9_007_199_254_740_993n],
  ])('reads %j', (written, want) => expect(outcome(field.size(describeIt), written)).toBe(want));

  test.each<Written>(['-1', '4XB', '4gibb', inQuotes('0x10'), '010', 'big', []])('refuses %j', (written) => {
    expect(outcome(field.size(describeIt), written)).toEqual(
      expect.stringMatching(/^it must be a (size|number)|^it must be a list/),
    );
  });
});

describe('a time of day', () => {
  test.each<[Written, number]>([
    ['22:00', 1320],
    [inQuotes('08:05'), 485],
    ['00:00', 0],
    ['24:00', 1440],
  ])('reads %j', (written, want) => expect(outcome(field.timeOfDay(describeIt), written)).toBe(want));

  test.each(['8', '8:00', '25:00', '24:01', '08:60', '+8:00', '08:00:00', '1320', '0800', ''])(
    'refuses %s',
    (written) => {
      expect(outcome(field.timeOfDay(describeIt), written)).toEqual(
        expect.stringContaining('it must be a time like "08:00"'),
      );
    },
  );
});

describe('a choice', () => {
  const level = field.choice(['debug', 'info', 'warn'], { ...describeIt, anyCase: true, aliases: { warning: 'warn' } });

  test('takes a word, in any case where it may', () => {
    expect(outcome(level, 'INFO')).toBe('info');
    expect(outcome(level, 'WARNING')).toBe('warn');
    expect(outcome(field.choice(['a', 'b'], describeIt), 'A')).toBe('it must be a or b, not A');
  });

  test('names the words, and the nearest', () => {
    expect(outcome(level, 'inof')).toBe('it must be debug, info or warn, not inof');
    expect(hintOf(level, 'inof')).toBe('did you mean info?');
    expect(outcome(level, 'constructor')).toEqual(expect.stringContaining('must be debug'));
  });
});

describe('a list', () => {
  const words = field.list(field.text(describeIt), { ...describeIt, unique: true });

  test('reads its items in order, and says which are wrong', () => {
    expect(outcome(words, ['a', 'b'])).toEqual(['a', 'b']);
    expect(outcome(words, ['a', { b: 'c' }])).toBe('it must be text, not a mapping');
    expect(outcome(words, ['a', 'b', 'a'])).toBe('it must not repeat item 1, not a');
    expect(outcome(words, ['a', null])).toEqual(expect.stringContaining('must not be empty'));
  });

  test('is no single value, unless one may stand for it', () => {
    expect(outcome(words, 'a')).toBe('it must be a list, not a');
    const oneOrMore = field.list(field.text(describeIt), { ...describeIt, alsoOne: true });
    expect(outcome(oneOrMore, 'a')).toEqual(['a']);
    expect(outcome(oneOrMore, '')).toEqual([]);
    expect(outcome(oneOrMore, { a: 'b' })).toBe('it must be a list');
  });

  test('leaves out empty items where they do not count', () => {
    const dropping = field.list(field.text(describeIt), { ...describeIt, dropEmpty: true });
    expect(outcome(dropping, ['a', null, inQuotes(''), 'b'])).toEqual(['a', 'b']);
  });
});

test('a map of text keeps a key whose value is null, with an empty text', () => {
  const env = field.textMap(describeIt);
  expect(outcome(env, { A: '1', B: null, C: 'true' })).toEqual(
    new Map([
      ['A', '1'],
      ['B', ''],
      ['C', 'true'],
    ]),
  );
  expect(outcome(env, { A: ['1'] })).toEqual(expect.stringContaining('must be text'));
  expect(outcome(env, ['A=1'])).toBe('it must be a mapping of names to text');
});

describe('a mapping', () => {
  const fields = {
    name: field.text({ describe: 'the name of it', required: true }),
    weight: field.number({ describe: 'how much', default: 1, zeroIsUnset: true }),
    timeout: field.duration({ describe: 'how long', default: 30_000 }),
    size: field.size({ describe: 'how big' }),
    inner: field.mapping(
      { depth: field.integer({ describe: 'how deep', required: true }) },
      { describe: 'what is in it' },
    ),
  };

  function read(written: { readonly [key: string]: Written }) {
    const problems: Problem[] = [];
    return { ...readMapping(locatedMap(written), fields, '', { add: (problem) => problems.push(problem) }), problems };
  }

  test('gives defaults for what is absent, null or as good as absent', () => {
    for (const written of [
      { name: 'a' },
      { name: 'a', weight: null, timeout: null },
      { name: 'a', weight: '0', timeout: '0s' },
    ]) {
      expect(read(written).all).toEqual({ name: 'a', weight: 1, timeout: 30_000 });
    }
  });

  test('has values of the declared types', () => {
    const { all } = read({ name: 'a', inner: { depth: '3' } });
    const name: string | undefined = all?.name;
    const timeout: number | undefined = all?.timeout;
    const depth: number | undefined = all?.inner?.all?.depth;
    expect([name, timeout, depth]).toEqual(['a', 30_000, 3]);
  });

  test('names a key that is not known, and the nearest one', () => {
    const { problems, all } = read({ name: 'a', wieght: '2', inner: { depth: '1', other: 'x' } });
    expect(all).toBeUndefined();
    expect(problems.map(({ path, message, hint }) => [path, message, hint])).toEqual([
      ['wieght', 'is not a known key', 'did you mean weight?'],
      ['inner.other', 'is not a known key', 'the keys here are depth'],
    ]);
  });

  test('names what is missing, and goes on', () => {
    const { problems, values, wrong } = read({ name: inQuotes(''), weight: 'heavy', inner: {}, size: '1k' });
    expect(problems.map(({ path, message, hint }) => [path, message, hint])).toEqual([
      ['weight', 'must be a number, not heavy', undefined],
      ['inner.depth', 'is missing', 'it is how deep'],
      ['name', 'is missing', 'it is the name of it'],
    ]);
    expect(values).toMatchObject({ size: 1024n, timeout: 30_000 });
    expect(values.weight).toBeUndefined();
    expect([...wrong].sort()).toEqual(['name', 'weight']);
  });

  test('does not take what every object has for a key', () => {
    expect(read({ name: 'a', constructor: 'x', toString: 'y' }).problems).toHaveLength(2);
  });
});
