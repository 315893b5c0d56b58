import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectInvalid, NOT_TEXT } from '../test/expect-error.js';
import { anyText, anyUnits } from '../test/hostile.js';
import { isRunnerNameOf, runnerName } from './runner-name.js';

const a = (count: number): string => 'a'.repeat(count);

describe('runnerName', () => {
  test.each([
    ['rungar-vm', '00000000', 'rungar-vm-00000000'],
    ['vm.linux', '00000000', 'vm.linux-00000000'],
    ['rungar-c4-m8', '1ff1015a', 'rungar-c4-m8-1ff1015a'],
    ['ci.example', 'abcd1234', 'ci.example-abcd1234'],
    ['Rungar-VM', 'abcd1234', 'Rungar-VM-abcd1234'],
    ['7', 'abcd1234', '7-abcd1234'],
    ['a-', 'abcd1234', 'a--abcd1234'],
    [a(54), '00000000', `${a(54)}-00000000`],
    [a(55), '00000000', `${a(54)}-00000000`],
    [a(300), '00000000', `${a(54)}-00000000`],
    [`${a(53)}-bbb`, '00000000', `${a(53)}-00000000`],
    [`${a(53)}--${'b'.repeat(20)}`, 'abcd1234', `${a(53)}-abcd1234`],
    [`${'x'.repeat(52)}.-yyy`, '00000000', `${'x'.repeat(52)}-00000000`],
    [`${a(54)}é/ past the cut`, '00000000', `${a(54)}-00000000`],
  ])('of %s with %s', (scaleSet, suffix, name) => {
    expect(runnerName(scaleSet, suffix)).toBe(name);
  });

  test.each([
    ['a leading hyphen', '-leading-hyphen'],
    ['a slash', 'org/set'],
    ['a dot at the end', 'ci.'],
    ['two dots', 'a..b'],
    ['a hyphen beside a dot', 'a-.b'],
    ['an underscore', 'a_b'],
    ['a space', 'a b'],
    ['an accented letter', 'é'],
    ['a letter cut in half at the 54th byte', `${a(53)}é`],
    ['nothing', ''],
    ['nothing left after the cut', '-'.repeat(60)],
    ['half a surrogate pair', '\ud83d'],
  ])('refuses a scale set with %s, naming it', (_, scaleSet) => {
    expectInvalid(() => runnerName(scaleSet, '00000000'), JSON.stringify(scaleSet).slice(0, 50), 'letters, digits');
  });

  test('names the runner that would have been', () => {
    expectInvalid(() => runnerName('ci.', 'abcd1234'), '"ci."', '"ci.-abcd1234"');
  });

  test.each(['', '0000000', '000000000', 'ABCD1234', 'abcdefgh', '0000000\n', '٠٠٠٠٠٠٠٠'])(
    'refuses the suffix %j',
    (suffix) => {
      expectInvalid(() => runnerName('vm', suffix), 'suffix', '8 lower-case hex digits');
    },
  );

  test('refuses what is not text', () => {
    for (const value of NOT_TEXT) {
      expectInvalid(() => runnerName(value as string, '00000000'));
      expectInvalid(() => runnerName('vm', value as string));
    }
  });
});

describe('isRunnerNameOf', () => {
  test.each([
    ['rungar-vm', 'rungar-vm-0badf00d', true],
    ['rungar-vm', 'rungar-vm-0BADF00D', true],
    ['rungar', 'rungar-vm-0badf00d', false],
    ['rungar-vm', 'rungar-vm-0badf00', false],
    ['rungar-vm', 'rungar-vm-0badf00d0', false],
    ['rungar-vm', 'rungar-vm-0badf00g', false],
    ['rungar-vm', 'rungar-vm-0badf00d\n', false],
    ['rungar-vm', 'rungar-vm0badf00d', false],
    ['rungar-vm', 'Rungar-vm-0badf00d', false],
    ['rungar-vm', 'rungar-vm', false],
    [a(300), `${a(54)}-0badf00d`, true],
    [`${a(53)}-bbb`, `${a(53)}-0badf00d`, true],
    [`${a(53)}-bbb`, `${a(53)}--0badf00d`, false],
    ['-leading', '-leading-0badf00d', false],
    ['ci.', 'ci.-0badf00d', false],
    ['', '-0badf00d', false],
  ])('of %s: %s', (scaleSet, name, is) => {
    expect(isRunnerNameOf(scaleSet, name)).toBe(is);
  });

  test('says no to what is not text', () => {
    for (const value of NOT_TEXT) {
      expect(isRunnerNameOf(value as string, 'vm-00000000')).toBe(false);
      expect(isRunnerNameOf('vm', value as string)).toBe(false);
    }
  });
});

const suffixes = fc.integer({ min: 0, max: 0xffffffff }).map((number) => number.toString(16).padStart(8, '0'));
const letters = 'abcXYZ019-.'.split('');
const scaleSets = fc.oneof(
  anyUnits,
  fc.array(fc.constantFrom(...letters), { maxLength: 140 }).map((characters) => characters.join('')),
);

test('a name is refused, or is at most 63 characters of a subdomain that its scale set takes for its own', () => {
  fc.assert(
    fc.property(scaleSets, suffixes, (scaleSet, suffix) => {
      let name: string;
      try {
        name = runnerName(scaleSet, suffix);
      } catch {
        expect(isRunnerNameOf(scaleSet, `${scaleSet}-${suffix}`)).toBe(false);
        return;
      }
      expect(name.length).toBeLessThanOrEqual(63);
      for (const label of name.split('.')) expect(label).toMatch(/^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$/);
      expect(name.endsWith(`-${suffix}`)).toBe(true);
      expect(isRunnerNameOf(scaleSet, name)).toBe(true);
      expect(isRunnerNameOf(scaleSet, `${name}0`)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

test('no text at all makes the check throw', () => {
  fc.assert(
    fc.property(anyUnits, anyText, (scaleSet, name) => {
      expect(typeof isRunnerNameOf(scaleSet, name)).toBe('boolean');
    }),
  );
});
