import { expect, test } from 'vitest';
import { eventWords } from './event-words.js';

test.each([
  [{ action: 'EVENT_ACTION_CONNECTED', message: 'Connected 2s after its machine was created' }, undefined],
  [{ action: 'EVENT_ACTION_JOB_STARTED', message: 'Took job build 1' }, undefined],
  [
    { action: 'EVENT_ACTION_CREATED', provider: 'cloud', message: 'Created on cloud (m5.large) in 180ms' },
    'machine created on cloud',
  ],
  [
    { action: 'EVENT_ACTION_ADOPTED', provider: 'cloud', message: 'Adopted from cloud, left by an earlier daemon' },
    'adopted from cloud',
  ],
  [
    { action: 'EVENT_ACTION_FULL', name: 'cloud', scale_set: 'linux', message: 'Full: no room; linux moves on' },
    'full: linux moves on',
  ],
  [{ action: 'EVENT_ACTION_PAUSED', message: 'Paused: takes no more jobs' }, 'paused'],
  [{ action: 'EVENT_ACTION_REMOVED', message: 'Removed from cloud after its job' }, 'removed from cloud after its job'],
  [{ action: 'EVENT_ACTION_MIN_RUNNERS_CHANGED' }, 'min runners changed'],
])('%j is told as %j', (event, words) => {
  expect(eventWords(event)).toBe(words);
});
