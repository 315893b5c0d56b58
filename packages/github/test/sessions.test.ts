import {
  type JobMessageHandler,
  type MessageSession,
  RungarError,
  type ScaleSetRecord,
  type ScaleSetService,
} from '@rungar/model';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { call, clientOf } from './clients.js';
import { type QuickClock, quickClock } from './quick-clock.js';
import { type Script, type ScriptedGitHub, startScriptedGitHub, typed } from './scripted-github.js';

const SESSIONS = /\/runnerscalesets\/7\/sessions$/;
const SESSION = /\/runnerscalesets\/7\/sessions\/s-1$/;
const QUEUE = /^\/queue\/s-1$/;
const MESSAGE = /^\/queue\/s-1\/\d+$/;
const ACQUIRE = /\/runnerscalesets\/7\/acquirejobs$/;
const LINUX: ScaleSetRecord = { id: 7, name: 'linux', runnerGroupId: 1, runnerGroupName: 'Default', labels: ['linux'] };

let github: ScriptedGitHub;
let clock: QuickClock;
let client: ScaleSetService;

const sessionWith = (queueToken: string, more: object = {}): { body: unknown } => ({
  body: {
    sessionId: 's-1',
    ownerName: 'me',
    runnerScaleSet: { id: 7, name: 'linux' },
    messageQueueUrl: `${github.origin}/queue/s-1?k=a%2Fb`,
    messageQueueAccessToken: queueToken,
    statistics: { totalAssignedJobs: 2 },
    ...more,
  },
});

const envelope = (messageId: number, jobs: unknown[], more: object = {}): { body: unknown } => ({
  body: {
    messageId,
    messageType: 'RunnerScaleSetJobMessages',
    body: JSON.stringify(jobs),
    statistics: { totalAssignedJobs: 1 },
    ...more,
  },
});

beforeEach(async () => {
  github = await startScriptedGitHub();
  clock = quickClock();
  client = clientOf(github.url, { clock });
  github.on('POST', SESSIONS, () => sessionWith('queue-token-1'));
  github.on('PATCH', SESSION, () => sessionWith('queue-token-2'));
  github.on('DELETE', SESSION, { status: 204 });
  github.on('DELETE', MESSAGE, { status: 204 });
});
afterEach(async () => {
  await client.close();
  await github.close();
});

/** Listens until the scripted polls are used up. */
async function listenTo(
  session: MessageSession,
  polls: Script[],
  handler: Partial<JobMessageHandler> = {},
): Promise<unknown> {
  const stop = new AbortController();
  github.on('GET', QUEUE, (seen, count) => {
    const poll = polls[count - 1];
    if (poll) return poll(seen, count);
    stop.abort(new Error('no more polls'));
    return { status: 202 };
  });
  const nothing: JobMessageHandler = { onStatistics() {}, onJobStarted() {}, onJobCompleted() {} };
  const options = { signal: stop.signal, capacity: () => 5 };
  return session.listen({ ...nothing, ...handler }, options).catch((error: unknown) => error);
}

const open = (): Promise<MessageSession> => client.openSession(LINUX, 'rungar-host-linux', call);
const refusalOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => {
      throw new Error('it was opened');
    },
    (caught: unknown) => caught,
  );
  return client.refusalOf(error);
};

describe('opening', () => {
  test('names the owner and gives the first statistics', async () => {
    const session = await open();
    expect([session.id, session.statistics.assignedJobs]).toEqual(['s-1', 2]);
    expect(JSON.parse(github.requests.at(-1)?.body ?? '')).toEqual({ ownerName: 'rungar-host-linux' });
    expect(github.requests.at(-1)?.headers['user-agent']).toContain('"scale_set_id":7');
  });

  test.each<[string, Script, string, number]>([
    [
      'another session',
      () => ({ status: 409, body: typed('RunnerScaleSetSessionConflictException', 'held') }),
      'conflict',
      1,
    ],
    ['trouble', () => ({ status: 502 }), 'no_answer', 1],
    ['too many requests', () => ({ status: 429 }), 'no_answer', 1],
    ['a cut connection', () => 'reset', 'no_answer', 1],
    [
      'a scale set that is gone',
      () => ({ status: 404, body: typed('RunnerScaleSetNotFoundException', 'no') }),
      'scale_set_gone',
      1,
    ],
    ['a 404 without a name, twice', () => ({ status: 404 }), 'scale_set_gone', 2],
    ['a refused token', () => ({ status: 401 }), 'unauthorized', 2],
    ['a missing permission', () => ({ status: 403, body: { message: 'no' } }), 'refused', 1],
    ['a bad request', () => ({ status: 400, body: { message: 'no' } }), 'refused', 1],
  ])('that meets %s is told apart', async (_, script, want, requests) => {
    github.on('POST', SESSIONS, script);
    expect(await refusalOf(open())).toBe(want);
    expect(github.count('POST', SESSIONS)).toBe(requests);
  });

  test('that meets a 404 without a name looks a second time', async () => {
    github.on('POST', SESSIONS, (_, count) => (count === 1 ? { status: 404 } : sessionWith('queue-token-1')));
    await expect(open()).resolves.toMatchObject({ id: 's-1' });
  });

  test.each([
    ['no address', { messageQueueUrl: '' }],
    ['no token', { messageQueueAccessToken: '' }],
  ])('a session with %s is given back and counts as no answer', async (_, more) => {
    github.on('POST', SESSIONS, () => sessionWith('queue-token-1', more));
    expect(await refusalOf(open())).toBe('no_answer');
    expect(github.count('DELETE', SESSION)).toBe(1);
  });

  test('a session without statistics takes those of the scale set', async () => {
    github.on('POST', SESSIONS, () => sessionWith('queue-token-1', { statistics: null }));
    github.on('GET', /\/runnerscalesets\/7$/, { body: { id: 7, name: 'linux', statistics: { totalAssignedJobs: 3 } } });
    expect((await open()).statistics.assignedJobs).toBe(3);
  });

  test('a session that opens after its caller has given up is closed', async () => {
    const stop = new AbortController();
    github.on('POST', SESSIONS, () => {
      stop.abort(new Error('shutting down'));
      return sessionWith('queue-token-1');
    });
    await expect(client.openSession(LINUX, 'me', { signal: stop.signal })).rejects.toThrow('shutting down');
    expect(github.count('DELETE', SESSION)).toBe(1);
  });

  test('keeps to the pause that GitHub asks for, whoever wants a session', async () => {
    github.on('POST', SESSIONS, { status: 429, headers: { 'retry-after': '600' } });
    expect(await refusalOf(open())).toBe('no_answer');
    const error = await open().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('600 s of it are left') });
    expect(github.count('POST', SESSIONS)).toBe(1);
    github.on('POST', SESSIONS, () => sessionWith('queue-token-1'));
    for (let second = 0; second < 600; second += 10) await clock.sleep(10_000);
    await (await open()).close();
  });

  test('does not wait for a pause that other calls were asked for', async () => {
    github.on('GET', /agents$/, { status: 429, headers: { 'retry-after': '600' } });
    await client.findRunner('a', call).catch(() => {});
    const before = clock.waits.length;
    await (await open()).close();
    expect(clock.waits).toHaveLength(before);
  });

  test('is not tried for a caller that has given up before', async () => {
    await expect(client.openSession(LINUX, 'me', { signal: AbortSignal.abort(new Error('over')) })).rejects.toThrow(
      'over',
    );
    expect(github.requests).toHaveLength(0);
  });

  test('an error that is not from GitHub is a refusal, one of silence is not', () => {
    expect(client.refusalOf(new Error('what'))).toBe('refused');
    expect(client.refusalOf(new RungarError('not_found', 'no group'))).toBe('refused');
    expect(client.refusalOf(new RungarError('unavailable', 'silence'))).toBe('no_answer');
  });
});

describe('the queue', () => {
  test('is polled, and messages are acknowledged, at its own address with its own token', async () => {
    const session = await open();
    await listenTo(session, [() => envelope(100109959, []), () => ({ status: 202 })]);
    const queueRequests = github.requests.filter(({ path }) => path.startsWith('/queue'));
    expect(queueRequests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /queue/s-1?k=a%2Fb',
      'DELETE /queue/s-1/100109959?k=a%2Fb',
      'GET /queue/s-1?k=a%2Fb&lastMessageId=100109959',
      'GET /queue/s-1?k=a%2Fb&lastMessageId=100109959',
    ]);
    for (const { headers } of queueRequests) expect(headers.authorization).toBe('Bearer queue-token-1');
    expect(queueRequests[0]?.headers).toMatchObject({
      accept: 'application/json; api-version=6.0-preview',
      'x-scalesetmaxcapacity': '5',
    });
    expect(queueRequests[1]?.headers['content-type']).toBe('application/json');
  });

  test('a refused poll renews the session once, at its new address, and is repeated', async () => {
    const session = await open();
    const seen: number[] = [];
    github.on('PATCH', SESSION, () =>
      sessionWith('queue-token-2', { messageQueueUrl: `${github.origin}/queue/s-1?k=new` }),
    );
    await listenTo(session, [() => ({ status: 401 }), () => envelope(4, [])], {
      onStatistics: ({ assignedJobs }) => seen.push(assignedJobs),
    });
    expect(github.count('PATCH', SESSION)).toBe(1);
    expect(seen[1]).toBe(1);
    const second = github.requests.filter(({ method, path }) => method === 'GET' && QUEUE.test(path))[1];
    expect([second?.url, second?.headers.authorization]).toEqual(['/queue/s-1?k=new', 'Bearer queue-token-2']);
  });

  test('a page in place of every message loses the session: somebody else answers', async () => {
    const page: Script = () => ({ body: '<html><title>Sign in to the network</title></html>' });
    const before = clock.now();
    const lost = await listenTo(
      await open(),
      Array.from({ length: 99 }, () => page),
    );
    expect(lost).toMatchObject({ code: 'unavailable', message: expect.stringContaining('without a message') });
    expect(clock.now() - before).toBe(45_000);
  });

  test.each([
    [Number.POSITIVE_INFINITY, '2147483647'],
    [Number.NaN, '0'],
    [-1, '0'],
    [2.9, '2'],
  ])('hears of a capacity of %d as %s', async (capacity, told) => {
    github.on('GET', QUEUE, { status: 410 });
    const nothing: JobMessageHandler = { onStatistics() {}, onJobStarted() {}, onJobCompleted() {} };
    await (await open()).listen(nothing, { ...call, capacity: () => capacity }).catch(() => {});
    const polled = github.requests.find(({ path }) => QUEUE.test(path));
    expect(polled?.headers['x-scalesetmaxcapacity']).toBe(told);
  });

  test('a poll refused twice loses the session', async () => {
    const session = await open();
    const error = await listenTo(session, [() => ({ status: 401 }), () => ({ status: 401 })]);
    expect(client.refusalOf(error)).toBe('unauthorized');
    expect(github.count('PATCH', SESSION)).toBe(1);
  });

  test('a session that cannot be renewed because it is gone is lost', async () => {
    const session = await open();
    github.on('PATCH', SESSION, { status: 404, body: typed('RunnerScaleSetSessionNotFound', 'gone') });
    expect(await listenTo(session, [() => ({ status: 401 })])).toMatchObject({ code: 'not_found' });
  });

  test('trouble, silence, pages and empty answers are lived through', async () => {
    const session = await open();
    const completed: string[] = [];
    await listenTo(
      session,
      [
        () => ({ status: 500 }),
        () => 'reset',
        () => ({ status: 502, body: '<html><title>Bad Gateway</title></html>' }),
        () => ({ status: 200 }),
        () => envelope(9, [{ messageType: 'JobCompleted', jobId: 'j', result: 'succeeded' }], { statistics: null }),
      ],
      { onJobCompleted: ({ jobId }) => completed.push(jobId) },
    );
    expect(completed).toEqual(['j']);
    expect(github.count('DELETE', /\/queue\/s-1\/9$/)).toBe(1);
  });

  test('offered jobs are acquired in one call with the queue token, after the acknowledgement', async () => {
    const session = await open();
    github.on('POST', ACQUIRE, (_, count) => (count === 1 ? { status: 401 } : { body: { count: 2, value: [17, 18] } }));
    const offers = [17, 18].map((runnerRequestId) => ({ messageType: 'JobAvailable', runnerRequestId, jobId: '' }));
    await listenTo(session, [() => envelope(1, offers)]);
    const calls = github.requests.filter(
      ({ method, path }) => MESSAGE.test(path) || ACQUIRE.test(path) || method === 'PATCH',
    );
    expect(calls.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`)).toEqual([
      'DELETE 1',
      'POST acquirejobs',
      'PATCH s-1',
      'POST acquirejobs',
    ]);
    expect(calls.at(-1)).toMatchObject({ body: '[17,18]', headers: { authorization: 'Bearer queue-token-2' } });
  });

  test('jobs on offer when the session opens are acquired', async () => {
    github.on('POST', SESSIONS, () => sessionWith('queue-token-1', { statistics: { totalAvailableJobs: 1 } }));
    github.on('GET', /\/acquirablejobs$/, { body: { count: 1, value: [{ runnerRequestId: 5 }] } });
    github.on('POST', ACQUIRE, { body: { count: 1, value: [5] } });
    await listenTo(await open(), []);
    expect(github.requests.find(({ path }) => ACQUIRE.test(path))?.body).toBe('[5]');
  });

  test('a pause of the Actions service does not stop the session', async () => {
    const session = await open();
    github.on('GET', /agents$/, { status: 429, headers: { 'retry-after': '600' } });
    await client.findRunner('a', call).catch(() => {});
    const error = await listenTo(session, [() => ({ status: 401 }), () => ({ status: 202 })]);
    expect(error).toMatchObject({ message: 'no more polls' });
    expect(github.count('PATCH', SESSION)).toBe(1);
  });

  test('a pause of the Actions service does not keep the next poll waiting, whatever there is to look up', async () => {
    github.on('POST', SESSIONS, () => sessionWith('queue-token-1', { statistics: { totalAvailableJobs: 1 } }));
    const session = await open();
    github.on('GET', /agents$/, { status: 429, headers: { 'retry-after': '15' } });
    await client.findRunner('a', call).catch(() => {});
    const before = clock.waits.length;
    const contradicting = envelope(41, [{ messageType: 'JobAssigned', jobId: 'a' }], { statistics: {} });
    const error = await listenTo(session, [() => contradicting, () => ({ status: 202 })]);
    expect(error).toMatchObject({ message: 'no more polls' });
    expect(clock.waits).toHaveLength(before);
    expect(github.count('GET', /acquirablejobs$/)).toBe(0);
  });

  test('a poll ends with the signal of whoever listens, with its reason', async () => {
    const session = await open();
    const stop = new AbortController();
    github.on('GET', QUEUE, () => {
      stop.abort(new Error('stopping'));
      return 'hang';
    });
    const handler: JobMessageHandler = { onStatistics() {}, onJobStarted() {}, onJobCompleted() {} };
    await expect(session.listen(handler, { signal: stop.signal, capacity: () => 0 })).rejects.toThrow('stopping');
    expect(github.requests.at(-1)?.headers['x-scalesetmaxcapacity']).toBe('0');
  });
});

describe('closing', () => {
  test('gives the session back once, however often it is asked for', async () => {
    const session = await open();
    await Promise.all([session.close(), session.close()]);
    await session.close();
    expect(github.count('DELETE', SESSION)).toBe(1);
  });

  test.each([404, 403, 500])('a %i is no reason to fail', async (status) => {
    const session = await open();
    github.on('DELETE', SESSION, { status });
    await expect(session.close()).resolves.toBeUndefined();
  });
});
