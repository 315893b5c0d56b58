import { get as httpGet, type IncomingMessage, request } from 'node:http';
import { fakeClock } from '@rungar/model/testing';
import { expect, onTestFinished, test } from 'vitest';
import { event, type FakeSource, fakeSource, NINE, provider, scaleSet } from '../../test/fake-source.js';
import { servePage } from './serve-page.js';

const BUSY = { counts: { starting: 0, idle: 0, busy: 1 } };

async function open(
  source: FakeSource = fakeSource({ github: {}, scaleSets: [scaleSet('vm')], providers: [provider('rack')] }),
) {
  const clock = fakeClock();
  const page = await servePage({ listen: '127.0.0.1:0', source, clock });
  onTestFinished(() => page.close());
  const ask = (path: string, more: { method?: string; headers?: Record<string, string> } = {}) =>
    new Promise<{ status: number | undefined; headers: IncomingMessage['headers']; text: string }>(
      (resolve, reject) => {
        const asked = request(new URL(path, page.url), more, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => (text += part));
          response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
        });
        asked.on('error', reject).end();
      },
    );
  return { page, clock, source, ask };
}

/** What a stream has sent so far, message by message. */
async function look(url: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    httpGet(new URL('/api/stream', url), resolve).on('error', reject),
  );
  let text = '';
  let wake = (): void => {};
  let ended = false;
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    wake();
  });
  response.on('close', () => {
    ended = true;
    wake();
  });
  const messages = (): Record<string, unknown>[] =>
    text
      .split('\n\n')
      .slice(0, -1)
      .map((message) => JSON.parse(message.replace(/^data: /, '')) as Record<string, unknown>);
  return {
    response,
    messages,
    /** Waits for the message of that number. */
    async message(number: number): Promise<Record<string, unknown>> {
      for (;;) {
        const found = messages()[number];
        if (found) return found;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    async end(): Promise<void> {
      while (!ended) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

test('its files name nothing outside, and every answer says what a browser may not do', async () => {
  const { ask } = await open();
  const start = await ask('/?whatever');
  expect(start.status).toBe(200);
  const named = [...start.text.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(([, name = '']) => name);
  expect(named.sort()).toEqual(['icon.svg', 'page.css', 'page.js', 'sections.css']);
  const modules = [...(await ask('/page.js')).text.matchAll(/from '\.(\/[\w-]+\.js)'/g)].map(([, path = '']) => path);
  expect(modules.length).toBeGreaterThan(5);
  for (const path of ['/', ...named.map((name) => `/${name}`), ...modules]) {
    const { status, headers, text } = await ask(path);
    expect([path, status]).toEqual([path, 200]);
    expect(text.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|\/\/[a-z]+\.|innerHTML|eval\(/);
    expect(headers['content-type']).toMatch(/^(text\/(html|css|javascript); charset=utf-8|image\/svg\+xml)$/);
  }

  for (const path of ['/', '/page.js', '/api/view', '/nowhere']) {
    const { headers } = await ask(path);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
    );
    expect(policy.join()).not.toContain('unsafe');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test('it answers only who asks for it, and only to look', async () => {
  const { ask } = await open();
  expect(await ask('/api/view', { headers: { host: 'evil.example' } })).toMatchObject({ status: 421 });
  expect(await ask('/', { headers: { host: 'evil.example:9103' } })).toMatchObject({ status: 421 });
  expect(await ask('/', { headers: { host: 'localhost:8080' } })).toMatchObject({ status: 200 });
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
    expect(await ask('/api/view', { method })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  expect(await ask('/', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  expect(await ask('/api/stream', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  for (const site of ['cross-site', 'same-site'])
    expect(await ask('/api/view', { headers: { 'sec-fetch-site': site } })).toMatchObject({ status: 403 });
  expect(await ask('/api/view', { headers: { 'sec-fetch-site': 'same-origin' } })).toMatchObject({ status: 200 });
  // A link to it from anywhere is fine.
  expect(await ask('/', { headers: { 'sec-fetch-site': 'cross-site' } })).toMatchObject({ status: 200 });
  for (const path of ['/nowhere', '/../package.json', '/%2e%2e/package.json', '/page.js/', '/api', '/api/other'])
    expect(await ask(path)).toMatchObject({ status: 404 });
});

test('all that it shows is there at once too', async () => {
  const source = fakeSource({ github: {}, scaleSets: [scaleSet('vm', BUSY)], providers: [provider('rack')] }, [
    event('created', 'vm-1', NINE),
  ]);
  const { ask } = await open(source);
  const { headers, text } = await ask('/api/view');
  expect(headers['content-type']).toBe('application/json');
  expect(JSON.parse(text)).toMatchObject({
    fleet: { total: { busy: 1 } },
    jobs: { rows: [] },
    waits: { day: { jobs: 0 } },
    providers: [{ name: 'rack' }],
    events: [{ name: 'vm-1', action: 'created' }],
  });
  expect(source.followers).toBe(0);
});

test('a stream begins with everything and goes on with what changes', async () => {
  const { page, clock, source } = await open();
  source.happen(event('created', 'vm-1', NINE));
  const stream = await look(page.url);
  expect(stream.response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  expect(await stream.message(0)).toMatchObject({ all: true, now: NINE, events: [{ name: 'vm-1' }] });

  await clock.advance(1_000);
  await stream.message(1);
  source.current = { ...source.current, scaleSets: [scaleSet('vm', BUSY)] };
  source.happen(event('created', 'vm-2', NINE + 1_500), event('connected', 'vm-2', NINE + 1_501));
  await clock.advance(1_000);
  const changed = await stream.message(2);
  expect(Object.keys(changed).sort()).toEqual(['all', 'events', 'fleet', 'now']);
  expect(changed).toMatchObject({
    ...{ all: false, now: NINE + 2_000, fleet: { total: { busy: 1 } } },
    events: [{ action: 'created' }, { action: 'connected' }],
  });

  // Nothing changes, and nothing is said, but that it is still there.
  await clock.advance(14_000);
  expect(stream.messages()).toHaveLength(3);
  await clock.advance(1_000);
  expect(await stream.message(3)).toEqual({ all: false, now: NINE + 17_000 });
});

test('many look at one and the same, nobody is told twice, and nothing is done when nobody looks', async () => {
  const { page, clock, source } = await open();
  const first = await look(page.url);
  await first.message(0);
  source.happen(event('created', 'vm-1', NINE));
  await clock.advance(0);
  const second = await look(page.url);
  expect(await second.message(0)).toMatchObject({ all: true, events: [{ name: 'vm-1' }] });
  expect(await first.message(1)).toMatchObject({ all: false, events: [{ name: 'vm-1' }] });
  expect(source.followers).toBe(1);

  source.happen(event('created', 'vm-2', NINE));
  await clock.advance(1_000);
  for (const [stream, number] of [
    [first, 2],
    [second, 1],
  ] as const)
    expect(await stream.message(number)).toMatchObject({ events: [{ name: 'vm-2' }] });

  first.response.destroy();
  second.response.destroy();
  await expect.poll(() => source.followers).toBe(0);
  expect(clock.sleepers).toBe(0);
  const third = await look(page.url);
  expect(await third.message(0)).toMatchObject({ events: [{ name: 'vm-1' }, { name: 'vm-2' }] });
});

test('a follower that was lost begins anew, with what it missed, and everybody is told everything', async () => {
  const { page, clock, source } = await open();
  const stream = await look(page.url);
  await stream.message(0);
  source.loseFollowers();
  source.kept.push(event('lost', 'vm-1', NINE));
  await clock.advance(1_000);
  await clock.advance(1_000);
  const told = [await stream.message(1), await stream.message(2)];
  expect(told.find(({ all }) => all === true)).toMatchObject({ events: [{ name: 'vm-1', action: 'lost' }] });
  source.endEvents();
  await clock.advance(1_000);
  expect(source.followers).toBe(0);
});

test('at most a hundred look at once, and closing ends them all', async () => {
  const { page, source, ask } = await open();
  const streams = await Promise.all(Array.from({ length: 100 }, () => look(page.url)));
  await Promise.all(streams.map((stream) => stream.message(0)));
  expect(await ask('/api/stream')).toMatchObject({ status: 503 });
  await page.close();
  await Promise.all(streams.map((stream) => stream.end()));
  expect(source.followers).toBe(0);
});

test('an address that is taken, or is none, is refused with the key to set', async () => {
  const { page, source, clock } = await open();
  expect(page).toMatchObject({ isPrivate: true, url: `http://${page.address}/` });
  for (const listen of [page.address, 'nonsense'])
    await expect(servePage({ listen, source, clock })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/^the page cannot be served on /),
      hint: 'Set page.listen to a free address of this host.',
    });
});
