import {
  type CallOptions,
  type Clock,
  createRedactor,
  type Random,
  RungarError,
  Secret,
  systemClock,
  systemRandom,
} from '@rungar/model';
import type { ProxySettings } from '@rungar/proxies';
import type { Answer } from './answer.js';
import { signAppJwt } from './app-auth.js';
import { type CallLimit, withLimit } from './call-limit.js';
import { type ConfigUrl, parseConfigUrl } from './config-url.js';
import { readPrivateKey } from './credentials.js';
import { createFailures, GitHubError } from './errors.js';
import { createRest, nameOfRest, type RestRequest } from './rest.js';
import { withRetries } from './retry.js';
import { createServerClock } from './server-clock.js';
import { createTransport } from './transport.js';
import { type ClientIdentity, userAgentOf } from './user-agent.js';
import { asShape, integerOf, member, textOf } from './wire/read.js';

/** For whom a GitHub App is made, and what it is made by. */
export interface AppRegistrarOptions {
  /** The organisation or repository that the App is for, as a browser shows it. */
  readonly url: string;
  readonly client: ClientIdentity;
  readonly proxies?: ProxySettings;
  /** The system's unless given. */
  readonly clock?: Clock;
  /** The system's unless given. */
  readonly random?: Random;
}

/** A form that creates an App when somebody sends it from a browser in which they are signed in. */
export interface AppForm {
  /** Where it is sent, by POST. */
  readonly action: string;
  /** The value of its one field, `manifest`. */
  readonly manifest: string;
}

/** An App that was just created. */
export interface CreatedApp {
  readonly clientId: string;
  readonly name: string;
  /** Its page, below which it is installed. */
  readonly page: string;
  readonly privateKey: Secret;
}

/** Creates GitHub Apps that may manage runners, by GitHub's App manifest flow. */
export interface AppRegistrar {
  /**
   * The form that a browser posts to GitHub to create the App.
   * @param name of the App; GitHub wants one that nobody has
   * @param redirectUrl where GitHub sends the browser afterwards, with `code` and `state` in the query
   */
  form(name: string, redirectUrl: string, state: string, options: CallOptions): Promise<AppForm>;
  /** Gets the App that a form created. @param code is good once, and for an hour */
  exchange(code: string, options: CallOptions): Promise<CreatedApp>;
  /** The id of the App's installation in the account it is for; nothing while it is installed nowhere. */
  findInstallation(app: CreatedApp, options: CallOptions): Promise<number | undefined>;
  /** Closes its connections. Calls that run fail; more than once is as good as once. */
  close(): void;
}

const LIMIT_MS = 30_000;
const RETRIES = 2;

/** What the App may do, in GitHub's words. */
const permissionsFor = ({ scope }: ConfigUrl): Readonly<Record<string, string>> =>
  scope.kind === 'repository'
    ? { administration: 'write', metadata: 'read' }
    : { organization_self_hosted_runners: 'write', metadata: 'read' };

function ownerOf({ scope, href }: ConfigUrl): string {
  switch (scope.kind) {
    case 'organisation':
      return scope.organisation;
    case 'repository':
      return scope.owner;
    case 'enterprise':
      throw new RungarError('invalid_argument', `${href} is an enterprise, and no App can manage the runners of one`, {
        hint: 'Use a classic personal access token with the scope manage_runners:enterprise, or serve organisations.',
      });
  }
}

function decodeApp(answer: Answer): CreatedApp | undefined {
  const shape = asShape(answer.body);
  if (!shape) return undefined;
  const [clientId, name, page, key] = ['client_id', 'name', 'html_url', 'pem'].map((field) => textOf(shape, field));
  if (!clientId || !page || !key) return undefined;
  return { clientId, name: name ?? '', page, privateKey: new Secret(key) };
}

/** The installation in `owner`'s account, in the list that GitHub gives of an App's. */
function installationIn(owner: string, body: unknown): number | undefined {
  if (!Array.isArray(body)) return undefined;
  for (const item of body) {
    const shape = asShape(item);
    const account = shape && asShape(member(shape, 'account'));
    if (!shape || !account || textOf(account, 'login').toLowerCase() !== owner.toLowerCase()) continue;
    return integerOf(shape, 'id');
  }
  return undefined;
}

/** @throws RungarError `invalid_argument` for an address that no App can serve */
export function createAppRegistrar(options: AppRegistrarOptions): AppRegistrar {
  const { clock = systemClock, random = systemRandom, proxies = {}, client } = options;
  const config = parseConfigUrl(options.url);
  const owner = ownerOf(config);
  const serverClock = createServerClock(clock);
  const failures = createFailures(createRedactor(), serverClock, () => undefined);
  const transport = createTransport({ failures, onRequest: () => {}, proxies });
  const rest = createRest({ apiBase: config.apiBase, userAgent: userAgentOf(client), serverClock, transport });
  const scope = { clock, closing: new AbortController().signal };

  const ask = (request: RestRequest, signal: AbortSignal): Promise<Answer> => {
    const late = (): Error => failures.ofSilence(nameOfRest(request), 'there was no answer within 30 s');
    // A repeated exchange would find its code used, so that only a question is repeated.
    const retries = request.method === 'GET' ? RETRIES : 0;
    return withLimit(scope, LIMIT_MS, late, signal, (limit: CallLimit) =>
      withRetries(() => rest.send(request, limit.signal), { retries, clock, random, signal: limit.signal }),
    );
  };

  /** A person's repositories are served by an App of that person's, and organisations have a page of their own. */
  const newAppPage = async (signal: AbortSignal): Promise<string> => {
    const { origin } = new URL(config.href);
    const answer = await ask({ method: 'GET', path: `/users/${encodeURIComponent(owner)}` }, signal);
    const account = asShape(answer.body);
    const isPerson = answer.status === 200 && account !== undefined && textOf(account, 'type') === 'User';
    if (!isPerson) return `${origin}/organizations/${encodeURIComponent(owner)}/settings/apps/new`;
    if (config.scope.kind === 'repository') return `${origin}/settings/apps/new`;
    throw new RungarError('invalid_argument', `${config.href} is a person's page, and persons have no runners`, {
      hint: `Give one of the repositories, ${config.href}/REPOSITORY, or an organisation.`,
    });
  };

  return {
    async form(name, redirectUrl, state, { signal }) {
      const action = `${await newAppPage(signal)}?state=${encodeURIComponent(state)}`;
      const manifest = {
        name,
        url: config.href,
        redirect_url: redirectUrl,
        public: false,
        default_permissions: permissionsFor(config),
        default_events: [],
      };
      return { action, manifest: JSON.stringify(manifest) };
    },
    async exchange(code, { signal }) {
      const request: RestRequest = {
        method: 'POST',
        path: `/app-manifests/${encodeURIComponent(code)}/conversions`,
        shownPath: '/app-manifests/CODE/conversions',
      };
      const name = nameOfRest(request);
      const answer = await ask(request, signal);
      if (answer.status !== 201) {
        const refusal = failures.ofAnswer(name, answer);
        throw new GitHubError(refusal.code, refusal.message, refusal.failure, {
          hint: 'A code is good once, and for an hour: create the App again, after deleting one that came to nothing.',
        });
      }
      const app = decodeApp(answer);
      if (!app) throw failures.ofBody(name, answer, 'an App and its key');
      return app;
    },
    async findInstallation({ clientId, privateKey }, { signal }) {
      const jwt = signAppJwt(clientId, readPrivateKey(privateKey), serverClock.now());
      const path = '/app/installations';
      const request = { method: 'GET', path, query: '?per_page=100', authorization: `Bearer ${jwt}` } as const;
      const answer = await ask(request, signal);
      if (answer.status !== 200) throw failures.ofAnswer(nameOfRest(request), answer);
      return installationIn(owner, answer.body);
    },
    close: () => transport.close(),
  };
}
