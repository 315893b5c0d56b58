import { expect, test } from 'vitest';
import { onward } from './redirects.js';

const request = (from: string) => ({ method: 'GET', url: new URL(from), headers: { authorization: 'Bearer secret' } });
const sentOn = (from: string, location: string) =>
  onward(request(from), { status: 302, headers: { location }, body: '' }, 0);

test.each([
  ['https://ghes.example/a', '/b', true],
  ['https://ghes.example/a', 'https://ghes.example:443/b', true],
  ['http://ghes.example/a', 'https://ghes.example/a', true],
  ['https://ghes.example/a', 'http://ghes.example/a', false],
  ['https://ghes.example/a', 'https://ghes.example:8443/a', false],
  ['https://ghes.example/a', 'https://other.example/a', false],
  ['https://ghes.example/a', '//sub.ghes.example/a', false],
])('a redirect from %s to %s takes credentials along: %s', (from, to, taken) => {
  expect(sentOn(from, to)).toEqual({
    method: 'GET',
    url: new URL(to, from),
    headers: taken ? { authorization: 'Bearer secret' } : {},
  });
});

test.each([200, 300, 304, 404])('an answer of status %i is no redirect', (status) => {
  const answer = { status, headers: { location: '/b' }, body: '' };
  expect(onward(request('https://ghes.example/a'), answer, 0)).toBeUndefined();
});
