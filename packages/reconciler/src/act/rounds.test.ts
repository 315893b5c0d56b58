import { expect, test } from 'vitest';
import { createReconciler } from '../index.js';
import { fakeClock, memoryGitHub, memoryProvider, seededRandom } from '../testing/index.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

test('a scale set whose pass fails unexpectedly keeps no other from its own', async () => {
  const clock = fakeClock();
  const github = memoryGitHub({ clock });
  const rack = memoryProvider({ clock, github });
  // One more runner of each from the third minute on: a pass by the clock finds that, and nothing else.
  const begun = new Date(clock.wallNow());
  const from = begun.getUTCHours() * 60 + begun.getUTCMinutes() + 3;
  const days = new Set([0, 1, 2, 3, 4, 5, 6] as const);
  const schedule = { timeZone: 'UTC', windows: [{ days, from, to: from + 60, minRunners: 2 }] };
  const common = { minRunners: 1, maxRunners: 2, providers: [{ name: 'rack' }], schedule };
  const random = seededRandom(1);
  let fails = false;
  const reconciler = createReconciler({
    installation: 'gh-47a00949ae7d',
    github,
    clock,
    providers: [{ name: 'rack', provider: rack }],
    scaleSets: [
      { name: 'first', ...common },
      { name: 'second', ...common },
    ],
    random: {
      ...random,
      bytes: (count) => {
        if (!fails) return random.bytes(count);
        fails = false;
        throw new Error('no entropy');
      },
    },
  });
  const created: (string | undefined)[] = [];
  reconciler.on('created', ({ scaleSet }) => void created.push(scaleSet));
  reconciler.start();
  await clock.advance(2 * MINUTE);
  expect(created.splice(0).sort()).toEqual(['first', 'second']);
  fails = true;
  for (let waited = 0; fails && waited < 120; waited++) await clock.advance(SECOND);
  await clock.advance(5 * SECOND);
  expect([fails, ...created]).toEqual([false, 'second']);
  const stopped = reconciler.stop();
  await clock.advance(MINUTE);
  await stopped;
});
