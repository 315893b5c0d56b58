import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, Agent as HttpAgent, type IncomingMessage, type Server } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGceEmulator } from '@rungar/emulators/gcp';
import { createRedactor, silentLogger, systemClock, systemRandom } from '@rungar/model';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { WARM_UP_MS, warmUp } from '../../test/gce-harness.js';
import { someSettings, ZONE_B } from '../../test/gcp-builders.js';
import { openComputeEngine } from './client.js';
import { findCredentials, tokenGetter } from './credentials.js';
import {
  type AuthClient,
  type AuthLibrary,
  type ClientName,
  clientPath,
  type LibraryLoader,
  libraryLoader,
  systemLoader,
} from './library.js';
import { openGcp } from './provider.js';
import type { GcpSettings } from './settings.js';

beforeAll(warmUp, WARM_UP_MS);

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const unending = (): AbortSignal => new AbortController().signal;

async function serve(
  answer: (request: IncomingMessage, body: string) => { status: number; body: object },
): Promise<string> {
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const { status, body: text } = answer(request, body);
      response
        .writeHead(status, { 'content-type': 'application/json', 'metadata-flavor': 'Google' })
        .end(JSON.stringify(text));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function fileOf(content: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rungar-gcp-'));
  endings.push(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'subject'), 'a-subject-token');
  const path = join(folder, 'credentials.json');
  await writeFile(path, JSON.stringify({ ...content, credential_source: { file: join(folder, 'subject') } }));
  return path;
}

const contextWith = (redactor = createRedactor()) => ({
  name: 'cloud',
  clock: systemClock,
  random: systemRandom,
  logger: silentLogger,
  redactor,
});

const AGENTS = { http: new HttpAgent(), https: new HttpsAgent() };

describe('a workload identity', () => {
  const identity = (token_url: string) => ({
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url,
  });

  test('gets a token, which Compute Engine is asked with and nobody is shown', async () => {
    const tokens: string[] = [];
    const sts = await serve((_, body) => {
      tokens.push(body);
      return { status: 200, body: { access_token: 'a-secret-access-token', expires_in: 3600, token_type: 'Bearer' } };
    });
    const gce = await startGceEmulator({ project: 'my-ci-project', accessTokens: ['a-secret-access-token'] });
    endings.push(() => gce.close());
    const settings = someSettings({
      endpointUrl: gce.url,
      credentialsFile: await fileOf(identity(`${sts}/token`)),
    });
    const redactor = createRedactor();
    const compute = await openComputeEngine(systemLoader, settings, contextWith(redactor), unending());
    endings.push(async () => compute.close());
    expect(tokens).toEqual([]);
    await Promise.all([1, 2, 3].map(() => compute.getZone(ZONE_B, unending())));
    await compute.getZone(ZONE_B, unending());
    expect(tokens).toHaveLength(1);
    expect(tokens[0]).toContain('a-subject-token');
    expect(redactor.redact('it was a-secret-access-token')).toBe('it was REDACTED');
    gce.refuseNext('zones.get', { status: 403, reason: 'forbidden', echo: true });
    const error = await compute.getZone(ZONE_B, unending()).catch((reason: unknown) => reason);
    expect(String(error)).toContain('Bearer REDACTED');
  });

  test('that is refused a token was never used', async () => {
    const sts = await serve(() => ({
      status: 400,
      body: { error: 'invalid_grant', error_description: 'no such pool' },
    }));
    const gce = await startGceEmulator({ project: 'my-ci-project' });
    endings.push(() => gce.close());
    const settings = someSettings({
      endpointUrl: gce.url,
      credentialsFile: await fileOf(identity(`${sts}/token`)),
    });
    const compute = await openComputeEngine(systemLoader, settings, contextWith(), unending());
    endings.push(async () => compute.close());
    await expect(compute.getZone(ZONE_B, unending())).rejects.toMatchObject({
      code: 'NoCredentials',
      refusal: 'unreachable',
      message: expect.stringContaining('no access token: '),
    });
    expect(gce.requests).toEqual([]);
  });
});

describe('credentials', () => {
  class Client implements AuthClient {
    readonly options: object;
    constructor(options: object) {
      this.options = options;
    }
    getRequestHeaders = async (): Promise<Headers> => new Headers({ 'x-client': this.constructor.name });
    fetch = (): Promise<never> => Promise.reject(new Error('not sent'));
  }
  class Impersonated extends Client {}
  class PassThroughClient extends Client {}
  const libraryWith = (getClient: () => Promise<AuthClient>): AuthLibrary => ({
    GoogleAuth: class {
      readonly options: object;
      constructor(options: object) {
        this.options = options;
      }
      getClient = getClient;
    },
    Impersonated,
    PassThroughClient,
  });
  const here = async (): Promise<AuthClient> => new Client({});
  const find = (more: Partial<GcpSettings>, getClient = here) =>
    findCredentials(libraryWith(getClient), someSettings(more), AGENTS, unending());

  /** What a client of `find`'s asks with. */
  const askedWith = async (more: Partial<GcpSettings>): Promise<string | null> =>
    (await (await find(more)).getRequestHeaders()).get('x-client');

  test('are those of the host unless told otherwise', async () => {
    expect(await askedWith({})).toBe('Client');
    expect(await askedWith({ endpointUrl: 'https://compute-ci.p.googleapis.com' })).toBe('Client');
  });

  test('are none for an endpoint on this host', async () => {
    expect(await askedWith({ endpointUrl: 'http://127.0.0.1:1' })).toBe('PassThroughClient');
  });

  test('are those of another account where one is to be acted as', async () => {
    const impersonateServiceAccount = 'a@b.iam.gserviceaccount.com';
    expect(await askedWith({ impersonateServiceAccount })).toBe('Impersonated');
    const credentialsFile = await fileOf({ type: 'service_account' });
    const client = await find({ impersonateServiceAccount, credentialsFile });
    expect((client as Impersonated).options).toMatchObject({
      targetPrincipal: impersonateServiceAccount,
      targetScopes: ['https://www.googleapis.com/auth/cloud-platform'],
    });
  });

  test('of the host that are not there hold up no start, and are looked for again', async () => {
    let looks = 0;
    const client = await find({}, () => {
      looks += 1;
      return looks === 1 ? Promise.reject(new Error('Could not load the default credentials.')) : here();
    });
    expect(looks).toBe(0);
    await expect(client.getRequestHeaders()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('Could not load the default credentials.'),
      hint: expect.stringContaining('GOOGLE_APPLICATION_CREDENTIALS'),
    });
    await Promise.all([client.getRequestHeaders(), client.getRequestHeaders()]);
    expect(looks).toBe(2);
  });

  test('of a file are not shown when they cannot be used', async () => {
    const path = await fileOf({ type: 'service_account', private_key: 'hunter2' });
    const broken = () => Promise.reject(new Error('cannot read hunter2'));
    const error = await find({ credentialsFile: path }, broken).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(path) });
    expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
  });
});

test('a metadata server that answers only later is found by itself', async () => {
  const home = await mkdtemp(join(tmpdir(), 'rungar-home-'));
  endings.push(() => rm(home, { recursive: true }));
  let isUp = false;
  const metadata = await serve(({ url = '' }) => {
    if (!isUp) return { status: 404, body: {} };
    if (!url.includes('/token')) return { status: 200, body: {} };
    return { status: 200, body: { access_token: 'a-token-of-this-host', expires_in: 3600, token_type: 'Bearer' } };
  });
  vi.stubEnv('HOME', home);
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '');
  vi.stubEnv('GCE_METADATA_HOST', metadata.replace('http://', ''));
  vi.stubEnv('METADATA_SERVER_DETECTION', 'ping-only');
  endings.push(async () => void vi.unstubAllEnvs());
  const redactor = createRedactor();
  const provider = await openGcp(someSettings(), contextWith(redactor));
  endings.push(() => provider.close());
  const { parts } = await provider.list({}, { signal: unending() });
  expect(parts[0]?.error).toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('there are no Application Default Credentials'),
    hint: expect.stringContaining('credentials_file'),
  });
  const client = await findCredentials(await systemLoader.auth(), someSettings(), AGENTS, unending());
  const getToken = tokenGetter(client, redactor);
  await expect(getToken('a')).rejects.toMatchObject({ code: 'NoCredentials', refusal: 'unreachable' });
  isUp = true;
  await getToken('a');
  expect(redactor.redact('a-token-of-this-host')).toBe('REDACTED');
});

const CLIENTS = [
  'DisksClient',
  'ImagesClient',
  'InstancesClient',
  'InstanceTemplatesClient',
  'MachineTypesClient',
  'NetworksClient',
  'RegionInstanceTemplatesClient',
  'SubnetworksClient',
  'ZoneOperationsClient',
  'ZonesClient',
] as const satisfies readonly ClientName[];

const someAuth = {
  getRequestHeaders: async (): Promise<Headers> => new Headers(),
  fetch: async (): Promise<Response> => new Response('{}'),
};

describe('the library', () => {
  const missing =
    (...names: string[]) =>
    (name: string): unknown => {
      if (!names.some((one) => name.startsWith(one))) return { InstancesClient: `of ${name}` };
      throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' });
    };

  test.each(['google-auth-library', '@google-cloud/compute'])('is told how to install without %s', async (name) => {
    const load = libraryLoader(missing(name));
    const opening = openComputeEngine(load, someSettings(), contextWith(), unending());
    await expect(opening).rejects.toMatchObject({
      code: 'invalid_argument',
      message: `a provider of type gcp needs the package ${name}, which is not installed`,
      hint: 'Install it beside Rungar: npm install @google-cloud/compute google-auth-library',
    });
  });

  test('is taken as a whole where it keeps its files elsewhere', async () => {
    expect(await libraryLoader(missing('@google-cloud/compute/')).client('InstancesClient')).toBe(
      'of @google-cloud/compute',
    );
  });

  test('that is broken is no missing one', async () => {
    const broken = libraryLoader(() => {
      throw new Error('broken');
    });
    await expect(broken.client('InstancesClient')).rejects.toThrow('broken');
    await expect(broken.auth()).rejects.toThrow('broken');
  });

  test.each(CLIENTS)('has %s in a file of its own, and describes its service without the others', async (name) => {
    const module = (await import(clientPath(name))) as Record<string, new () => unknown>;
    const Client = await systemLoader.client(name);
    expect(
      Client.prototype,
      'another version keeps its files elsewhere: the loader then takes the whole package',
    ).toBeInstanceOf(module[name]);

    const client = new Client({ authClient: someAuth, fallback: 'rest' }) as unknown as {
      initialize(): Promise<unknown>;
      _protos: { lookup(name: string): unknown };
    };
    await client.initialize();
    expect(
      client._protos.lookup('google.cloud.compute.v1.Autoscalers'),
      'another version reads its descriptions elsewhere: a start then takes twice as long',
    ).toBeNull();
  });

  test('is taken as it is where it is built on something else', async () => {
    class InstancesClient {}
    const gone = () => {
      throw Object.assign(new Error("Cannot find module 'google-gax'"), { code: 'MODULE_NOT_FOUND' });
    };
    expect(await libraryLoader(() => ({ InstancesClient }), gone).client('InstancesClient')).toBe(InstancesClient);
  });

  test('that does not send a call is a flaw, and that never sees an answer does no harm', async () => {
    class Silent {
      get = async (): Promise<unknown> => undefined;
    }
    const load: LibraryLoader = {
      auth: () => systemLoader.auth(),
      client: async () => Silent as unknown as Awaited<ReturnType<LibraryLoader['client']>>,
    };
    const settings = someSettings({ endpointUrl: 'http://127.0.0.1:9' });
    const compute = await openComputeEngine(load, settings, contextWith(), unending());
    await expect(compute.getZone(ZONE_B, unending())).rejects.toThrow('ZonesClient sent nothing for get');
  });

  test('asks an address that nobody listens at in vain', async () => {
    const settings = someSettings({ endpointUrl: 'http://127.0.0.1:9' });
    const compute = await openComputeEngine(systemLoader, settings, contextWith(), unending());
    await expect(compute.getZone(ZONE_B, unending())).rejects.toMatchObject({
      refusal: 'uncertain',
      status: undefined,
    });
  });
});
