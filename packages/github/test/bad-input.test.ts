import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { makeCertificate } from '@rungar/emulators';
import { type EmulatedApp, type GitHubEmulator, startGitHubEmulator } from '@rungar/emulators/github';
import { Secret } from '@rungar/model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Credentials, createAppRegistrar } from '../src/index.js';
import { call, clientOf } from './clients.js';
import { quickClock } from './quick-clock.js';

let github: GitHubEmulator;
let app: EmulatedApp;
let other: EmulatedApp;
let selfSigned: string;
const closers: (() => unknown)[] = [];
beforeAll(async () => {
  github = await startGitHubEmulator({ people: ['alice'] });
  closers.push(() => github.close());
  app = await github.createApp();
  other = await github.createApp();
  const server = createServer(makeCertificate(['127.0.0.1']), (_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  selfSigned = `https://127.0.0.1:${(server.address() as AddressInfo).port}/acme`;
  closers.push(() => server.close());
});
afterAll(() => Promise.all(closers.map((close) => close())));

const appWith = (more: Partial<Extract<Credentials, { kind: 'app' }>> = {}): Credentials => ({
  kind: 'app',
  clientId: app.clientId,
  installationId: app.installationId,
  privateKey: new Secret(app.privateKey),
  ...more,
});
const token = (text: string): Credentials => ({ kind: 'token', token: new Secret(text) });
const strangeKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;

/** A mistake in a configuration: what is given, and what whoever made it is told. */
interface Mistake {
  readonly mistake: string;
  readonly credentials?: () => Credentials;
  readonly url?: () => string;
  readonly group?: string;
  readonly code: string;
  readonly says: RegExp;
  readonly cure: RegExp;
}

const MISTAKES: readonly Mistake[] = [
  {
    mistake: 'a key that was deleted from the App',
    credentials: () => appWith({ privateKey: new Secret(strangeKey()) }),
    code: 'invalid_argument',
    says: /answered 401 .*access_tokens: A JSON web token could not be decoded/,
    cure: /The key is none of the App's .*generate a private key/,
  },
  {
    mistake: 'a token that has expired',
    credentials: () => token('ghp_of_last_year'),
    code: 'invalid_argument',
    says: /answered 401 .*Bad credentials/,
    cure: /The token has expired, was revoked, or is not whole/,
  },
  {
    mistake: 'the client id of no App',
    credentials: () => appWith({ clientId: 'Iv23liNobody' }),
    code: 'invalid_argument',
    says: /answered 401 .*Integration not found/,
    cure: /no App of that client id/,
  },
  {
    mistake: "another App's installation",
    credentials: () => appWith({ installationId: other.installationId }),
    code: 'not_found',
    says: /answered 404 .*access_tokens: Not Found/,
    cure: /Check that \d+ is an installation's id of the App Iv23li/,
  },
  {
    mistake: 'a token without the permission',
    credentials: () => token(github.createToken({ canManageRunners: false })),
    code: 'invalid_argument',
    says: /answered 403 .*Resource not accessible by personal access token/,
    cure: /Give the token the scope admin:org/,
  },
  {
    mistake: 'a runner group that is not there',
    group: 'Builders',
    code: 'not_found',
    says: /^there is no runner group "Builders"$/,
    cure: /Create it in GitHub's settings under Actions, Runner groups/,
  },
  {
    mistake: "the address of somebody's profile",
    url: () => `${github.url}/alice`,
    code: 'invalid_argument',
    says: /alice is a person's page/,
    cure: /Give one of the repositories, .*\/alice\/REPOSITORY/,
  },
  {
    mistake: 'an organisation that is not there',
    url: () => `${github.url}/acme-inc`,
    code: 'not_found',
    says: /answered 404 .*orgs\/acme-inc/,
    cure: /Check that the organisation "acme-inc" is spelled right and that the App is installed there/,
  },
  {
    mistake: 'an Enterprise Server whose certificate nobody vouches for',
    url: () => selfSigned,
    code: 'unavailable',
    says: /did not answer POST .*self-signed certificate/,
    cure: /put that authority's certificate into a PEM file and name the file in NODE_EXTRA_CA_CERTS/,
  },
];

test.each(MISTAKES)('$mistake has a message and a cure of its own', async (row) => {
  const { credentials = appWith, url = () => github.configUrl, group = 'Default' } = row;
  const client = clientOf(url(), { credentials: credentials(), clock: quickClock() });
  const error = await client.findScaleSet('linux', group, call).catch((caught: unknown) => caught);
  await client.close();
  expect(error).toMatchObject({
    code: row.code,
    message: expect.stringMatching(row.says),
    hint: expect.stringMatching(row.cure),
  });
});

test('an App that could not be fetched is told of without the code that is good for its key', async () => {
  const client = { system: 'rungar', version: '1.2.3', commitSha: '', subsystem: 'test' };
  const registrar = createAppRegistrar({ url: selfSigned, client });
  const error = await registrar.exchange('codeworthakey', call).catch((caught: unknown) => caught);
  registrar.close();
  expect(error).toMatchObject({ message: expect.stringMatching(/did not answer POST \/app-manifests\/CODE/) });
  expect(inspect(error)).not.toContain('codeworthakey');
});
