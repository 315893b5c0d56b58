import { verify } from 'node:crypto';
import { createRedactor, Secret } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { APP, APP_PUBLIC_KEY, call, clientOf } from './clients.js';
import { quickClock } from './quick-clock.js';
import {
  ACTIONS_PREFIX,
  adminToken,
  inOneHour,
  type ScriptedGitHub,
  type Seen,
  startScriptedGitHub,
} from './scripted-github.js';

const AGENTS = /_apis\/distributedtask\/pools\/0\/agents/;
const TOKENS = /\/access_tokens$/;
const CONNECT = /\/runner-registration$/;

let github: ScriptedGitHub;
beforeEach(async () => {
  github = await startScriptedGitHub();
  github.on('GET', AGENTS, { body: { count: 0, value: [] } });
  github.on('GET', /\/actions\/runners$/, { body: { total_count: 0, runners: [] } });
});
afterEach(() => github.close());

const claimsOf = (seen: Seen | undefined): { iat: number; exp: number; iss: string } => {
  const jwt = seen?.headers.authorization?.replace(/^Bearer /, '') ?? '';
  const [head = '', payload = '', signature = ''] = jwt.split('.');
  const genuine = verify(
    'RSA-SHA256',
    Buffer.from(`${head}.${payload}`),
    APP_PUBLIC_KEY,
    Buffer.from(signature, 'base64url'),
  );
  if (!genuine) throw new Error('the signature is wrong');
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
};

describe('the way in', () => {
  test('with a personal access token: registration token, admin connection, call', async () => {
    const client = clientOf(github.url);
    await client.findRunner('linux-1', call);
    expect(github.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /api/v3/orgs/acme/actions/runners/registration-token',
      'POST /api/v3/actions/runner-registration',
      `GET ${ACTIONS_PREFIX}/_apis/distributedtask/pools/0/agents?tenant=7&agentName=linux-1&api-version=6.0-preview`,
    ]);
    const [registration, connect, agents] = github.requests;
    expect(registration?.headers.authorization).toBe('Bearer ghp_personalaccesstoken');
    expect(connect?.headers.authorization).toBe('RemoteAuth REGISTRATION');
    expect(JSON.parse(connect?.body ?? '')).toEqual({ url: github.url, runner_event: 'register' });
    expect(agents?.headers.authorization).toMatch(/^Bearer eyJ[\w-]+\.[\w-]+\.$/);
    expect(agents?.headers['content-type']).toBe('application/json');
    await client.close();
  });

  test('names the client to GitHub in every request', async () => {
    const client = clientOf(github.url);
    await client.findRunner('linux-1', call);
    await client.close();
    for (const { headers } of github.requests) {
      expect(headers['user-agent']).toBe(
        '{"system":"rungar","version":"1.2.3","commit_sha":"abc1234","scale_set_id":0,"subsystem":"test","build_version":"1.2.3","build_commit_sha":"abc1234","kind":"scaleset"}',
      );
    }
  });

  test('with an App: a JWT issued a minute ago and good for eight more, then an installation token', async () => {
    const client = clientOf(github.url, { credentials: APP });
    const before = Math.floor(Date.now() / 1000);
    await client.findRunner('linux-1', call);
    const after = Math.floor(Date.now() / 1000);
    await client.close();
    const [mint, registration] = github.requests;
    expect(mint?.url).toBe('/api/v3/app/installations/4711/access_tokens');
    const { iat, exp, iss } = claimsOf(mint);
    expect(iss).toBe('Iv23liExample');
    expect(exp - iat).toBe(540);
    expect(iat).toBeGreaterThanOrEqual(before - 60);
    expect(iat).toBeLessThanOrEqual(after - 60);
    expect(registration?.headers.authorization).toBe('Bearer ghs_installation');
  });

  test('is found once for many callers at a time', async () => {
    const client = clientOf(github.url, { credentials: APP });
    await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => client.findRunner(`linux-${n}`, call)),
      client.runnerStatuses(call),
    ]);
    await client.close();
    expect(github.count('POST', TOKENS)).toBe(1);
    expect(github.count('POST', CONNECT)).toBe(1);
  });

  test('goes on for the others when one caller gives up', async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    github.on('POST', CONNECT, async () => {
      await gate;
      return { body: { url: github.origin, token: adminToken(inOneHour()) } };
    });
    const client = clientOf(github.url);
    const impatient = new AbortController();
    const first = client.findRunner('a', { signal: impatient.signal });
    const second = client.findRunner('b', call);
    impatient.abort(new Error('gave up'));
    await expect(first).rejects.toThrow('gave up');
    release();
    await expect(second).resolves.toBeUndefined();
    expect(github.count('POST', CONNECT)).toBe(1);
    await client.close();
  });
});

describe('renewal', () => {
  test('an installation token is kept until five minutes before it expires', async () => {
    const clock = fakeClock(Date.now());
    const client = clientOf(github.url, { credentials: APP, clock });
    await client.runnerStatuses(call);
    await clock.advance(54 * 60_000);
    await client.runnerStatuses(call);
    expect(github.count('POST', TOKENS)).toBe(1);
    await clock.advance(2 * 60_000);
    await client.runnerStatuses(call);
    expect(github.count('POST', TOKENS)).toBe(2);
    await client.close();
  });

  test('the admin connection is renewed a minute before it expires, and its address with it', async () => {
    const clock = fakeClock(Date.now());
    const client = clientOf(github.url, { clock });
    await client.findRunner('a', call);
    await clock.advance(58 * 60_000);
    await client.findRunner('a', call);
    expect(github.count('POST', CONNECT)).toBe(1);
    github.on('POST', CONNECT, { body: { url: `${github.origin}/moved`, token: adminToken(inOneHour() + 3600) } });
    await clock.advance(2 * 60_000 - 30_000);
    await client.findRunner('a', call);
    expect(github.count('POST', CONNECT)).toBe(2);
    expect(github.requests.at(-1)?.path).toBe('/moved/_apis/distributedtask/pools/0/agents');
    await client.close();
  });

  test('that fails leaves the old connection in use while it lasts, and fails when it is over', async () => {
    const clock = fakeClock(Date.now());
    const client = clientOf(github.url, { clock });
    await client.findRunner('a', call);
    github.on('POST', /\/registration-token$/, { status: 403, body: { message: 'Forbidden' } });
    await clock.advance(59.5 * 60_000);
    await expect(client.findRunner('a', call)).resolves.toBeUndefined();
    expect(github.count('POST', /\/registration-token$/)).toBe(2);
    await expect(client.findRunner('a', call)).resolves.toBeUndefined();
    expect(github.count('POST', /\/registration-token$/)).toBe(2);
    await clock.advance(60_000);
    await expect(client.findRunner('a', call)).rejects.toMatchObject({ code: 'invalid_argument' });
    await client.close();
  });

  test('that hangs holds nobody for longer than 16 s while the old connection lasts', async () => {
    const clock = fakeClock(Date.now());
    const client = clientOf(github.url, { clock });
    await client.findRunner('a', call);
    let release = (): void => {};
    github.on(
      'POST',
      /\/registration-token$/,
      () =>
        new Promise((resolve) => {
          release = () => resolve('reset');
        }),
    );
    await clock.advance(59.2 * 60_000);
    const found = client.findRunner('a', call);
    await vi.waitFor(() => expect(github.count('POST', /\/registration-token$/)).toBe(2), { interval: 5 });
    await clock.advance(16_000);
    await expect(found).resolves.toBeUndefined();
    // It is known to be slow now: nobody else waits for it.
    await expect(client.findRunner('b', call)).resolves.toBeUndefined();
    expect(github.count('POST', /\/registration-token$/)).toBe(2);
    release();
    await client.close();
  });

  test('that fails for trouble is tried once every 5, 10, 20 and then 30 s, by whoever asks, until it works', async () => {
    const TOKEN = /\/registration-token$/;
    const clock = quickClock();
    const pass = async (ms: number): Promise<void> => {
      for (let left = ms; left > 0; left -= 5_000) await clock.sleep(5_000);
    };
    const client = clientOf(github.url, { clock });
    await client.findRunner('a', call);
    await pass(61 * 60_000);
    let down = true;
    github.on('POST', TOKEN, () =>
      down ? { status: 503, body: { message: 'Unicorn!' } } : { status: 201, body: { token: 'another' } },
    );
    github.on('POST', CONNECT, {
      body: { url: `${github.origin}${ACTIONS_PREFIX}`, token: adminToken(inOneHour() + 7200) },
    });
    const before = github.count('POST', TOKEN);
    const failed = { code: 'unavailable', message: expect.stringContaining('Unicorn!') };
    for (const [count, wait] of [5_000, 10_000, 20_000, 30_000, 30_000].entries()) {
      await expect(client.findRunner('a', call)).rejects.toMatchObject(failed);
      await expect(client.findRunner('a', call)).rejects.toMatchObject(failed);
      expect(github.count('POST', TOKEN) - before).toBe(5 + count);
      await pass(wait);
    }
    down = false;
    await expect(client.findRunner('a', call)).resolves.toBeUndefined();
    await client.close();
  });

  test('happens once when the Actions service refuses a token before its time', async () => {
    github.on('GET', AGENTS, (_, count) => (count === 1 ? { status: 401 } : { body: { count: 0, value: [] } }));
    const client = clientOf(github.url);
    await expect(client.findRunner('a', call)).resolves.toBeUndefined();
    expect(github.count('POST', CONNECT)).toBe(2);
    await client.close();
  });

  test('happens once only: a second refusal is the answer', async () => {
    github.on('GET', AGENTS, { status: 401 });
    const client = clientOf(github.url);
    const error = await client.findRunner('a', call).catch((caught: unknown) => caught);
    expect(client.refusalOf(error)).toBe('unauthorized');
    expect(github.count('GET', AGENTS)).toBe(2);
    await client.close();
  });

  test('an installation token revoked early is replaced once', async () => {
    github.on('GET', /\/actions\/runners$/, (_, count) =>
      count === 1 ? { status: 401, body: { message: 'Bad credentials' } } : { body: { total_count: 0, runners: [] } },
    );
    const client = clientOf(github.url, { credentials: APP });
    await expect(client.runnerStatuses(call)).resolves.toMatchObject({ pages: 1 });
    expect(github.count('POST', TOKENS)).toBe(2);
    await client.close();
  });

  test('a registration token that is not known everywhere yet is tried again', async () => {
    github.on('POST', CONNECT, (_, count) =>
      count < 4
        ? { status: count === 2 ? 403 : 401, body: { message: 'not yet' } }
        : { status: 201, body: { url: github.origin, token: adminToken(inOneHour()) } },
    );
    const clock = quickClock();
    const client = clientOf(github.url, { clock });
    await expect(client.findRunner('a', call)).resolves.toBeUndefined();
    expect(clock.waits.map((wait) => Math.floor(wait / 1000))).toEqual([1, 2, 4]);
    await client.close();
  });
});

describe("the host's clock", () => {
  /** Believes a JWT as GitHub does: issued in the past, ending at most ten minutes ahead. */
  const strict = (seen: Seen): { status: number; body: unknown } => {
    const { iat, exp } = claimsOf(seen);
    const now = Date.now() / 1000;
    return iat <= now && exp > now && exp <= now + 600
      ? { status: 201, body: { token: 'ghs_installation', expires_at: new Date(Date.now() + 3_600_000).toISOString() } }
      : { status: 401, body: { message: 'A JSON web token could not be decoded' } };
  };

  test.each([45_000, -45_000])('may be wrong by %i ms', async (skew) => {
    github.on('POST', TOKENS, strict);
    const client = clientOf(github.url, { credentials: APP, clock: fakeClock(Date.now() + skew) });
    await client.runnerStatuses(call);
    expect(github.count('POST', TOKENS)).toBe(1);
    await client.close();
  });

  test.each([600_000, -3_600_000])(
    'is corrected from the date of the refusal when it is wrong by %i ms',
    async (skew) => {
      github.on('POST', TOKENS, strict);
      const client = clientOf(github.url, { credentials: APP, clock: fakeClock(Date.now() + skew) });
      await client.runnerStatuses(call);
      expect(github.count('POST', TOKENS)).toBe(2);
      await client.findRunner('a', call);
      expect(github.count('POST', TOKENS)).toBe(2);
      await client.close();
    },
  );

  test('is named when the corrected JWT is refused too', async () => {
    github.on('POST', TOKENS, { status: 401, body: { message: 'A JSON web token could not be decoded' } });
    const client = clientOf(github.url, { credentials: APP, clock: fakeClock(Date.now() + 200_000) });
    const error = await client.runnerStatuses(call).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/this host's clock is 3 min \d+ s ahead of GitHub's$/),
    });
    expect(client.refusalOf(error)).toBe('unauthorized');
    await client.close();
  });
});

describe('credentials that cannot work', () => {
  test.each([
    [
      'an App for an enterprise',
      { url: 'https://github.com/enterprises/acme', credentials: APP },
      /cannot manage the runners of an enterprise/,
    ],
    [
      'a key that is no PEM',
      { credentials: { ...APP, privateKey: new Secret('nonsense-not-a-key') } },
      /cannot be read/,
    ],
    ['an installation of 0', { credentials: { ...APP, installationId: 0 } }, /not the id of an App's installation/],
    ['an empty token', { credentials: { kind: 'token', token: new Secret('') } as const }, /token is empty/],
    [
      'a token with a line break',
      { credentials: { kind: 'token', token: new Secret('ghp_abc\ndef') } as const },
      /token is empty or has characters/,
    ],
  ])('%s is refused before anything is sent', (_, more, message) => {
    const attempt = (): unknown => clientOf(github.url, more);
    expect(attempt).toThrow(message);
    expect(attempt).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    expect(attempt).not.toThrow(/nonsense|ghp_abc/);
    expect(github.requests).toHaveLength(0);
  });

  test('an App that is not installed there counts as unauthorized', async () => {
    github.on('POST', TOKENS, { status: 404, body: { message: 'Not Found' } });
    const client = clientOf(github.url, { credentials: APP });
    const error = await client.findRunner('a', call).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'not_found', hint: expect.stringContaining("installation's id of the App") });
    expect(client.refusalOf(error)).toBe('unauthorized');
    await client.close();
  });

  test('a missing permission is a refusal with its hint', async () => {
    github.on('POST', /\/registration-token$/, {
      status: 403,
      body: { message: 'Resource not accessible by integration' },
      headers: { 'x-github-request-id': 'AB:12' },
    });
    const client = clientOf(github.url);
    const error = await client.findRunner('a', call).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'invalid_argument',
      message:
        'GitHub answered 403 to POST /orgs/acme/actions/runners/registration-token: Resource not accessible by integration (X-GitHub-Request-Id AB:12)',
      hint: 'Give the token the scope admin:org.',
    });
    expect(client.refusalOf(error)).toBe('refused');
    await client.close();
  });
});

describe('secrets', () => {
  test('are known to the redactor as long as they live, and stay out of errors that echo them', async () => {
    const redactor = createRedactor();
    const client = clientOf(github.url, { credentials: APP, redactor });
    github.on('GET', AGENTS, (seen) => ({
      status: 400,
      body: { message: `bad header ${seen.headers.authorization}` },
    }));
    const error = await client.findRunner('a', call).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ message: expect.stringContaining('bad header Bearer REDACTED') });
    expect(redactor.redact('a ghs_installation b REGISTRATION')).toBe('a REDACTED b REDACTED');
    await client.close();
    expect(redactor.redact('a ghs_installation b')).toBe('a ghs_installation b');
  });
});
