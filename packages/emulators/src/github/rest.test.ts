import { generateKeyPairSync } from 'node:crypto';
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appJwt, call, connect, type RawAnswer, registerRunner } from '../../test/raw-client.js';
import { type ManualClock, manualClock } from '../clock.js';
import type { EmulatedApp } from './credentials.js';
import type { GitHubEmulator } from './emulator.js';
import { startGitHubEmulator } from './start.js';

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicKey = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const privateKey = keys.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const NOW = Date.UTC(2026, 10, 30, 12);
const NOW_S = NOW / 1000;
let clock: ManualClock;
let github: GitHubEmulator;

beforeEach(async () => {
  clock = manualClock(NOW);
  github = await startGitHubEmulator({ clock, scopes: ['acme', 'enterprises/big'], rateLimit: 50 });
});
afterEach(() => github.close());

const post = (path: string, authorization: string, body?: unknown): Promise<RawAnswer> =>
  call(`${github.url}/api/v3${path}`, { method: 'POST', authorization, ...(body !== undefined && { body }) });
const get = (path: string, authorization: string, headers: Record<string, string> = {}): Promise<RawAnswer> =>
  call(`${github.url}/api/v3${path}`, { authorization, headers });
const register = (url: string, token: string): Promise<RawAnswer> =>
  post('/actions/runner-registration', `RemoteAuth ${token}`, { url, runner_event: 'register' });

describe('installation tokens', () => {
  let app: EmulatedApp;
  const mint = (jwt: string, installation = app.installationId): Promise<RawAnswer> =>
    post(`/app/installations/${installation}/access_tokens`, `Bearer ${jwt}`);
  beforeEach(async () => {
    app = { ...(await github.createApp({ publicKey })), privateKey };
  });

  test.each([
    ['its client id', () => ({})],
    ['its app id as text', () => ({ iss: String(app.appId) })],
    ['its app id as a number', () => ({ iss: app.appId })],
    ['ten minutes between its times', () => ({ iat: NOW_S - 30, exp: NOW_S + 570 })],
  ])('an App gets a token for an hour with a JWT that has %s', async (_, claims) => {
    const answer = await mint(appJwt(app, NOW, claims()));
    expect(answer.status).toBe(201);
    expect(answer.json.token).toMatch(/^ghs_/);
    expect(answer.json.expires_at).toBe('2026-11-30T13:00:00.000Z');
    expect(answer.headers.get('x-github-request-id')).not.toBeNull();
  });

  test.each([
    ['was issued in the future', { iat: NOW_S + 1 }, "'Issued at' claim"],
    ['has expired', { iat: NOW_S - 500, exp: NOW_S }, "'Expiration time' claim"],
    ['is valid for longer than ten minutes', { iat: NOW_S - 60, exp: NOW_S + 541 }, 'too far in the future'],
    ['has parts of seconds', { iat: NOW_S - 60.5 }, "'Issued at' claim"],
    ['is of another App', { iss: 'Iv23somebody' }, 'Integration not found'],
    ['names nobody', { iss: undefined }, 'could not be decoded'],
  ])('refuses a JWT that %s', async (_, claims, message) => {
    const answer = await mint(appJwt(app, NOW, claims));
    expect(answer.status).toBe(401);
    expect(answer.json.message).toContain(message);
  });

  test('refuses a JWT signed with the key of another App', async () => {
    const other = await github.createApp();
    const answer = await mint(appJwt({ ...app, privateKey: other.privateKey }, NOW));
    expect([answer.status, answer.json.message]).toEqual([401, 'A JSON web token could not be decoded']);
  });

  test('refuses text that is no JWT, and another scheme', async () => {
    expect((await mint('nonsense')).status).toBe(401);
    const answer = await post(`/app/installations/${app.installationId}/access_tokens`, `token ${appJwt(app, NOW)}`);
    expect(answer.status).toBe(401);
  });

  test('does not know the installation of another App', async () => {
    const other = await github.createApp({ publicKey });
    expect((await mint(appJwt(app, NOW), other.installationId)).status).toBe(404);
  });

  test('a token is refused from the moment it expires', async () => {
    const { token } = (await mint(appJwt(app, NOW))).json as { token: string };
    clock.advance(3_599_999);
    expect((await get('/orgs/acme/actions/runners', `token ${token}`)).status).toBe(200);
    clock.advance(1);
    expect((await get('/orgs/acme/actions/runners', `token ${token}`)).status).toBe(401);
  });

  test('an App has no access to an enterprise', async () => {
    const { token } = (await mint(appJwt(app, NOW))).json as { token: string };
    const answer = await post('/enterprises/big/actions/runners/registration-token', `Bearer ${token}`);
    expect([answer.status, answer.json.message]).toEqual([403, 'Resource not accessible by integration']);
  });
});

describe('the Actions service connection', () => {
  const registrationToken = async (path: string): Promise<string> => {
    const answer = await post(`${path}/actions/runners/registration-token`, `Bearer ${github.createToken()}`);
    return String(answer.json.token);
  };

  test.each([
    ['an organisation', '/orgs/acme', 'acme'],
    ['a repository of it', '/repos/acme/web', 'acme/web'],
    ['an enterprise', '/enterprises/big', 'enterprises/big'],
    ['an organisation in another case', '/orgs/ACME', 'Acme'],
  ])('leads from a registration token to the service of %s', async (_, path, scope) => {
    const answer = await register(`${github.url}/${scope}`, await registrationToken(path));
    expect(answer.status).toBe(200);
    expect(answer.json.url).toMatch(new RegExp(`^${github.url}/tenant/[0-9a-f]+/$`));
    const [, payload = ''] = String(answer.json.token).split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ exp: NOW_S + 3600 });
  });

  test('can hand out a token that ends soon', async () => {
    github.setFault({ operation: 'runner-registration', kind: 'special', special: 'short-expiry' });
    const answer = await register(github.configUrl, await registrationToken('/orgs/acme'));
    const [, payload = ''] = String(answer.json.token).split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ exp: NOW_S + 30 });
  });

  test('every scope has a tenant of its own', async () => {
    const urls = await Promise.all(
      [
        ['/orgs/acme', 'acme'],
        ['/repos/acme/web', 'acme/web'],
      ].map(
        async ([path = '', scope]) =>
          (await register(`${github.url}/${scope}`, await registrationToken(path))).json.url,
      ),
    );
    expect(new Set(urls).size).toBe(2);
  });

  test('refuses a registration token for another scope than the URL', async () => {
    const answer = await register(`${github.url}/acme/web`, await registrationToken('/orgs/acme'));
    expect(answer.status).toBe(400);
    expect(answer.json.message).toContain('the registration token is for acme');
  });

  test.each([
    ['another event', { runner_event: 'remove' }, 'runner_event has to be register'],
    ['an unknown member', { runner_event: 'register', extra: 1 }, 'the member extra is not read here'],
    ['no event', {}, 'the member runner_event is missing'],
  ])('refuses a body with %s', async (_, members, message) => {
    const token = await registrationToken('/orgs/acme');
    const body = { url: github.configUrl, ...members };
    const answer = await post('/actions/runner-registration', `RemoteAuth ${token}`, body);
    expect([answer.status, answer.json.message]).toEqual([400, message]);
  });

  test('takes a registration token under its own scheme only', async () => {
    const token = await registrationToken('/orgs/acme');
    const body = { url: github.configUrl, runner_event: 'register' };
    expect((await post('/actions/runner-registration', `Bearer ${token}`, body)).status).toBe(401);
    expect((await post('/actions/runner-registration', 'RemoteAuth other', body)).status).toBe(401);
  });
});

describe('what a caller lacks', () => {
  test('no or a wrong token is 401', async () => {
    expect((await call(`${github.url}/api/v3/orgs/acme/actions/runners`)).status).toBe(401);
    expect((await get('/orgs/acme/actions/runners', 'Bearer ghp_wrong')).json.message).toBe('Bad credentials');
  });

  test('a token without the permission is 403', async () => {
    const token = github.createToken({ canManageRunners: false });
    expect((await get('/orgs/acme/actions/runners', `Bearer ${token}`)).status).toBe(403);
  });

  test('a scope that does not exist is 404', async () => {
    expect((await get('/orgs/nobody/actions/runners', `Bearer ${github.createToken()}`)).status).toBe(404);
    expect((await get('/repos/nobody/web/actions/runners', `Bearer ${github.createToken()}`)).status).toBe(404);
  });

  test('a call without a User-Agent is 403', async () => {
    const status = await new Promise((resolve) => {
      const path = `${github.url}/api/v3/orgs/acme/actions/runners`;
      const options = { headers: { authorization: `Bearer ${github.createToken()}` } };
      request(path, options, (response) => resolve(response.resume().statusCode)).end();
    });
    expect(status).toBe(403);
  });

  test('another API version is 400', async () => {
    const headers = { 'x-github-api-version': '1999-01-01' };
    expect((await get('/orgs/acme/actions/runners', `Bearer ${github.createToken()}`, headers)).status).toBe(400);
  });
});

describe('the runner listing', () => {
  let token: string;
  const list = (query = '', headers: Record<string, string> = {}): Promise<RawAnswer> =>
    get(`/orgs/acme/actions/runners${query}`, `Bearer ${token}`, headers);
  const names = (answer: RawAnswer): unknown[] => (answer.json.runners as { name: string }[]).map(({ name }) => name);
  beforeEach(async () => {
    token = github.createToken();
    const service = await connect(github);
    const { id } = github.addScaleSet({ name: 'linux' });
    for (const name of ['r-1', 'r-2', 'r-3', 'r-4', 'r-5']) await registerRunner(service, id, name);
  });

  test('shows a registered runner that has not connected as offline', async () => {
    const answer = await list();
    expect(answer.json.total_count).toBe(5);
    expect((answer.json.runners as unknown[])[0]).toMatchObject({ id: 1, name: 'r-1', status: 'offline', busy: false });
    expect(answer.headers.get('link')).toBeNull();
  });

  test('leads through its pages by links that keep the query', async () => {
    const first = await list('?per_page=2');
    expect(names(first)).toEqual(['r-1', 'r-2']);
    const url = `${github.url}/api/v3/orgs/acme/actions/runners`;
    expect(first.headers.get('link')).toBe(
      `<${url}?per_page=2&page=2>; rel="next", <${url}?per_page=2&page=3>; rel="last"`,
    );
    const last = await list('?per_page=2&page=3');
    expect(names(last)).toEqual(['r-5']);
    expect(last.json.total_count).toBe(5);
    expect(last.headers.get('link')).toBe(
      `<${url}?per_page=2&page=2>; rel="prev", <${url}?per_page=2&page=1>; rel="first"`,
    );
  });

  test.each(['?per_page=101', '?per_page=0', '?page=x', '?sort=name'])('refuses %s', async (query) => {
    expect((await list(query)).status).toBe(400);
  });

  test('finds a runner by its exact name', async () => {
    expect(names(await list('?name=r-3'))).toEqual(['r-3']);
    expect(names(await list('?name=r'))).toEqual([]);
  });

  test('shows one runner by its id, and 404 for one that is not registered', async () => {
    expect((await get('/orgs/acme/actions/runners/2', `Bearer ${token}`)).json).toMatchObject({ id: 2, name: 'r-2' });
    expect((await get('/orgs/acme/actions/runners/99', `Bearer ${token}`)).status).toBe(404);
  });

  test('can have other ids than the Actions service', async () => {
    github.settings.restRunnerIdOffset = 1000;
    expect((await list('?name=r-2')).json.runners).toMatchObject([{ id: 1002 }]);
    expect((await get('/orgs/acme/actions/runners/2', `Bearer ${token}`)).status).toBe(404);
  });

  test('does not show the runners of another scope', async () => {
    expect((await get('/repos/acme/web/actions/runners', `Bearer ${token}`)).json.total_count).toBe(0);
  });

  test('answers 304 to a known ETag until something changes, and does not count it', async () => {
    const first = await list();
    const etag = first.headers.get('etag') ?? '';
    const same = await list('', { 'if-none-match': etag });
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', etag]);
    expect(same.headers.get('x-ratelimit-used')).toBe('1');
    await registerRunner(await connect(github), 1, 'r-6');
    expect((await list('', { 'if-none-match': etag })).status).toBe(200);
  });

  test('counts the calls of a credential, and refuses them beyond the limit until the window ends', async () => {
    const first = await list();
    expect(first.headers.get('x-ratelimit-limit')).toBe('50');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('49');
    expect(first.headers.get('x-ratelimit-resource')).toBe('core');
    expect(first.headers.get('x-ratelimit-reset')).toBe(String(NOW_S + 3600));
    for (let calls = 1; calls < 50; calls += 1) await list();
    const refused = await list();
    expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([403, '0']);
    expect((await get('/orgs/acme/actions/runners', `Bearer ${github.createToken()}`)).status).toBe(200);
    clock.advance(3_600_000);
    expect((await list()).status).toBe(200);
  });
});

describe('the App manifest flow', () => {
  const manifest = (permissions: Record<string, string>): string =>
    JSON.stringify({
      name: 'My Tool',
      url: 'https://example.com',
      redirect_url: 'http://127.0.0.1:1/back?from=github',
      public: false,
      default_permissions: permissions,
    });
  const send = (text: string): Promise<Response> =>
    fetch(`${github.url}/organizations/acme/settings/apps/new?state=abc`, {
      method: 'POST',
      body: new URLSearchParams({ manifest: text }),
      redirect: 'manual',
    });
  const codeOf = async (text: string): Promise<string> => {
    const back = new URL((await send(text)).headers.get('location') ?? '');
    expect([back.origin, back.pathname, back.searchParams.get('from')]).toEqual([
      'http://127.0.0.1:1',
      '/back',
      'github',
    ]);
    expect(back.searchParams.get('state')).toBe('abc');
    return back.searchParams.get('code') ?? '';
  };

  test('ends with an App that is installed and may do what its manifest says', async () => {
    const code = await codeOf(manifest({ organization_self_hosted_runners: 'write', metadata: 'read' }));
    const { status, json: app } = await post(`/app-manifests/${code}/conversions`, '');
    expect(status).toBe(201);
    expect(app).toMatchObject({ slug: 'my-tool', name: 'My Tool', html_url: `${github.url}/apps/my-tool` });
    const made = { clientId: String(app.client_id), privateKey: String(app.pem) } as EmulatedApp;
    const jwt = appJwt(made, NOW);
    const installations = await get('/app/installations', `Bearer ${jwt}`);
    const [{ id }] = JSON.parse(installations.text);
    expect(JSON.parse(installations.text)).toEqual([{ id, account: { login: 'acme' } }]);
    const { json } = await post(`/app/installations/${id}/access_tokens`, `Bearer ${jwt}`);
    expect((await get('/orgs/acme/actions/runners', `Bearer ${json.token}`)).status).toBe(200);
  });

  test('gives an App without the permission no power', async () => {
    const code = await codeOf(manifest({ metadata: 'read' }));
    const { json: app } = await post(`/app-manifests/${code}/conversions`, '');
    const jwt = appJwt({ clientId: String(app.client_id), privateKey: String(app.pem) } as EmulatedApp, NOW);
    const [{ id }] = JSON.parse((await get('/app/installations', `Bearer ${jwt}`)).text);
    const { json } = await post(`/app/installations/${id}/access_tokens`, `Bearer ${jwt}`);
    expect((await get('/orgs/acme/actions/runners', `Bearer ${json.token}`)).status).toBe(403);
  });

  test('takes a code once, and for an hour', async () => {
    const used = await codeOf(manifest({}));
    const late = await codeOf(manifest({}));
    expect((await post(`/app-manifests/${used}/conversions`, '')).status).toBe(201);
    expect((await post(`/app-manifests/${used}/conversions`, '')).status).toBe(404);
    clock.advance(3_600_000);
    expect((await post(`/app-manifests/${late}/conversions`, '')).status).toBe(404);
  });

  test('refuses a manifest with what it does not read', async () => {
    const answer = await send(JSON.stringify({ name: 'x', nonsense: 1 }));
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('nonsense');
  });
});

test('an account is a person or an organisation, whoever asks', async () => {
  await github.close();
  github = await startGitHubEmulator({ people: ['alice'] });
  expect(JSON.parse((await call(`${github.url}/api/v3/users/Alice`)).text)).toEqual({ login: 'alice', type: 'User' });
  const token = github.createToken();
  expect((await get('/users/acme', `Bearer ${token}`)).json).toEqual({ login: 'acme', type: 'Organization' });
  expect((await get('/users/nobody', `Bearer ${token}`)).status).toBe(404);
});
