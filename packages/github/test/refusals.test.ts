import { startGitHubEmulator } from '@rungar/emulators/github';
import { Secret } from '@rungar/model';
import { afterEach, describe, expect, test } from 'vitest';
import type { Credentials } from '../src/index.js';
import { APP, call, clientOf } from './clients.js';
import { quickClock } from './quick-clock.js';
import { startScriptedGitHub } from './scripted-github.js';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const token = (text: string) => ({ kind: 'token', token: new Secret(text) }) as const;

/** What a first call is refused with when the registration token is. */
async function refusal(
  reply: { status: number; message: string; headers?: Record<string, string> },
  { credentials = APP, path = 'acme' }: { credentials?: Credentials; path?: string } = {},
): Promise<unknown> {
  const github = await startScriptedGitHub();
  closers.push(() => github.close());
  github.on('POST', /\/(access_tokens|registration-token)$/, (seen) =>
    reply.status !== 401 && seen.path.endsWith('access_tokens')
      ? { status: 201, body: { token: 'ghs_installation', expires_at: new Date(Date.now() + 3_600_000).toISOString() } }
      : { status: reply.status, body: { message: reply.message }, headers: reply.headers ?? {} },
  );
  github.on('GET', /\/users\//, { status: 404, body: { message: 'Not Found' } });
  const client = clientOf(`${github.origin}/${path}`, { credentials, clock: quickClock() });
  closers.push(() => client.close());
  return client.findRunner('a', call).catch((error: unknown) => error);
}

describe('a credential that is refused', () => {
  test.each([
    ['an expired token', token('ghp_old'), 'Bad credentials', /token has expired, was revoked/],
    ['a deleted or foreign key', APP, 'A JSON web token could not be decoded', /key is none of the App's/],
    ['an unknown App', APP, 'Integration not found', /no App of that client id/],
  ])('%s is told with its own cure', async (_, credentials, message, hint) => {
    expect(await refusal({ status: 401, message }, { credentials })).toMatchObject({
      message: expect.stringContaining(message),
      hint: expect.stringMatching(hint),
    });
  });

  test('the installation of another App names both', async () => {
    const github = await startGitHubEmulator();
    closers.push(() => github.close());
    const [mine, other] = [await github.createApp(), await github.createApp()];
    const { clientId, privateKey } = mine;
    const credentials = {
      kind: 'app',
      clientId,
      installationId: other.installationId,
      privateKey: new Secret(privateKey),
    } as const;
    const client = clientOf(github.configUrl, { credentials });
    closers.push(() => client.close());
    const error = await client.findRunner('a', call).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'not_found',
      hint: `Check that ${other.installationId} is an installation's id of the App ${clientId}.`,
    });
    expect(client.refusalOf(error)).toBe('unauthorized');
  });
});

describe('a missing permission', () => {
  test.each([
    ['an App', APP, 'acme', '"Self-hosted runners": Read and write, and accept the change'],
    ['an App', APP, 'acme/web', 'the repository permission "Administration": Read and write'],
    ['a fine-grained token', token('github_pat_1'), 'acme', 'Read and write, and "Administration": Read-only'],
    ['a classic token', token('ghp_1'), 'acme', 'the scope admin:org'],
    ['a classic token', token('ghp_1'), 'acme/web', 'the scope repo'],
    ['a classic token', token('ghp_1'), 'enterprises/acme', 'the scope manage_runners:enterprise'],
  ])('of %s is named in the words of the settings page (%#)', async (_, credentials, path, words) => {
    const error = await refusal({ status: 403, message: 'Resource not accessible' }, { credentials, path });
    expect(error).toMatchObject({ code: 'invalid_argument', hint: expect.stringContaining(words) });
  });

  test.each([
    [
      { 'x-github-sso': 'required; url=https://github.com/orgs/acme/sso?x=1' },
      'denied',
      'https://github.com/orgs/acme/sso',
    ],
    [
      { 'x-accepted-github-permissions': 'organization_self_hosted_runners=write' },
      'denied',
      'GitHub names organization_self_hosted_runners: write',
    ],
    [{}, 'an IP allow list is enabled', 'IP allow list of the organisation'],
    [{}, 'This installation has been suspended', 'Lift the suspension'],
  ])('with the headers %j and the words %j is more than that', async (headers, message, words) => {
    expect(await refusal({ status: 403, message, headers })).toMatchObject({ hint: expect.stringContaining(words) });
  });
});

test("a person's page is named as what it is, by every call", async () => {
  const github = await startGitHubEmulator({ people: ['alice'] });
  closers.push(() => github.close());
  const client = clientOf(`${github.url}/alice`, { credentials: token(github.createToken()) });
  closers.push(() => client.close());
  for (const attempt of [client.findRunner('a', call), client.runnerStatuses(call)]) {
    expect(await attempt.catch((caught: unknown) => caught)).toMatchObject({
      code: 'invalid_argument',
      message: `${github.url}/alice is a person's page, and only organisations, repositories and enterprises have runners`,
      hint: `Give one of the repositories, ${github.url}/alice/REPOSITORY, or an organisation.`,
    });
  }
});

test('an organisation that is not there, or may not be seen, is not taken for a person', async () => {
  expect(await refusal({ status: 404, message: 'Not Found' })).toMatchObject({
    code: 'not_found',
    hint: expect.stringContaining('the organisation "acme" is spelled right'),
  });
});
