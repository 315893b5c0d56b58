import { createRedactor, type ScaleSetRecord } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failureOf } from '../src/index.js';
import { call, clientOf } from './clients.js';
import { quickClock } from './quick-clock.js';
import { type Script, type ScriptedGitHub, startScriptedGitHub, typed } from './scripted-github.js';

const AGENTS = /_apis\/distributedtask\/pools\/0\/agents$/;
const AGENT = /\/agents\/12$/;
const GROUPS = /_apis\/runtime\/runnergroups\/$/;
const SETS = /_apis\/runtime\/runnerscalesets$/;
const JIT = /generatejitconfig$/;
const LINUX: ScaleSetRecord = { id: 7, name: 'linux', runnerGroupId: 1, runnerGroupName: 'Default', labels: ['linux'] };

let github: ScriptedGitHub;
beforeEach(async () => {
  github = await startScriptedGitHub();
});
afterEach(() => github.close());

const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error,
  );

describe('repetition', () => {
  const nothing = { body: { count: 0, value: [] } };

  test.each([408, 429, 500, 502, 503])('a %i is repeated after 1, 2, 4 and 8 s', async (status) => {
    github.on('GET', AGENTS, (_, count) => (count < 5 ? { status } : nothing));
    const clock = quickClock();
    const client = clientOf(github.url, { clock });
    await expect(client.findRunner('a', call)).resolves.toBeUndefined();
    expect(clock.waits.map((wait) => Math.floor(wait / 1000))).toEqual([1, 2, 4, 8]);
    await client.close();
  });

  test('ends after five tries', async () => {
    github.on('GET', AGENTS, { status: 503, body: typed('Maintenance', 'down for a moment') });
    const client = clientOf(github.url, { clock: quickClock() });
    const error = await caught(client.findRunner('a', call));
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('down for a moment') });
    expect(client.refusalOf(error)).toBe('no_answer');
    expect(github.count('GET', AGENTS)).toBe(5);
    await client.close();
  });

  test.each([400, 403, 404, 409, 422, 501])('a %i is an answer', async (status) => {
    github.on('GET', AGENTS, { status });
    const client = clientOf(github.url, { clock: quickClock() });
    await caught(client.findRunner('a', call));
    expect(github.count('GET', AGENTS)).toBe(1);
    await client.close();
  });

  test('a cut connection is repeated', async () => {
    github.on('GET', AGENTS, (_, count) => (count === 1 ? 'reset' : nothing));
    const client = clientOf(github.url, { clock: quickClock() });
    await expect(client.findRunner('a', call)).resolves.toBeUndefined();
    await client.close();
  });

  test('a server that is not there is unavailable', async () => {
    const gone = await startScriptedGitHub();
    await gone.close();
    const client = clientOf(gone.url, { clock: quickClock() });
    const error = await caught(client.findRunner('a', call));
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('ECONNREFUSED') });
    expect(client.refusalOf(error)).toBe('no_answer');
    await client.close();
  });

  test('waits as long as Retry-After says, every call of the service with it', async () => {
    let at = 0;
    github.on('POST', JIT, () => ({ status: 429, headers: { 'retry-after': '10' } }));
    github.on('GET', AGENTS, () => {
      at = clock.now();
      return nothing;
    });
    const clock = quickClock();
    const client = clientOf(github.url, { clock });
    await caught(client.createJitConfig(LINUX, 'linux-1', call));
    const told = clock.now();
    await client.findRunner('a', call);
    expect(at - told).toBeGreaterThanOrEqual(9_999);
    await client.close();
  });

  test('a pause longer than a call may take is told at once, and nothing is sent', async () => {
    github.on('GET', AGENTS, { status: 429, headers: { 'retry-after': '600' } });
    const clock = quickClock();
    const client = clientOf(github.url, { clock });
    await caught(client.findRunner('a', call));
    const error = await caught(client.removeRunner(12, call));
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('asked for a pause') });
    expect(github.count('GET', AGENTS)).toBe(1);
    expect(github.count('DELETE', AGENT)).toBe(0);
    await client.close();
  });
});

describe('every call', () => {
  test("gives way to its caller's signal, with its reason", async () => {
    github.on('GET', AGENTS, 'hang');
    const client = clientOf(github.url);
    const stop = new AbortController();
    const work = client.findRunner('a', { signal: stop.signal });
    const reason = new Error('enough');
    setImmediate(() => stop.abort(reason));
    await expect(work).rejects.toBe(reason);
    await client.close();
  });

  test('has a time limit', async () => {
    const clock = fakeClock(Date.now());
    let arrived = (): void => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    github.on('GET', AGENTS, () => {
      arrived();
      return 'hang';
    });
    const client = clientOf(github.url, { clock });
    const work = caught(client.findRunner('a', call));
    await arrival;
    await clock.advance(60_000);
    expect(await work).toMatchObject({ code: 'unavailable', message: expect.stringContaining('within 60 s') });
    await client.close();
  });

  test('ends when the client is closed, and none begins afterwards', async () => {
    github.on('GET', AGENTS, 'hang');
    const client = clientOf(github.url);
    const work = caught(client.findRunner('a', call));
    await client.close();
    expect(await work).toMatchObject({ code: 'unavailable', message: 'the GitHub client is closed' });
    expect(await caught(client.removeRunner(1, call))).toMatchObject({ message: 'the GitHub client is closed' });
    await client.close();
  });

  test('is told to the observer by its status', async () => {
    const seen: (number | 'error')[] = [];
    github.on('GET', AGENTS, (_, count) =>
      count === 1 ? 'reset' : count === 2 ? { status: 500 } : { body: { count: 0 } },
    );
    const client = clientOf(github.url, { clock: quickClock(), onRequest: (status) => seen.push(status) });
    await client.findRunner('a', call);
    expect(seen).toEqual([201, 200, 'error', 500, 200]);
    await client.close();
  });
});

describe('errors', () => {
  test.each([
    [
      'JSON',
      { status: 400, body: typed('SomeException', 'no such thing'), headers: { ActivityId: 'act-1' } },
      'no such thing (ActivityId act-1)',
    ],
    ['plain text', { status: 400, body: 'no\nsuch thing', headers: { 'content-type': 'text/plain' } }, 'no such thing'],
    [
      'a page',
      { status: 400, body: '<html><title>Blocked</title></html>', headers: { 'content-type': 'text/html' } },
      'Blocked',
    ],
    [
      'broken JSON',
      { status: 400, body: '{"message":', headers: { 'content-type': 'application/json' } },
      '{"message":',
    ],
    ['nothing', { status: 400 }, 'no explanation'],
  ])('in %s name the call and what GitHub said', async (_, reply, words) => {
    github.on('GET', AGENTS, reply);
    const client = clientOf(github.url);
    expect(await caught(client.findRunner('secret name', call))).toMatchObject({
      code: 'invalid_argument',
      message: `GitHub answered 400 to GET /_apis/distributedtask/pools/0/agents: ${words}`,
    });
    await client.close();
  });

  test('carry what a program wants to know', async () => {
    github.on('GET', AGENTS, { status: 400, body: typed('SomeException', 'no') });
    const client = clientOf(github.url);
    expect(failureOf(await caught(client.findRunner('a', call)))).toEqual({
      service: 'actions',
      status: 400,
      typeName: 'GitHub.Actions.Runtime.WebApi.SomeException, GitHub.Actions.Runtime.WebApi',
      transient: false,
    });
    await client.close();
  });

  test('a successful answer that is no answer is unavailable', async () => {
    github.on('GET', AGENTS, { body: '<html>Please log in</html>' });
    const client = clientOf(github.url);
    expect(await caught(client.findRunner('a', call))).toMatchObject({ code: 'unavailable' });
    await client.close();
  });
});

describe('scale sets', () => {
  const linux = { id: 7, name: 'Linux', runnerGroupId: 1, labels: [{ type: 'System', name: 'linux' }] };

  test('are looked up in the default group without asking for it', async () => {
    github.on('GET', SETS, { body: { count: 1, value: [linux] } });
    const client = clientOf(github.url);
    expect(await client.findScaleSet('linux', 'Default', call)).toMatchObject({ id: 7, labels: ['linux'] });
    const { query } = github.requests.at(-1) ?? { query: new URLSearchParams() };
    expect([query.get('runnerGroupId'), query.get('name')]).toEqual(['1', 'linux']);
    expect(github.count('GET', GROUPS)).toBe(0);
    await client.close();
  });

  test('are looked up in the group of that name', async () => {
    github.on('GET', GROUPS, { body: { count: 1, value: [{ id: 5, name: 'R & D + more' }] } });
    github.on('GET', SETS, { body: { count: 0, value: [] } });
    const client = clientOf(github.url);
    expect(await client.findScaleSet('linux', 'R & D + more', call)).toBeUndefined();
    expect(github.requests.at(-2)?.url).toContain('groupName=R%20%26%20D%20%2B%20more');
    expect(github.requests.at(-1)?.query.get('runnerGroupId')).toBe('5');
    await client.close();
  });

  test('in a group that is not there: the error names it', async () => {
    github.on('GET', GROUPS, { body: { count: 0, value: [] } });
    const client = clientOf(github.url);
    const error = await caught(client.findScaleSet('linux', 'builders', call));
    expect(error).toMatchObject({ code: 'not_found', message: 'there is no runner group "builders"' });
    expect(client.refusalOf(error)).toBe('refused');
    await client.close();
  });

  test('a byte order mark and other letters do no harm', async () => {
    github.on('GET', SETS, { body: `\uFEFF${JSON.stringify({ Count: 1, Value: [{ Id: 7, NAME: 'linux' }] })}` });
    const client = clientOf(github.url);
    expect(await client.findScaleSet('linux', 'Default', call)).toMatchObject({ id: 7 });
    await client.close();
  });

  test('are created with their labels, the name first, each once', async () => {
    github.on('POST', SETS, { body: linux });
    const client = clientOf(github.url);
    await client.createScaleSet('linux', '', ['GPU', 'Linux', 'gpu'], call);
    expect(JSON.parse(github.requests.at(-1)?.body ?? '')).toEqual({
      name: 'linux',
      runnerGroupId: 1,
      labels: [
        { type: 'System', name: 'GPU' },
        { type: 'System', name: 'Linux' },
      ],
      RunnerSetting: { disableUpdate: true },
    });
    await client.close();
  });

  test('that another daemon created meanwhile are looked up again', async () => {
    github.on('POST', SETS, {
      status: 400,
      body: typed('RunnerScaleSetExistsException', 'a scale set linux already exists'),
    });
    github.on('GET', SETS, { body: { count: 1, value: [linux] } });
    const client = clientOf(github.url);
    expect(await client.createScaleSet('linux', 'Default', [], call)).toMatchObject({ id: 7 });
    await client.close();
  });

  test('without a name are refused here', async () => {
    const client = clientOf(github.url);
    expect(await caught(client.createScaleSet('', 'Default', [], call))).toMatchObject({ code: 'invalid_argument' });
    expect(github.requests).toHaveLength(0);
    await client.close();
  });
});

describe('registrations', () => {
  const runner = { id: 12, name: 'linux-1', runnerScaleSetId: 7 };

  test('give the id of the runner and its configuration, which the redactor knows', async () => {
    github.on('POST', JIT, { body: { runner, encodedJITConfig: 'c2VjcmV0LWNvbmZpZw==' } });
    const redactor = createRedactor();
    const client = clientOf(github.url, { redactor });
    const registration = await client.createJitConfig(LINUX, 'linux-1', call);
    expect([registration.runnerId, registration.runnerName, registration.jitConfig.reveal()]).toEqual([
      12,
      'linux-1',
      'c2VjcmV0LWNvbmZpZw==',
    ]);
    expect(JSON.parse(github.requests.at(-1)?.body ?? '')).toEqual({ name: 'linux-1', workFolder: '' });
    expect(github.requests.at(-1)?.headers['user-agent']).toContain('"scale_set_id":7');
    expect(redactor.redact('x c2VjcmV0LWNvbmZpZw== y')).toBe('x REDACTED y');
    await client.close();
  });

  test('of a name that is taken are busy, and name it', async () => {
    github.on('POST', JIT, { status: 409, body: typed('AgentExistsException', 'exists') });
    const client = clientOf(github.url);
    expect(await caught(client.createJitConfig(LINUX, 'linux-1', call))).toMatchObject({
      code: 'busy',
      message: 'a runner "linux-1" is registered already',
    });
    await client.close();
  });

  test('are found by their very name', async () => {
    github.on('GET', AGENTS, { body: { count: 1, value: [runner] } });
    const client = clientOf(github.url);
    expect(await client.findRunner('linux-1', call)).toEqual({ id: 12, name: 'linux-1', scaleSetId: 7 });
    expect(await caught(client.findRunner('linux-2', call))).toMatchObject({ code: 'unavailable' });
    await client.close();
  });

  test('of which there are two of one name are an error', async () => {
    github.on('GET', AGENTS, { body: { count: 2, value: [runner, runner] } });
    const client = clientOf(github.url);
    expect(await caught(client.findRunner('linux-1', call))).toMatchObject({ code: 'invalid_argument' });
    await client.close();
  });

  test.each<[string, Script]>([
    ['removed', () => ({ status: 204 })],
    ['unknown', () => ({ status: 404, body: typed('AgentNotFoundException', 'no agent 12') })],
  ])('that are %s are gone', async (_, script) => {
    github.on('DELETE', AGENT, script);
    const client = clientOf(github.url);
    await expect(client.removeRunner(12, call)).resolves.toBeUndefined();
    await client.close();
  });

  const unnamed404: readonly [string, Script][] = [
    ['nothing', () => ({ status: 404 })],
    ['no name for it', () => ({ status: 404, body: { message: 'Not Found' } })],
  ];
  test.each(unnamed404)('are gone when a 404 with %s is said twice', async (_, script) => {
    github.on('DELETE', AGENT, script);
    github.on('GET', AGENT, script);
    const client = clientOf(github.url);
    await expect(client.removeRunner(12, call)).resolves.toBeUndefined();
    expect(github.count('GET', AGENT)).toBe(1);
    await client.close();
  });

  test.each(unnamed404)('are not taken for gone on one 404 with %s', async (_, script) => {
    github.on('DELETE', AGENT, script);
    github.on('GET', AGENT, { body: { id: 12, name: 'linux-1' } });
    const client = clientOf(github.url);
    expect(await caught(client.removeRunner(12, call))).toMatchObject({ code: 'unavailable' });
    await client.close();
  });

  test('are not taken for gone because a proxy says 404', async () => {
    github.on('DELETE', AGENT, { status: 404, body: '<html><title>404 nginx</title></html>' });
    const client = clientOf(github.url);
    expect(await caught(client.removeRunner(12, call))).toMatchObject({ code: 'unavailable' });
    await client.close();
  });

  test.each([400, 409])('with a job are busy, whether told by %i', async (status) => {
    github.on('DELETE', AGENT, { status, body: typed('JobStillRunningException', 'runner 12 has a job') });
    const client = clientOf(github.url);
    expect(await caught(client.removeRunner(12, call))).toMatchObject({ code: 'busy' });
    await client.close();
  });

  test.each([403, 500])('are not removed by a %i', async (status) => {
    github.on('DELETE', AGENT, { status });
    const client = clientOf(github.url, { clock: quickClock() });
    await caught(client.removeRunner(12, call));
    await client.close();
  });
});
