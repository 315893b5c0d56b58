import { Secret } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { APP, call, clientOf } from './clients.js';
import { type ScriptedGitHub, startScriptedGitHub } from './scripted-github.js';

const HOUR_MS = 3_600_000;

let github: ScriptedGitHub;
beforeEach(async () => {
  github = await startScriptedGitHub();
});
afterEach(() => github.close());

const listing = (headers: Record<string, string>) =>
  github.on('GET', /\/actions\/runners$/, { headers, body: { total_count: 0, runners: [] } });

test('nothing is known of a client that has asked nothing', async () => {
  const client = clientOf(github.url);
  expect(client.standing()).toEqual({});
  await client.close();
});

test('the latest answers tell what is left of the rate limit, of both tokens and of the credential itself', async () => {
  const now = Date.UTC(2027, 1, 3, 9, 0, 0);
  const clock = fakeClock(now);
  const date = new Date(now).toUTCString();
  listing({
    date,
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': '4321',
    'x-ratelimit-reset': String(now / 1000 + 600),
    'github-authentication-token-expiration': '2027-02-05 11:00:00 +0200',
  });
  const client = clientOf(github.url, { clock });
  await client.runnerStatuses(call);
  expect(client.standing()).toEqual({
    rateLimit: { limit: 5000, remaining: 4321, resetsInMs: 600_000 },
    credentialExpiresInMs: 48 * HOUR_MS,
  });
  await client.close();
});

test("an App's token expires within the hour", async () => {
  const clock = fakeClock(Date.now());
  listing({});
  const client = clientOf(github.url, { clock, credentials: APP });
  await client.runnerStatuses(call);
  const { tokenExpiresInMs = 0 } = client.standing();
  expect(tokenExpiresInMs / HOUR_MS).toBeCloseTo(1, 2);
  await client.close();
});

test('other credentials of the same kind are used from the next request on, those of another kind refused', async () => {
  listing({});
  const clock = fakeClock();
  const client = clientOf(github.url, { clock });
  await client.runnerStatuses(call);
  client.useCredentials({ kind: 'token', token: new Secret('ghp_thenextone') });
  await client.runnerStatuses({ ...call, begunAfter: clock.now() });
  expect(github.requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer ghp_personalaccesstoken',
    'Bearer ghp_thenextone',
  ]);
  expect(() => client.useCredentials(APP)).toThrow('another');
  expect(() => client.useCredentials({ kind: 'token', token: new Secret('') })).toThrow('empty');
  await client.close();
});
