import { afterEach, beforeEach, expect, test } from 'vitest';
import { call, connect, openSession, registerRunner } from '../../test/raw-client.js';
import { type ManualClock, manualClock, realClock } from '../clock.js';
import { seededRandom } from '../random.js';
import type { GitHubEmulator } from './emulator.js';
import { startGitHubEmulator } from './start.js';

let clock: ManualClock;
let github: GitHubEmulator;
beforeEach(async () => {
  clock = manualClock(0);
  github = await startGitHubEmulator({ clock });
});
afterEach(() => github.close());

const post = (path: string, body: unknown = undefined) =>
  call(`${github.url}/_control/${path}`, { method: 'POST', ...(body !== undefined && { body }) });
const get = (path: string) => call(`${github.url}/_control/${path}`);

test('queues jobs for another process, shows them and cancels them', async () => {
  const body = { labels: ['linux'], count: 2, repository: 'acme/web', workflow: 'ci', seconds: 3, fail: true };
  const { status, json } = await post('jobs', body);
  expect(status).toBe(201);
  const jobs = json.jobs as { id: string }[];
  expect(jobs).toMatchObject([
    { name: 'ci 1', repository: 'acme/web', labels: ['linux'], seconds: 3, fail: true, state: 'queued' },
    { name: 'ci 2' },
  ]);
  expect((await post(`jobs/${jobs[0]?.id}/cancel`)).status).toBe(204);
  expect((await get('jobs')).json.jobs).toMatchObject([
    { state: 'completed', result: 'canceled' },
    { state: 'queued' },
  ]);
  expect((await post('jobs/nothing/cancel')).status).toBe(404);
});

test.each([
  ['no labels', {}],
  ['labels that are no strings', { labels: [1] }],
  ['an unknown member', { labels: ['a'], colour: 'red' }],
  ['a count of 0', { labels: ['a'], count: 0 }],
])('refuses a job with %s', async (_, body) => {
  expect((await post('jobs', body)).status).toBe(400);
  expect(github.jobs()).toEqual([]);
});

test('shows scale sets, sessions and runners', async () => {
  const service = await connect(github);
  const { id } = github.addScaleSet({ name: 'linux' });
  await openSession(service, id, 'me');
  await registerRunner(service, id, 'linux-1');
  expect((await get('scale-sets')).json.scaleSets).toMatchObject([{ name: 'linux', scope: 'acme', labels: ['linux'] }]);
  expect((await get('sessions')).json.sessions).toMatchObject([{ ownerName: 'me', scaleSet: 'linux' }]);
  expect((await get('runners')).json.runners).toMatchObject([{ name: 'linux-1', status: 'offline' }]);
  expect((await post(`scale-sets/${id}/purge`)).status).toBe(204);
  expect((await get('scale-sets')).json.scaleSets).toEqual([]);
});

test('makes credentials and ends tokens', async () => {
  const app = await post('apps');
  expect(app.json).toMatchObject({ appId: 1001, installationId: 50_001 });
  expect(app.json.privateKey).toContain('BEGIN PRIVATE KEY');
  const { token } = (await post('tokens')).json;
  const list = `${github.url}/api/v3/orgs/acme/actions/runners`;
  expect((await call(list, { authorization: `Bearer ${String(token)}` })).status).toBe(200);
  expect((await post('tokens/admin/expire')).status).toBe(204);
  expect((await post('tokens/house/expire')).status).toBe(400);
});

test('starts a runner with a configuration', async () => {
  const service = await connect(github);
  const { id } = github.addScaleSet({ name: 'linux' });
  const { encodedJITConfig } = await registerRunner(service, id, 'linux-1');
  expect((await post('runners', { encodedJitConfig: encodedJITConfig, bootMs: 100 })).status).toBe(204);
  expect((await post('clock/advance', { ms: 100 })).status).toBe(204);
  await expect.poll(() => github.runners()[0]?.status).toBe('online');
});

test('sets faults and takes them back', async () => {
  const fault = { operation: 'list-runners', kind: 'status', status: 429, retryAfter: '5', headers: { 'x-a': 'b' } };
  const list = () =>
    call(`${github.url}/api/v3/orgs/acme/actions/runners`, { authorization: `Bearer ${github.createToken()}` });
  expect((await post('faults', fault)).status).toBe(204);
  const struck = await list();
  expect([struck.status, struck.headers.get('retry-after'), struck.headers.get('x-a')]).toEqual([429, '5', 'b']);
  await post('faults', fault);
  expect((await call(`${github.url}/_control/faults`, { method: 'DELETE' })).status).toBe(204);
  expect((await list()).status).toBe(200);
  expect((await post('faults', { ...fault, operation: 'none' })).json.message).toContain('there is no operation none');
  expect((await post('faults', { ...fault, kind: 'odd' })).status).toBe(400);
});

test('does not move real time', async () => {
  const real = await startGitHubEmulator({ clock: realClock });
  const answer = await call(`${real.url}/_control/clock/advance`, { method: 'POST', body: { ms: 1 } });
  await real.close();
  expect([answer.status, answer.json.message]).toEqual([400, 'the emulator runs on real time']);
});

test('a wait ends with its signal, and holds at once when it is true already', async () => {
  await github.until(() => true);
  const reason = new Error('enough');
  await expect(github.until(() => false, AbortSignal.abort(reason))).rejects.toBe(reason);
  const stop = new AbortController();
  const wait = github.until(() => false, stop.signal);
  stop.abort(reason);
  await expect(wait).rejects.toBe(reason);
});

test('closing ends its timers, its runners and its calls', async () => {
  const service = await connect(github);
  const { id } = github.addScaleSet({ name: 'linux' });
  const session = await openSession(service, id);
  const machine = github.startRunner((await registerRunner(service, id, 'linux-1')).encodedJITConfig);
  clock.advance(0);
  await expect.poll(() => machine.state).toBe('idle');
  const poll = session.poll().catch((error: unknown) => error);
  await expect.poll(() => github.sessions()[0]?.polling).toBe(true);
  await github.close();
  expect(await poll).toBeInstanceOf(Error);
  expect(machine.state).toBe('off');
  expect(clock.waiting).toBe(0);
});

test('the same seed gives the same ids', async () => {
  const idOf = async (): Promise<string> => {
    const seeded = await startGitHubEmulator({ clock, random: seededRandom(5) });
    const { id } = seeded.queueJob({ labels: ['a'] });
    await seeded.close();
    return id;
  };
  expect(await idOf()).toBe(await idOf());
});

test.each(['', 'a/b/c', 'acme/'])('refuses the scope %j', async (scope) => {
  await expect(startGitHubEmulator({ scopes: [scope] })).rejects.toThrow('is no scope');
});

test('a wait wakes when a poll begins and when it ends', async () => {
  const service = await connect(github);
  const { id } = github.addScaleSet({ name: 'linux' });
  const session = await openSession(service, id);
  const begun = github.until(() => github.sessions()[0]?.polling === true);
  const poll = session.poll({ capacity: 3 });
  await begun;
  expect(github.sessions()).toMatchObject([{ capacity: 3 }]);
  const over = github.until(() => github.sessions()[0]?.polling === false);
  clock.advance(50_000);
  await over;
  expect((await poll).status).toBe(202);
});

test('ends a session before its time', async () => {
  const service = await connect(github);
  const { id } = github.addScaleSet({ name: 'linux' });
  const session = await openSession(service, id);
  expect((await post(`sessions/${session.id}/end`)).status).toBe(204);
  expect((await session.poll()).status).toBe(404);
  expect((await post(`sessions/${session.id}/end`)).status).toBe(404);
});

test('steers jobs, runners and sessions from another process', async () => {
  const service = await connect(github);
  expect((await post('scale-sets', { name: 'linux', labels: ['linux', 'x64'] })).status).toBe(204);
  expect((await post('scale-sets', { name: 'linux' })).json.message).toContain('exists already');
  expect((await post('scale-sets', { name: 'a', labels: [] })).status).toBe(400);
  expect((await post('scale-sets/1/hold', { ownerName: 'somebody' })).status).toBe(204);
  expect(github.sessions()).toMatchObject([{ ownerName: 'somebody' }]);
  expect((await call(`${github.url}/_control/scale-sets/1/hold`, { method: 'DELETE' })).status).toBe(204);
  expect((await call(`${github.url}/_control/scale-sets/1/hold`, { method: 'DELETE' })).status).toBe(404);

  const session = await openSession(service, 1);
  const poll = session.poll();
  await github.until(() => github.sessions()[0]?.polling === true);
  const { json } = await post('jobs', { labels: ['linux'], runId: 77, seconds: 600 });
  const [job] = json.jobs as { id: string; runId: number }[];
  expect(job?.runId).toBe(77);
  expect((await poll).entries).toMatchObject([{ messageType: 'JobAssigned', workflowRunId: 77 }]);
  expect((await post(`jobs/${job?.id}/finish`, { result: 'failed' })).status).toBe(404);
  for (const name of ['linux-1', 'linux-2']) {
    github.startRunner((await registerRunner(service, 1, name)).encodedJITConfig);
    clock.advance(0);
    await github.until(() => github.runners().some((runner) => runner.name === name && runner.status === 'online'));
    await github.until(() => github.jobs()[0]?.state === 'running');
  }
  expect((await post(`jobs/${job?.id}/finish`, { result: 'odd' })).status).toBe(400);
  expect((await post(`jobs/${job?.id}/finish`, { result: 'failed' })).status).toBe(204);
  expect(github.jobs()).toMatchObject([{ state: 'completed', result: 'failed', runnerName: 'linux-1' }]);
  expect((await post('runners/linux-2/disconnect')).status).toBe(204);
  await expect.poll(() => github.runners()[0]?.calling).toBe(false);
  clock.advance(2_000);
  expect(github.runners()).toMatchObject([{ name: 'linux-2', status: 'offline' }]);
  expect((await post('runners/linux-9/disconnect')).status).toBe(404);
});

test('shows its settings and takes others, all of them or none', async () => {
  expect((await get('settings')).json).toMatchObject({ personality: 'direct', pollHoldMs: 50_000 });
  expect((await post('settings', { personality: 'acquire', pollHoldMs: 5, singleLabel: true })).status).toBe(204);
  expect(github.settings).toMatchObject({ personality: 'acquire', pollHoldMs: 5, singleLabel: true });
  expect((await post('settings', { pollHoldMs: 9, personality: 'other' })).status).toBe(400);
  expect((await post('settings', { pollHold: 9 })).status).toBe(400);
  expect(github.settings.pollHoldMs).toBe(5);
});
