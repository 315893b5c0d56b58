import { expect, test } from 'vitest';
import { eventWords } from './event-words.js';

test.each([
  [{ action: 'EVENT_ACTION_CONNECTED', message: 'Connected 2s after its machine was created' }, undefined],
  [{ action: 'EVENT_ACTION_JOB_STARTED', message: 'Took job build 1' }, undefined],
  [{ action: 'EVENT_ACTION_CREATED', message: 'Created on cloud (m5.large) in 180ms' }, 'machine created'],
  [{ action: 'EVENT_ACTION_ADOPTED', message: 'Adopted from cloud, left by an earlier daemon' }, 'adopted'],
  [{ action: 'EVENT_ACTION_PAUSED', message: 'Paused: takes no more jobs' }, 'paused'],
  [{ action: 'EVENT_ACTION_REMOVED', message: 'Removed from cloud after its job' }, 'removed from cloud after its job'],
  [{ action: 'EVENT_ACTION_MIN_RUNNERS_CHANGED' }, 'min runners changed'],
])('%j is told as %j', (event, words) => {
  expect(eventWords(event)).toBe(words);
});
