import { fakeClock } from '@rungar/model/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { call, clientOf } from './clients.js';
import { quickClock } from './quick-clock.js';
import { type ScriptedGitHub, type Seen, startScriptedGitHub } from './scripted-github.js';

const RUNNERS = /\/orgs\/acme\/actions\/runners$/;

let github: ScriptedGitHub;
beforeEach(async () => {
  github = await startScriptedGitHub();
});
afterEach(() => github.close());

/** Pages of two runners each, linked as GitHub does. */
const pages =
  (last: number, relations: readonly ('next' | 'last')[]) =>
  ({ query }: Seen): { body: unknown; headers: Record<string, string> } => {
    const page = Number(query.get('page') ?? 1);
    const target = { next: page + 1, last };
    const links =
      page < last
        ? relations.map((rel) => `<${github.origin}/elsewhere?per_page=100&page=${target[rel]}>; rel="${rel}"`)
        : [];
    const runners = [
      { id: page * 10, name: `r-${page}-a`, status: 'online', busy: true },
      { id: page * 10 + 1, name: `r-${page}-b`, status: page % 2 ? 'online' : 'offline', busy: false },
    ];
    return { body: { total_count: last * 2, runners }, headers: links.length > 0 ? { link: links.join(', ') } : {} };
  };

test('one page: who is busy, idle and offline, and when the question was asked', async () => {
  github.on('GET', RUNNERS, pages(1, ['next', 'last']));
  const clock = fakeClock(1_800_000_000_000);
  const client = clientOf(github.url, { clock });
  const statuses = await client.runnerStatuses(call);
  expect(statuses).toMatchObject({ begunAt: 1_800_000_000_000, pages: 1 });
  expect(Object.fromEntries(statuses.runners)).toEqual({
    'r-1-a': { id: 10, status: 'busy' },
    'r-1-b': { id: 11, status: 'idle' },
  });
  expect(github.requests.at(-1)?.headers).toMatchObject({
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    authorization: 'Bearer ghp_personalaccesstoken',
  });
  await client.close();
});

test.each([
  ['by number', ['next', 'last'] as const],
  ['by link', ['next'] as const],
])('all pages are read, %s', async (_, relations) => {
  github.on('GET', RUNNERS, pages(13, relations));
  const client = clientOf(github.url);
  const statuses = await client.runnerStatuses(call);
  expect([statuses.pages, statuses.runners.size]).toEqual([13, 26]);
  expect(statuses.runners.get('r-12-b')).toEqual({ id: 121, status: 'offline' });
  expect(github.count('GET', RUNNERS)).toBe(13);
  await client.close();
});

test('at most eight pages are asked for at one time, after the first', async () => {
  let open = 0;
  let most = 0;
  const answer = pages(30, ['next', 'last']);
  github.on('GET', RUNNERS, async (seen) => {
    most = Math.max(most, ++open);
    await new Promise<void>((resolve) => setImmediate(resolve));
    open--;
    return answer(seen);
  });
  const client = clientOf(github.url);
  await client.runnerStatuses(call);
  expect(most).toBeLessThanOrEqual(8);
  expect(most).toBeGreaterThan(1);
  await client.close();
});

test('a page that fails fails the listing: half a listing would be a lie', async () => {
  const answer = pages(5, ['next', 'last']);
  github.on('GET', RUNNERS, (seen) => (seen.query.get('page') === '4' ? { status: 502 } : answer(seen)));
  const client = clientOf(github.url);
  await expect(client.runnerStatuses(call)).rejects.toMatchObject({ code: 'unavailable' });
  await client.close();
});

test('nothing more is asked after a page that failed, whatever the link says', async () => {
  const page = pages(1_000_000_000, ['next', 'last']);
  github.on('GET', RUNNERS, (seen) => (seen.query.has('page') ? { status: 500 } : page(seen)));
  const client = clientOf(github.url);
  await expect(client.runnerStatuses(call)).rejects.toMatchObject({ code: 'unavailable' });
  await client.close();
  expect(github.count('GET', RUNNERS)).toBeLessThanOrEqual(9);
});

test('is shared by all callers at one time, and for 15 s', async () => {
  github.on('GET', RUNNERS, pages(1, []));
  const clock = fakeClock();
  const client = clientOf(github.url, { clock });
  const [first, second] = await Promise.all([client.runnerStatuses(call), client.runnerStatuses(call)]);
  expect(second).toBe(first);
  await clock.advance(14_999);
  expect(await client.runnerStatuses(call)).toBe(first);
  await clock.advance(1);
  expect(await client.runnerStatuses(call)).not.toBe(first);
  expect(github.count('GET', RUNNERS)).toBe(2);
  await client.close();
});

test('is asked for again by whoever needs a later one, without waiting for the earlier', async () => {
  const hold: (() => void)[] = [];
  github.on('GET', RUNNERS, async (seen, count) => {
    if (count === 1) await new Promise<void>((resolve) => hold.push(resolve));
    return pages(1, [])(seen);
  });
  const clock = fakeClock(1_800_000_000_000);
  const client = clientOf(github.url, { clock });
  const early = client.runnerStatuses(call);
  await clock.advance(1_000);
  const later = await client.runnerStatuses({ ...call, begunAfter: 1_800_000_000_500 });
  expect(later.begunAt).toBe(1_800_000_001_000);
  while (hold.length === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  for (const release of hold) release();
  expect((await early).begunAt).toBe(1_800_000_000_000);
  expect(await client.runnerStatuses({ ...call, begunAfter: 1_800_000_000_500 })).toBe(later);
  await client.close();
});

test('goes on for the others when one caller gives up', async () => {
  const hold: (() => void)[] = [];
  github.on('GET', RUNNERS, async (seen) => {
    await new Promise<void>((resolve) => hold.push(resolve));
    return pages(1, [])(seen);
  });
  const client = clientOf(github.url);
  const stop = new AbortController();
  const impatient = client.runnerStatuses({ signal: stop.signal });
  const patient = client.runnerStatuses(call);
  stop.abort(new Error('enough'));
  await expect(impatient).rejects.toThrow('enough');
  while (hold.length === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  for (const release of hold) release();
  await expect(patient).resolves.toMatchObject({ pages: 1 });
  expect(github.count('GET', RUNNERS)).toBe(1);
  await client.close();
});

test('a failure is not asked for again for 5 s, by nobody', async () => {
  github.on('GET', RUNNERS, { status: 503, body: { message: 'Unicorn!' } });
  const clock = fakeClock();
  const client = clientOf(github.url, { clock });
  const failed = { code: 'unavailable', message: expect.stringContaining('Unicorn!') };
  await expect(client.runnerStatuses(call)).rejects.toMatchObject(failed);
  await clock.advance(4_999);
  await expect(client.runnerStatuses({ ...call, begunAfter: clock.now() })).rejects.toMatchObject(failed);
  expect(github.count('GET', RUNNERS)).toBe(1);
  await clock.advance(1);
  await expect(client.runnerStatuses(call)).rejects.toMatchObject(failed);
  expect(github.count('GET', RUNNERS)).toBe(2);
  await client.close();
});

test('whoever waits for a runner to connect gets a newer one', async () => {
  github.on('GET', RUNNERS, pages(1, []));
  const clock = fakeClock();
  const client = clientOf(github.url, { clock });
  const first = await client.runnerStatuses(call);
  await clock.advance(4_499);
  expect(await client.runnerStatuses({ ...call, only: ['r-1-a'] })).toBe(first);
  await clock.advance(1);
  expect(await client.runnerStatuses({ ...call, only: ['r-1-a'] })).not.toBe(first);
  await client.close();
});

test('failures in a row are asked for again after 5, 10, 20 and then 30 s', async () => {
  github.on('GET', RUNNERS, { status: 503 });
  const clock = fakeClock();
  const client = clientOf(github.url, { clock });
  for (const [count, wait] of [5_000, 10_000, 20_000, 30_000, 30_000].entries()) {
    await client.runnerStatuses(call).catch(() => {});
    expect(github.count('GET', RUNNERS)).toBe(count + 1);
    await clock.advance(wait - 1);
    await client.runnerStatuses(call).catch(() => {});
    expect(github.count('GET', RUNNERS)).toBe(count + 1);
    await clock.advance(1);
  }
  await client.close();
});

test('pages that did not change are asked for by their tag, and their runners are kept', async () => {
  const answer = pages(3, ['next', 'last']);
  github.on('GET', RUNNERS, (seen) => {
    const etag = `W/"page-${seen.query.get('page') ?? 1}"`;
    if (seen.headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
    const { body, headers } = answer(seen);
    return { body, headers: { ...headers, etag } };
  });
  const clock = fakeClock();
  const client = clientOf(github.url, { clock });
  const first = await client.runnerStatuses(call);
  await clock.advance(15_000);
  const second = await client.runnerStatuses(call);
  expect(second).toEqual({ ...first, begunAt: clock.now() });
  expect(github.requests.slice(-3).map(({ headers }) => headers['if-none-match'])).toHaveLength(3);
  expect(github.requests.slice(-3).every(({ headers }) => headers['if-none-match'] !== undefined)).toBe(true);
  await client.close();
});

/** Pages as above, and runners by their names. */
const pagesAndNames = (last: number, headers: () => Record<string, string> = () => ({})) => {
  const answer = pages(last, ['next', 'last']);
  return (seen: Seen) => {
    const name = seen.query.get('name');
    if (name === null) {
      const page = answer(seen);
      return { ...page, headers: { ...page.headers, ...headers() } };
    }
    const runners = name.startsWith('r-') ? [{ id: 7, name, status: 'online', busy: false }] : [];
    return { body: { total_count: runners.length, runners }, headers: headers() };
  };
};

test('fewer runners than pages are asked for by their names', async () => {
  github.on('GET', RUNNERS, pagesAndNames(5));
  const clock = fakeClock();
  const client = clientOf(github.url, { clock });
  await client.runnerStatuses(call);
  await clock.advance(5_000);
  const few = await client.runnerStatuses({ ...call, only: ['r-1-a', 'gone'] });
  expect(few).toEqual({ begunAt: clock.now(), pages: 1, runners: new Map([['r-1-a', { id: 7, status: 'idle' }]]) });
  expect(github.count('GET', RUNNERS)).toBe(7);
  await clock.advance(5_000);
  const many = await client.runnerStatuses({ ...call, only: ['a', 'b', 'c', 'd', 'e'] });
  expect(many.pages).toBe(5);
  expect(github.count('GET', RUNNERS)).toBe(12);
  await client.close();
});

test('the names of all who ask at one instant are put together, and are a listing when they are many', async () => {
  github.on('GET', RUNNERS, pagesAndNames(3));
  const clock = fakeClock();
  const client = clientOf(github.url, { clock });
  const ask = (...sets: string[][]) => Promise.all(sets.map((only) => client.runnerStatuses({ ...call, only })));
  await client.runnerStatuses(call);
  await clock.advance(5_000);
  const [first, second] = await ask(['r-1-a'], ['r-2-a', 'r-1-a']);
  expect(second).toBe(first);
  expect([...(first?.runners.keys() ?? [])].sort()).toEqual(['r-1-a', 'r-2-a']);
  expect(github.count('GET', RUNNERS)).toBe(3 + 2);
  await clock.advance(5_000);
  const [listed] = await ask(['r-1-a'], ['r-1-b'], ['r-2-a']);
  expect(listed?.pages).toBe(3);
  expect(github.count('GET', RUNNERS)).toBe(3 + 2 + 3);
  await client.close();
});

test('a failure to ask for names is a failure of the listing too, and the other way round', async () => {
  github.on('GET', RUNNERS, (seen, count) => (count <= 2 ? pagesAndNames(2)(seen) : { status: 503 }));
  const clock = fakeClock();
  const client = clientOf(github.url, { clock });
  await client.runnerStatuses(call);
  await clock.advance(15_000);
  const named = { ...call, only: ['r-1-a'] };
  await expect(client.runnerStatuses(named)).rejects.toMatchObject({ code: 'unavailable' });
  await clock.advance(4_999);
  await expect(client.runnerStatuses(named)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(client.runnerStatuses(call)).rejects.toMatchObject({ code: 'unavailable' });
  expect(github.count('GET', RUNNERS)).toBe(3);
  await clock.advance(1);
  await expect(client.runnerStatuses(call)).rejects.toMatchObject({ code: 'unavailable' });
  expect(github.count('GET', RUNNERS)).toBe(4);
  await clock.advance(9_999);
  await expect(client.runnerStatuses(named)).rejects.toMatchObject({ code: 'unavailable' });
  expect(github.count('GET', RUNNERS)).toBe(4);
  await clock.advance(1);
  const both = await Promise.allSettled([client.runnerStatuses(named), client.runnerStatuses(call)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(github.count('GET', RUNNERS)).toBe(5);
  await client.close();
});

test('a shrinking budget makes listings rare, and the last hundred requests are left', async () => {
  const clock = fakeClock(1_800_000_000_000);
  let remaining = 400;
  const reset = String(1_800_000_000 + 3_000);
  github.on('GET', RUNNERS, (seen) => ({
    ...pages(2, ['next', 'last'])(seen),
    headers: {
      ...pages(2, ['next', 'last'])(seen).headers,
      date: new Date(clock.now()).toUTCString(),
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': String(--remaining),
      'x-ratelimit-reset': reset,
    },
  }));
  const client = clientOf(github.url, { clock });
  const first = await client.runnerStatuses(call);
  // 298 have to last until 600 s after the window, at half the pace: 47.7 s after two, (3,600 - 47.7) × 2 ÷ 149 = 47.7.
  await clock.advance(47_000);
  expect(await client.runnerStatuses(call)).toBe(first);
  await clock.advance(1_000);
  expect(await client.runnerStatuses(call)).not.toBe(first);
  remaining = 101;
  await clock.advance(60_000);
  await client.runnerStatuses(call).catch(() => {});
  await clock.advance(60_000);
  const asked = github.count('GET', RUNNERS);
  // Whoever takes an old one gets the last there is; whoever needs a newer one hears why there is none.
  expect((await client.runnerStatuses(call)).begunAt).toBe(clock.now() - 60_000);
  await expect(client.runnerStatuses({ ...call, begunAfter: clock.now() - 1 })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('kept for renewing tokens'),
  });
  expect(github.count('GET', RUNNERS)).toBe(asked);
  await client.close();
});

test('a spent budget stops listings until it is reset, and nothing else', async () => {
  const clock = quickClock();
  const reset = Math.ceil(clock.now() / 1000) + 2_400;
  github.on('GET', RUNNERS, {
    status: 403,
    body: { message: 'API rate limit exceeded' },
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) },
  });
  github.on('GET', /agents$/, { body: { count: 0, value: [] } });
  const client = clientOf(github.url, { clock });
  await client.findRunner('a', call);
  await expect(client.runnerStatuses(call)).rejects.toMatchObject({ code: 'unavailable' });
  await clock.sleep(6_000);
  await expect(client.runnerStatuses(call)).rejects.toMatchObject({
    message: expect.stringContaining('asked for a pause'),
  });
  expect(github.count('GET', RUNNERS)).toBe(1);
  await expect(client.findRunner('a', call)).resolves.toBeUndefined();
  await client.close();
});
