import { expect, test } from 'vitest';
import { parseDays } from './weekdays.js';

test.each<[string, number[]]>([
  ['mon', [0]],
  ['Sun', [6]],
  [' TUE ', [1]],
  ['mon-fri', [0, 1, 2, 3, 4]],
  ['mon - fri', [0, 1, 2, 3, 4]],
  ['fri-mon', [4, 5, 6, 0]],
  ['sun-sat', [6, 0, 1, 2, 3, 4, 5]],
  ['wed-wed', [2]],
  ['tue-mon', [1, 2, 3, 4, 5, 6, 0]],
])('%s', (text, want) => expect(parseDays(text)).toEqual(want));

test.each(['', '-', 'monday', 'mon-fry', 'mon,tue', 'mon tue', 'mon-', '-mon', 'mon-tue-wed', 'mo', '1'])(
  'refuses %j',
  (text) => expect(parseDays(text)).toBeUndefined(),
);
