import { describe, expect, test } from 'vitest';
import { expectInvalid, NOT_TEXT } from '../test/expect-error.js';
import { LABEL, type RunnerIdentity, runnerLabels } from './keys.js';

const runner: RunnerIdentity = {
  installation: 'gh-4e3651f01be5',
  scaleSet: 'rungar-c4-m8',
  runner: 'rungar-c4-m8-1ff1015a',
  revision: 'dae34f7f0a68',
};

describe('runnerLabels', () => {
  test('gives the five labels', () => {
    expect(runnerLabels(runner)).toStrictEqual({
      'rungar.sh/managed': 'true',
      'rungar.sh/installation': 'gh-4e3651f01be5',
      'rungar.sh/scale-set': 'rungar-c4-m8',
      'rungar.sh/runner': 'rungar-c4-m8-1ff1015a',
      'rungar.sh/revision': 'dae34f7f0a68',
    });
  });

  test('keeps a revision that is not known as an empty one', () => {
    expect(runnerLabels({ ...runner, revision: '' })[LABEL.revision]).toBe('');
  });

  test('keeps a scale set name as configured, whatever its characters', () => {
    expect(runnerLabels({ ...runner, scaleSet: 'Größe <8> 😀' })[LABEL.scaleSet]).toBe('Größe <8> 😀');
  });

  test.each(['a-', '.a', '-', '', 'a b', 'é', 'a'.repeat(64)])(
    'refuses the installation %j and states the rule',
    (installation) => {
      expectInvalid(
        () => runnerLabels({ ...runner, installation }),
        JSON.stringify(installation).slice(0, 40),
        '1 to 63 letters, digits',
      );
    },
  );

  test('refuses an empty scale set or runner name', () => {
    expectInvalid(() => runnerLabels({ ...runner, scaleSet: '' }), 'scale set name');
    expectInvalid(() => runnerLabels({ ...runner, runner: '' }), 'runner name');
  });

  test('refuses text with half a surrogate pair, which no backend would give back', () => {
    expectInvalid(() => runnerLabels({ ...runner, scaleSet: 'a\ud83d' }), 'scale set name');
    expectInvalid(() => runnerLabels({ ...runner, revision: '\ude00' }), 'revision');
  });

  test('refuses what is not text, member by member', () => {
    for (const member of ['installation', 'scaleSet', 'runner', 'revision']) {
      for (const value of NOT_TEXT) expectInvalid(() => runnerLabels({ ...runner, [member]: value }));
    }
  });
});

test('the keys cannot be changed by whoever imports them', () => {
  expect(Object.isFrozen(LABEL)).toBe(true);
});
