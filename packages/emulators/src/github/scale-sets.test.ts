import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { call, connect, openSession, type RawService, registerRunner, SCALE_SETS } from '../../test/raw-client.js';
import { type ManualClock, manualClock } from '../clock.js';
import type { GitHubEmulator } from './emulator.js';
import { startGitHubEmulator } from './start.js';

const NOW = Date.UTC(2026, 10, 30, 12);
const AGENTS = '_apis/distributedtask/pools/0/agents';
let clock: ManualClock;
let github: GitHubEmulator;
let service: RawService;

beforeEach(async () => {
  clock = manualClock(NOW);
  github = await startGitHubEmulator({ clock, runnerGroups: ['gpu'] });
  service = await connect(github);
});
afterEach(() => github.close());

const create = (body: unknown) => service.service('POST', SCALE_SETS, body);
const linux = { name: 'linux', runnerGroupId: 1, labels: [{ type: 'System', name: 'linux' }] };

describe('every call of the Actions service', () => {
  test.each([
    ['no API version', '', 'api-version is missing'],
    ['another API version', '?api-version=5.0', 'api-version is 5.0'],
  ])('wants its own API version: %s', async (_, query, message) => {
    const answer = await call(`${service.base}${SCALE_SETS}/1${query}`, { authorization: `Bearer ${service.admin}` });
    expect(answer.status).toBe(400);
    expect(answer.json.message).toContain(message);
  });

  test.each([
    ['no token', undefined],
    ['another token', 'Bearer other'],
    ['another scheme', 'RemoteAuth TOKEN'],
  ])('wants an admin token: %s', async (_, authorization) => {
    const answer = await call(`${service.base}${SCALE_SETS}/1?api-version=6.0-preview`, {
      ...(authorization !== undefined && { authorization: authorization.replace('TOKEN', service.admin) }),
    });
    expect(answer.status).toBe(401);
    expect(answer.json.typeName).toContain('VssUnauthorizedException');
  });

  test('wants the admin token of the tenant that is called', async () => {
    const other = await connect(github, 'acme/web');
    const answer = await call(`${service.base}${SCALE_SETS}/1?api-version=6.0-preview`, {
      authorization: `Bearer ${other.admin}`,
    });
    expect(answer.status).toBe(401);
  });

  test('refuses an admin token that was revoked before its time, or has expired', async () => {
    const { id } = github.addScaleSet({ name: 'linux' });
    const status = async () => (await service.service('GET', `${SCALE_SETS}/${id}`)).status;
    expect(await status()).toBe(200);
    github.expireTokens('admin');
    expect(await status()).toBe(401);
    service = await connect(github);
    clock.advance(3_599_999);
    expect(await status()).toBe(200);
    clock.advance(1);
    expect(await status()).toBe(401);
  });

  test('carries an activity id, also when it is refused', async () => {
    const answer = await service.service('GET', `${SCALE_SETS}/99`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('activityid')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('refuses what it does not read', async () => {
    expect((await service.service('GET', `${SCALE_SETS}/1?expand=all`)).json.message).toBe(
      'the query parameter expand is not read here',
    );
    expect((await create({ ...linux, colour: 'red' })).json.message).toBe('the member colour is not read here');
    expect((await create('{')).json.message).toBe('the body is not JSON');
  });
});

describe('scale sets', () => {
  test('are created with what was asked for', async () => {
    const answer = await create({
      ...linux,
      id: 0,
      labels: [{ name: 'linux' }, { type: 'System', name: 'big' }],
      RunnerSetting: { disableUpdate: true },
      createdOn: '0001-01-01T00:00:00Z',
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      id: 1,
      name: 'linux',
      runnerGroupId: 1,
      runnerGroupName: 'Default',
      labels: [
        { name: 'linux', type: 'System' },
        { name: 'big', type: 'System' },
      ],
      runnerSetting: { disableUpdate: true },
      createdOn: '2026-11-30T12:00:00.000Z',
      statistics: { totalAssignedJobs: 0, totalRegisteredRunners: 0 },
    });
  });

  test('have their name as their label when none is given', async () => {
    expect((await create({ name: 'plain' })).json.labels).toMatchObject([{ name: 'plain' }]);
  });

  test.each([
    ['the name is taken in another case', { ...linux, name: 'LINUX' }, 'RunnerScaleSetExistsException'],
    ['there is no such group', { ...linux, name: 'new', runnerGroupId: 9 }, 'RunnerGroupNotFoundException'],
    ['there is no name', { labels: [] }, 'VssPropertyValidationException'],
  ])('are refused when %s', async (_, body, typeName) => {
    await create(linux);
    const answer = await create(body);
    expect([answer.status, answer.json.typeKey]).toEqual([400, typeName]);
    expect(answer.json.typeName).toMatch(new RegExp(`^GitHub\\.[\\w.]+\\.${typeName}, GitHub\\.`));
  });

  test('can be written with capitals, refusals and messages as well', async () => {
    github.settings.capitalMembers = true;
    const { json } = await service.service('POST', SCALE_SETS, { name: 'linux' });
    expect(json).toMatchObject({ Id: 1, Name: 'linux', Labels: [{ Name: 'linux' }], RunnerGroupId: 1 });
    expect((await service.service('GET', `${SCALE_SETS}/99`)).json.TypeName).toContain('RunnerScaleSetNotFound');
  });

  test('keep only their name as a label where the server knows no more', async () => {
    github.settings.singleLabel = true;
    const labels = [{ type: 'System', name: 'gpu' }];
    const { json } = await service.service('POST', SCALE_SETS, { name: 'linux', labels });
    expect(json.labels).toMatchObject([{ name: 'linux' }]);
  });

  test('may have the same name in another group', async () => {
    await create(linux);
    expect((await create({ ...linux, runnerGroupId: 2 })).json).toMatchObject({ id: 2, runnerGroupName: 'gpu' });
  });

  test('are found by name and group, ignoring case', async () => {
    await create(linux);
    const find = (query: string) => service.service('GET', `${SCALE_SETS}?${query}`);
    expect((await find('runnerGroupId=1&name=Linux')).json).toMatchObject({
      count: 1,
      value: [{ id: 1, name: 'linux' }],
    });
    expect((await find('runnerGroupId=2&name=linux')).json).toEqual({ count: 0, value: [] });
    expect((await find('runnerGroupId=1')).status).toBe(400);
  });

  test('are read by id, 404 when there is none', async () => {
    await create(linux);
    expect((await service.service('GET', `${SCALE_SETS}/1`)).json.name).toBe('linux');
    const answer = await service.service('GET', `${SCALE_SETS}/2`);
    expect([answer.status, answer.json.typeKey]).toEqual([404, 'RunnerScaleSetNotFoundException']);
  });

  test('of one scope are unknown in another', async () => {
    await create(linux);
    const other = await connect(github, 'acme/web');
    expect((await other.service('GET', `${SCALE_SETS}/1`)).status).toBe(404);
  });

  test('change their name and group', async () => {
    await create(linux);
    const answer = await service.service('PATCH', `${SCALE_SETS}/1`, { name: 'bigger', runnerGroupId: 2 });
    expect(answer.json).toMatchObject({ name: 'bigger', runnerGroupId: 2 });
    expect((await service.service('PATCH', `${SCALE_SETS}/1`, { labels: [] })).status).toBe(400);
  });

  test('that are deleted or purged answer 404, and lose their session and runners', async () => {
    await create(linux);
    await create({ name: 'second' });
    const session = await openSession(service, 2);
    await registerRunner(service, 2, 'r-1');
    expect((await service.service('DELETE', `${SCALE_SETS}/1`)).status).toBe(204);
    github.purgeScaleSet(2);
    expect((await service.service('GET', `${SCALE_SETS}/1`)).status).toBe(404);
    expect((await session.poll()).status).toBe(404);
    expect((await service.service('POST', `${SCALE_SETS}/2/sessions`, { ownerName: 'me' })).json.typeKey).toBe(
      'RunnerScaleSetNotFoundException',
    );
    expect(github.runners()).toEqual([]);
  });

  test('find their runner group by name', async () => {
    const find = (name: string) => service.service('GET', `_apis/runtime/runnergroups/?groupName=${name}`);
    expect((await find('gpu')).json).toEqual({
      count: 1,
      value: [{ id: 2, name: 'gpu', size: 0, isDefaultGroup: false }],
    });
    expect((await find('none')).json).toEqual({ count: 0, value: [] });
  });
});

describe('runners', () => {
  beforeEach(async () => {
    await create(linux);
  });
  const jitConfig = (body: unknown) => service.service('POST', `${SCALE_SETS}/1/generatejitconfig`, body);

  test('are registered offline by a JIT configuration', async () => {
    const answer = await jitConfig({ name: 'linux-1', workFolder: '' });
    expect(answer.json.runner).toEqual({ id: 1, name: 'linux-1', runnerScaleSetId: 1 });
    expect(answer.json.encodedJITConfig).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
    expect(github.runners()).toMatchObject([{ name: 'linux-1', scaleSet: 'linux', status: 'offline', busy: false }]);
    expect(github.scaleSets()[0]?.statistics).toMatchObject({ totalRegisteredRunners: 1, totalIdleRunners: 0 });
  });

  test('have names of their own', async () => {
    await jitConfig({ name: 'linux-1', workFolder: '' });
    const answer = await jitConfig({ name: 'Linux-1', workFolder: '' });
    expect([answer.status, answer.json.typeKey]).toEqual([409, 'AgentExistsException']);
  });

  test.each([
    ['no name', { workFolder: '' }, 400],
    ['a name of 64 characters', { name: 'x'.repeat(64) }, 200],
    ['a name of 65 characters', { name: 'x'.repeat(65) }, 400],
    ['an unknown member', { name: 'a', labels: [] }, 400],
  ])('with %s', async (_, body, status) => {
    expect((await jitConfig(body)).status).toBe(status);
  });

  test('are found by name and by id', async () => {
    const { id } = await registerRunner(service, 1, 'linux-1');
    const runner = { id, name: 'linux-1', runnerScaleSetId: 1 };
    expect((await service.service('GET', `${AGENTS}?agentName=linux-1`)).json).toEqual({ count: 1, value: [runner] });
    expect((await service.service('GET', `${AGENTS}?agentName=none`)).json).toEqual({ count: 0, value: [] });
    expect((await service.service('GET', `${AGENTS}/${id}`)).json).toEqual(runner);
    const unknown = await service.service('GET', `${AGENTS}/99`);
    expect([unknown.status, unknown.json.typeKey]).toEqual([404, 'AgentNotFoundException']);
  });

  test('are removed, and removing one that is unknown is no error', async () => {
    const { id } = await registerRunner(service, 1, 'linux-1');
    expect((await service.service('DELETE', `${AGENTS}/${id}`)).status).toBe(204);
    expect((await service.service('DELETE', `${AGENTS}/${id}`)).status).toBe(204);
    expect(github.runners()).toEqual([]);
  });

  test('that never connect are forgotten after a day', async () => {
    await registerRunner(service, 1, 'linux-1');
    clock.advance(24 * 3_600_000 - 1);
    expect(github.runners()).toHaveLength(1);
    clock.advance(1);
    expect(github.runners()).toEqual([]);
  });
});
