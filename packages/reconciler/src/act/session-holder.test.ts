import { expect, test } from 'vitest';
import { holderIn } from './session-holder.js';

test.each([
  [
    'sessions: birch already has an active session. Current owner: rungar-host-b-birch (ActivityId 1)',
    'rungar-host-b-birch',
  ],
  ['birch already has an active session. Current owner: pod.of.others.', 'pod.of.others'],
  ['birch already has an active session.', undefined],
  ['Current owner: \u001b[31mred', undefined],
])('the holder of a session is read from GitHub’s refusal: %s', (message, holder) => {
  expect(holderIn(message)).toBe(holder);
});
