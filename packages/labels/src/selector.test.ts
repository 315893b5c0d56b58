import { describe, expect, test } from 'vitest';
import { expectInvalid } from '../test/expect-error.js';
import { runnerLabels } from './keys.js';
import { installationSelector, matchesSelector, scaleSetSelector } from './selector.js';

const labels = runnerLabels({ installation: 'home', scaleSet: 'linux', runner: 'linux-0badf00d', revision: '' });

describe('selectors', () => {
  test('a scale set is selected by the first three labels', () => {
    expect(scaleSetSelector('home', 'linux')).toStrictEqual({
      'rungar.sh/managed': 'true',
      'rungar.sh/installation': 'home',
      'rungar.sh/scale-set': 'linux',
    });
  });

  test('an installation is selected by the first two', () => {
    expect(installationSelector('home')).toStrictEqual({
      'rungar.sh/managed': 'true',
      'rungar.sh/installation': 'home',
    });
  });

  test('an installation that breaks the rule, or no scale set, is refused', () => {
    expectInvalid(() => scaleSetSelector('-', 'linux'), '"-"');
    expectInvalid(() => scaleSetSelector('home', ''), 'scale set name');
    expectInvalid(() => installationSelector(''), '""');
  });
});

describe('matchesSelector', () => {
  test.each([
    ['its own scale set', scaleSetSelector('home', 'linux'), true],
    ['its installation', installationSelector('home'), true],
    ['nothing asked for', {}, true],
    ['another scale set', scaleSetSelector('home', 'linux-arm'), false],
    ['another installation', scaleSetSelector('away', 'linux'), false],
    ['the name in another case', scaleSetSelector('home', 'Linux'), false],
    ['a label it does not have', { team: 'ci' }, false],
    ['an empty value that it has', { 'rungar.sh/revision': '' }, true],
    ['an empty value of a label it does not have', { team: '' }, false],
  ])('%s', (_, selector, matches) => {
    expect(matchesSelector(labels, selector)).toBe(matches);
  });

  test('managed must be exactly true', () => {
    expect(matchesSelector({ ...labels, 'rungar.sh/managed': 'True' }, installationSelector('home'))).toBe(false);
    expect(matchesSelector({ ...labels, 'rungar.sh/managed': 'true ' }, installationSelector('home'))).toBe(false);
  });

  test('labels beside those asked for do not matter', () => {
    expect(matchesSelector({ ...labels, team: 'ci' }, scaleSetSelector('home', 'linux'))).toBe(true);
  });

  test('what every object inherits is no label', () => {
    const inherited = Object.create({ team: 'ci' }) as Record<string, string>;
    expect(matchesSelector(inherited, { team: 'ci' })).toBe(false);
    expect(matchesSelector({}, JSON.parse('{"__proto__":"x"}') as Record<string, string>)).toBe(false);
  });

  test('a label named __proto__ is one like any other', () => {
    const odd = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    expect(matchesSelector(odd, odd)).toBe(true);
  });
});
