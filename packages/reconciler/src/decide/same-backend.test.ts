import { expect, test } from 'vitest';
import { sameBackends } from './same-backend.js';

test('the first of those that say the same stays, whoever says it first', () => {
  const providers = [
    { name: 'unknown' },
    { name: 'a', identity: 'aws:1/eu' },
    { name: 'b', identity: 'aws:2/eu' },
    { name: 'c', identity: 'aws:1/eu' },
    { name: 'd', identity: 'aws:1/eu' },
    { name: 'e' },
  ];
  expect([...sameBackends(providers)]).toEqual([
    ['c', 'a'],
    ['d', 'a'],
  ]);
});
