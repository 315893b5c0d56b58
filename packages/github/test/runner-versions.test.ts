import { startGitHubEmulator } from '@rungar/emulators/github';
import { Secret } from '@rungar/model';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { call, clientOf } from './clients.js';
import { type ScriptedGitHub, startScriptedGitHub } from './scripted-github.js';

let github: ScriptedGitHub;
beforeEach(async () => {
  github = await startScriptedGitHub();
});
afterEach(() => github.close());

test('a listing tells the version of each runner that has connected, and nothing that is no version', async () => {
  const runner = { status: 'online', busy: false };
  const runners = [
    { id: 1, name: 'a', ...runner, version: '2.335.1' },
    { id: 2, name: 'b', ...runner, version: null },
    { id: 3, name: 'c', ...runner, version: '<b>new</b>' },
    { id: 4, name: 'd', ...runner },
  ];
  github.on('GET', /\/actions\/runners$/, { body: { total_count: 4, runners } });
  const client = clientOf(github.url);
  const found = await client.runnerStatuses(call);
  expect([...found.runners].map(([name, { version }]) => [name, version])).toEqual([
    ['a', '2.335.1'],
    ['b', undefined],
    ['c', undefined],
    ['d', undefined],
  ]);
  await client.close();
});

test.each([
  [
    { runner_version: '2.335.1', runtime_deprecates_at: '2026-09-24T15:30:55Z' },
    { jobsEndAt: Date.UTC(2026, 8, 24, 15, 30, 55) },
  ],
  [{ runner_version: '2.337.0', runtime_deprecates_at: null, registration_deprecates_at: null }, {}],
  [
    { runner_version: '2.328.0', registration_deprecates_at: '2026-03-16T00:00:00Z' },
    { registrationEndsAt: Date.UTC(2026, 2, 16) },
  ],
])('the days GitHub has named for a version are told: %j', async (body, life) => {
  github.on('GET', /\/actions\/runners\/deprecations\//, { body });
  const client = clientOf(github.url);
  expect(await client.runnerVersionLife(body.runner_version, call)).toEqual(life);
  await client.close();
});

test('nothing is told of a version GitHub does not know; trouble and other bodies are errors', async () => {
  const client = clientOf(github.url);
  const answers: [object, object][] = [
    [{ status: 503, body: {} }, { code: 'unavailable' }],
    [{ body: { message: 'hello' } }, { message: expect.stringContaining('runner version') }],
  ];
  github.on('GET', /\/actions\/runners\/deprecations\//, { status: 404, body: { message: 'Not Found' } });
  expect(await client.runnerVersionLife('9.9.9', call)).toBeUndefined();
  for (const [answer, error] of answers) {
    github.on('GET', /\/actions\/runners\/deprecations\//, answer);
    await expect(client.runnerVersionLife('9.9.9', call)).rejects.toMatchObject(error);
  }
  await client.close();
});

test('the emulated GitHub tells the same', async () => {
  const emulated = await startGitHubEmulator({
    runnerVersions: { '2.335.1': '2027-01-09T00:00:00Z', '2.337.0': null },
  });
  const client = clientOf(emulated.configUrl, {
    credentials: { kind: 'token', token: new Secret(emulated.createToken()) },
  });
  expect(await client.runnerVersionLife('2.335.1', call)).toEqual({ jobsEndAt: Date.UTC(2027, 0, 9) });
  expect(await client.runnerVersionLife('2.337.0', call)).toEqual({});
  expect(await client.runnerVersionLife('2.1.0', call)).toBeUndefined();
  await client.close();
  await emulated.close();
});
