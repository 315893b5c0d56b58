import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { call, connect, openSession, type RawService, SCALE_SETS, sessionFrom } from '../../test/raw-client.js';
import { type ManualClock, manualClock } from '../clock.js';
import type { GitHubEmulator } from './emulator.js';
import { startGitHubEmulator } from './start.js';

let clock: ManualClock;
let github: GitHubEmulator;
let service: RawService;

beforeEach(async () => {
  clock = manualClock(Date.UTC(2026, 10, 30, 12));
  github = await startGitHubEmulator({ clock });
  service = await connect(github);
  github.addScaleSet({ name: 'linux' });
});
afterEach(() => github.close());

const createSession = (body: unknown = { ownerName: 'me' }) =>
  service.service('POST', `${SCALE_SETS}/1/sessions`, body);
const queueJobs = (count: number) => github.queueJobs(Array.from({ length: count }, () => ({ labels: ['linux'] })));
const kinds = (message: { entries: readonly Record<string, unknown>[] }) =>
  message.entries.map(({ messageType }) => messageType);
const polling = () => expect.poll(() => github.sessions()[0]?.polling);

describe('a session', () => {
  test('says who owns it, of what, where its messages are, and how things stand', async () => {
    const { json, status } = await createSession({
      ownerName: 'me',
      sessionId: '00000000-0000-0000-0000-000000000000',
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      ownerName: 'me',
      runnerScaleSet: { id: 1, name: 'linux' },
      statistics: { totalAssignedJobs: 0, totalRunningJobs: 0 },
    });
    expect(json.messageQueueUrl).toMatch(new RegExp(`^${github.url}/queue/[0-9a-f-]{36}\\?k=[0-9a-f]+$`));
  });

  test('keeps others out until it is deleted', async () => {
    const session = await openSession(service, 1, 'first');
    const refused = await createSession();
    expect([refused.status, refused.json.typeKey]).toEqual([409, 'RunnerScaleSetSessionConflictException']);
    expect(refused.json.message).toContain('first');
    expect((await service.service('DELETE', `${SCALE_SETS}/1/sessions/${session.id}`)).status).toBe(204);
    expect((await createSession()).status).toBe(200);
    expect((await session.poll()).status).toBe(404);
  });

  test('expires when nothing was heard of it for a minute', async () => {
    await openSession(service, 1);
    clock.advance(59_999);
    expect((await createSession()).status).toBe(409);
    clock.advance(1);
    expect((await createSession()).status).toBe(200);
  });

  test('does not expire while a poll is held, and counts from the moment its listener is gone', async () => {
    github.settings.pollHoldMs = 1_000_000;
    const session = await openSession(service, 1);
    const listener = new AbortController();
    const poll = session.poll({ signal: listener.signal }).catch(() => {});
    await polling().toBe(true);
    clock.advance(120_000);
    expect(github.sessions()).toHaveLength(1);
    listener.abort();
    await poll;
    await polling().toBe(false);
    clock.advance(59_999);
    expect(github.sessions()).toHaveLength(1);
    clock.advance(1);
    expect(github.sessions()).toEqual([]);
  });

  test('keeps its scale set from being purged, which comes a week after the last one', async () => {
    const day = 24 * 3_600_000;
    const { id } = github.addScaleSet({ name: 'used' });
    const release = github.holdSession(id, 'somebody');
    clock.advance(8 * day);
    expect(github.scaleSets().map(({ name }) => name)).toContain('used');
    release();
    clock.advance(6.9 * day);
    expect(github.scaleSets().map(({ name }) => name)).toContain('used');
    clock.advance(0.2 * day);
    expect(github.scaleSets().map(({ name }) => name)).not.toContain('used');
  });

  test('of somebody else stays until it is let go', async () => {
    const release = github.holdSession(1, 'somebody');
    clock.advance(3_600_000 - 1);
    expect((await createSession()).json.message).toContain('somebody');
    release();
    expect((await createSession()).status).toBe(200);
  });

  test.each([
    ['no owner', {}],
    ['an unknown member', { ownerName: 'me', wanted: 3 }],
  ])('is refused with %s', async (_, body) => {
    expect((await createSession(body)).status).toBe(400);
  });

  test('gets another URL and token by a refresh, and the old ones end', async () => {
    const old = await openSession(service, 1);
    const { json } = await service.service('PATCH', `${SCALE_SETS}/1/sessions/${old.id}`);
    const renewed = sessionFrom(json);
    expect(renewed.id).toBe(old.id);
    expect(renewed.url).not.toBe(old.url);
    queueJobs(1);
    expect((await old.poll()).status).toBe(401);
    expect((await renewed.poll()).status).toBe(200);
  });

  test('cannot be refreshed or deleted once it is over', async () => {
    const { id } = await openSession(service, 1);
    clock.advance(60_000);
    expect((await service.service('PATCH', `${SCALE_SETS}/1/sessions/${id}`)).status).toBe(404);
    expect((await service.service('DELETE', `${SCALE_SETS}/1/sessions/${id}`)).status).toBe(404);
  });

  test('answers 401 from the moment its queue token expires, and again after a refresh', async () => {
    github.settings.queueTokenMs = 30_000;
    const session = await openSession(service, 1);
    clock.advance(30_000);
    expect((await session.poll()).status).toBe(401);
    expect((await session.acknowledge(1)).status).toBe(401);
    const { json } = await service.service('PATCH', `${SCALE_SETS}/1/sessions/${session.id}`);
    queueJobs(1);
    expect((await sessionFrom(json).poll()).status).toBe(200);
    github.expireTokens('queue');
    expect((await sessionFrom(json).poll()).status).toBe(401);
  });
});

describe('a poll', () => {
  test('is held, and answered with 202 when nothing has come', async () => {
    const session = await openSession(service, 1);
    const poll = session.poll();
    await polling().toBe(true);
    clock.advance(50_000);
    const answer = await poll;
    expect([answer.status, answer.text]).toEqual([202, '']);
  });

  test('is answered at once with what happens while it is held', async () => {
    const session = await openSession(service, 1);
    const poll = session.poll();
    await polling().toBe(true);
    queueJobs(3);
    const message = await poll;
    expect(kinds(message)).toEqual(['JobAssigned', 'JobAssigned', 'JobAssigned']);
    expect(message.json.messageType).toBe('RunnerScaleSetJobMessages');
    expect(message.statistics).toMatchObject({ totalAssignedJobs: 3, totalRunningJobs: 0 });
    expect(message.headers.get('activityid')).not.toBeNull();
  });

  test('of a session that is closed meanwhile answers 404', async () => {
    const session = await openSession(service, 1);
    const poll = session.poll();
    await polling().toBe(true);
    await service.service('DELETE', `${SCALE_SETS}/1/sessions/${session.id}`);
    expect((await poll).status).toBe(404);
  });

  test.each([
    ['no capacity', { 'x-scalesetmaxcapacity': '' }, 'X-ScaleSetMaxCapacity'],
    ['a capacity that is no integer', { 'x-scalesetmaxcapacity': '1.5' }, 'X-ScaleSetMaxCapacity is 1.5'],
    ['a negative capacity', { 'x-scalesetmaxcapacity': '-1' }, 'X-ScaleSetMaxCapacity is -1'],
    ['an Accept header without the API version', { accept: 'application/json' }, 'the Accept header'],
  ])('is refused with %s', async (_, headers, message) => {
    const answer = await (await openSession(service, 1)).poll({ headers });
    expect(answer.status).toBe(400);
    expect(answer.json.message).toContain(message);
  });

  test('is refused when the URL is not kept whole, or has an API version added', async () => {
    const { url, token } = await openSession(service, 1);
    const options = {
      authorization: `Bearer ${token}`,
      headers: { accept: 'application/json; api-version=6.0-preview', 'x-scalesetmaxcapacity': '1' },
    };
    expect((await call(url.replace(/\?.*/, ''), options)).status).toBe(400);
    expect((await call(`${url}&api-version=6.0-preview`, options)).status).toBe(400);
    expect((await call(`${url}&lastMessageId=x`, options)).status).toBe(400);
  });

  test('is refused with the admin token', async () => {
    const { url } = await openSession(service, 1);
    const answer = await call(url, {
      authorization: `Bearer ${service.admin}`,
      headers: { accept: 'application/json; api-version=6.0-preview', 'x-scalesetmaxcapacity': '1' },
    });
    expect(answer.status).toBe(401);
  });
});

describe('messages', () => {
  test('stay until they are deleted, and are hidden by the last id handled', async () => {
    const session = await openSession(service, 1);
    queueJobs(1);
    const first = await session.poll();
    expect((await session.poll()).id).toBe(first.id);
    queueJobs(1);
    const second = await session.poll({ lastMessageId: first.id });
    expect(second.id).toBeGreaterThan(first.id);
    expect((await session.poll()).id).toBe(first.id);
    expect((await session.acknowledge(first.id)).status).toBe(204);
    expect((await session.poll()).id).toBe(second.id);
    expect((await session.acknowledge(second.id)).status).toBe(204);
    expect((await session.acknowledge(second.id)).status).toBe(204);
  });

  test('carry the statistics of the moment of their delivery', async () => {
    const session = await openSession(service, 1);
    queueJobs(2);
    expect((await session.poll()).statistics.totalAssignedJobs).toBe(2);
    github.cancelJob(github.jobs()[0]?.id ?? '');
    const again = await session.poll();
    expect([again.statistics.totalAssignedJobs, kinds(again)]).toEqual([1, ['JobAssigned', 'JobAssigned']]);
  });

  test('that were not acknowledged come again in the next session', async () => {
    const session = await openSession(service, 1);
    queueJobs(1);
    const { id } = await session.poll();
    clock.advance(60_000);
    const next = await openSession(service, 1);
    expect(next.statistics.totalAssignedJobs).toBe(1);
    expect((await next.poll()).id).toBe(id);
  });

  test('have at most 50 entries, while the statistics count all jobs', async () => {
    const session = await openSession(service, 1);
    queueJobs(120);
    const sizes: number[] = [];
    let lastMessageId = 0;
    for (let turn = 0; turn < 3; turn += 1) {
      const message = await session.poll({ capacity: 200, lastMessageId });
      sizes.push(message.entries.length);
      expect(message.statistics.totalAssignedJobs).toBe(120);
      lastMessageId = message.id;
    }
    expect(sizes).toEqual([50, 50, 20]);
  });
});

describe('the service in a bad moment', () => {
  const special = (operation: string, name: string) => github.setFault({ operation, kind: 'special', special: name });

  test('opens a session without a queue URL, or without statistics', async () => {
    special('create-session', 'empty-queue-url');
    special('refresh-session', 'null-statistics');
    const { json } = await createSession();
    expect(json.messageQueueUrl).toBe('');
    const refreshed = await service.service('PATCH', `${SCALE_SETS}/1/sessions/${String(json.sessionId)}`);
    expect(refreshed.json.statistics).toBeNull();
  });

  test.each([
    ['zero-statistics', { statistics: { totalAssignedJobs: 0 } }],
    ['null-statistics', { statistics: null }],
    ['unknown-message', { messageType: 'RunnerScaleSetNotice' }],
  ])('sends a message with %s', async (name, wanted) => {
    special('get-message', name);
    const session = await openSession(service, 1);
    queueJobs(1);
    const message = await session.poll();
    expect(message.json).toMatchObject(wanted);
    expect(kinds(message)).toEqual(['JobAssigned']);
  });

  test('puts an entry of an unknown kind into a message', async () => {
    special('get-message', 'unknown-entry');
    const session = await openSession(service, 1);
    queueJobs(1);
    expect(kinds(await session.poll())).toEqual(['JobPaused', 'JobAssigned']);
  });

  test('delivers a message again that was deleted', async () => {
    const session = await openSession(service, 1);
    queueJobs(1);
    const { id } = await session.poll();
    await session.acknowledge(id);
    special('get-message', 'duplicate');
    expect((await session.poll({ lastMessageId: id })).id).toBe(id);
  });
});
