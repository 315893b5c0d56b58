import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, Agent as HttpAgent, type IncomingMessage, type Server } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGceEmulator } from '@rungar/emulators/gcp';
import { createRedactor, silentLogger, systemClock, systemRandom } from '@rungar/model';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WARM_UP_MS, warmUp } from '../../test/gce-harness.js';
import { someSettings, ZONE_B } from '../../test/gcp-builders.js';
import { openComputeEngine } from './client.js';
import { findCredentials, tokenGetter } from './credentials.js';
import {
  type AuthClient,
  type AuthLibrary,
  clientPath,
  type LibraryLoader,
  libraryLoader,
  systemLoader,
} from './library.js';
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
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(text));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function credentialsFile(content: object): Promise<string> {
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
      credentialsFile: await credentialsFile(identity(`${sts}/token`)),
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
      credentialsFile: await credentialsFile(identity(`${sts}/token`)),
    });
    const compute = await openComputeEngine(systemLoader, settings, contextWith(), unending());
    endings.push(async () => compute.close());
    await expect(compute.getZone(ZONE_B, unending())).rejects.toMatchObject({
      code: 'NoCredentials',
      refusal: 'other',
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
    getRequestHeaders = async (): Promise<Headers> => new Headers();
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
  const find = (more: Partial<GcpSettings>, getClient = async (): Promise<AuthClient> => new Client({})) =>
    findCredentials(libraryWith(getClient), someSettings(more), AGENTS, unending());

  test('are those of the host unless told otherwise', async () => {
    expect((await find({})).constructor).toBe(Client);
    expect((await find({ endpointUrl: 'https://compute-ci.p.googleapis.com' })).constructor).toBe(Client);
  });

  test('are none for an endpoint on this host', async () => {
    expect((await find({ endpointUrl: 'http://127.0.0.1:1' })).constructor).toBe(PassThroughClient);
  });

  test('are those of another account where one is to be acted as', async () => {
    const client = await find({ impersonateServiceAccount: 'a@b.iam.gserviceaccount.com' });
    expect(client.constructor).toBe(Impersonated);
    expect((client as Impersonated).options).toMatchObject({
      targetPrincipal: 'a@b.iam.gserviceaccount.com',
      targetScopes: ['https://www.googleapis.com/auth/cloud-platform'],
    });
  });

  test('that are nowhere to be found are said to be', async () => {
    const nowhere = () => Promise.reject(new Error('Could not load the default credentials.'));
    await expect(find({}, nowhere)).rejects.toMatchObject({
      code: 'invalid_argument',
      hint: expect.stringContaining('GOOGLE_APPLICATION_CREDENTIALS'),
    });
  });

  test('of a file are not shown when they cannot be used', async () => {
    const path = await credentialsFile({ type: 'service_account', private_key: 'hunter2' });
    const broken = () => Promise.reject(new Error('cannot read hunter2'));
    const error = await find({ credentialsFile: path }, broken).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining(path) });
    expect(JSON.stringify(error) + String(error)).not.toContain('hunter2');
  });
});

test('a token is asked for once by all who want it at a time', async () => {
  let asked = 0;
  const auth: AuthClient = {
    async getRequestHeaders() {
      asked += 1;
      await Promise.resolve();
      return new Headers({ authorization: `Bearer a-token-of-somebody-${asked}` });
    },
    fetch: () => Promise.reject(new Error('not sent')),
  };
  const redactor = createRedactor();
  const getToken = tokenGetter(auth, redactor);
  await Promise.all([getToken('a'), getToken('b'), getToken('c')]);
  expect(asked).toBe(1);
  await getToken('a');
  expect(asked).toBe(2);
  expect(redactor.redact('a-token-of-somebody-1 a-token-of-somebody-2')).toBe('a-token-of-somebody-1 REDACTED');
});

describe('the library', () => {
  const missing =
    (...names: string[]) =>
    async (name: string): Promise<unknown> => {
      if (!names.some((one) => name.startsWith(one))) return { InstancesClient: `of ${name}` };
      throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
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
    const broken = libraryLoader(() => Promise.reject(new Error('broken')));
    await expect(broken.client('InstancesClient')).rejects.toThrow('broken');
    await expect(broken.auth()).rejects.toThrow('broken');
  });

  test('is loaded by the file of each client, which this version has', async () => {
    for (const name of ['InstancesClient', 'ZoneOperationsClient', 'MachineTypesClient', 'DisksClient'] as const) {
      const module = (await import(clientPath(name))) as Record<string, unknown>;
      expect(module[name], 'another version keeps its files elsewhere: the loader then takes the whole package').toBe(
        await systemLoader.client(name),
      );
    }
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
