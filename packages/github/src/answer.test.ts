import { expect, test } from 'vitest';
import { isTransient, toldWaitMs } from './answer.js';

const NOW = Date.UTC(2030, 0, 1);
const SECONDARY = { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' };

test.each([
  ['Retry-After in seconds', 429, { 'retry-after': '7' }, '', 7_000],
  ['Retry-After as a date', 503, { 'retry-after': 'Tue, 01 Jan 2030 00:00:09 GMT' }, '', 9_000],
  ['a spent budget', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 + 30) }, '', 30_000],
  ['a secondary limit with a time', 403, { 'retry-after': '5' }, SECONDARY, 5_000],
  ['a secondary limit without a time', 403, {}, SECONDARY, 60_000],
  ['a secondary limit as 429', 429, {}, SECONDARY, 60_000],
  ['more than an hour', 429, { 'retry-after': '864000' }, '', 3_600_000],
  ['longer than time', 503, { 'retry-after': '9'.repeat(400) }, '', 3_600_000],
  ['a date far away', 503, { 'retry-after': 'Fri, 31 Dec 9999 00:00:00 GMT' }, '', 3_600_000],
  ['a refusal', 403, { 'x-ratelimit-remaining': '12' }, { message: 'Resource not accessible' }, undefined],
])('%s says how long to wait', (_, status, headers, body, wait) => {
  expect(toldWaitMs({ status, headers, body }, NOW)).toBe(wait);
  expect(isTransient({ status, headers, body })).toBe(wait !== undefined);
});
