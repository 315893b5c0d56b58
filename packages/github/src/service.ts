import {
  type CallOptions,
  type Clock,
  createRedactor,
  type Logger,
  type Random,
  type Redactor,
  RungarError,
  type ScaleSetService,
  silentLogger,
  systemClock,
  systemRandom,
} from '@rungar/model';
import type { ProxySettings } from '@rungar/proxies';
import { createActionsService } from './actions-service.js';
import { createAdminConnection } from './admin-connection.js';
import { installationTokens } from './app-auth.js';
import { createAuthorizedRest } from './authorized-rest.js';
import { type CallScope, expectManyCalls } from './call-limit.js';
import { parseConfigUrl } from './config-url.js';
import { createCredentialLife } from './credential-life.js';
import { type Credentials, checkCredentials, sameCredentials } from './credentials.js';
import { createFailures, refusalOf } from './errors.js';
import { createHeldSecrets } from './held-secrets.js';
import { createJitConfig } from './jit-config.js';
import { openSession } from './message-session.js';
import { createPace } from './pace.js';
import { createAdvise } from './refusal-hints.js';
import { createRest } from './rest.js';
import { createRestBudget } from './rest-budget.js';
import { createRunnerPages } from './runner-pages.js';
import { createRunnerStatuses } from './runner-statuses.js';
import { createVersionLives } from './runner-versions.js';
import { findRunner, removeRunner } from './runners.js';
import { createScaleSets } from './scale-sets.js';
import { createRefuseScope } from './scope-refusal.js';
import { createServerClock } from './server-clock.js';
import type { TokenSource, TokenSourceDeps } from './token-source.js';
import { createTransport, type Exchange, type RequestObserver } from './transport.js';
import { type ClientIdentity, userAgentOf } from './user-agent.js';
import type { RunnerVersionLife } from './wire/runner.js';

/** Whose scale sets a service looks after, and as whom it asks. */
export interface ScaleSetServiceOptions {
  /** The enterprise, organisation or repository, as a browser shows it: `https://github.com/acme`. */
  readonly url: string;
  readonly credentials: Credentials;
  /** The system's unless given. */
  readonly clock?: Clock;
  /** The system's unless given. */
  readonly random?: Random;
  /** Silent unless given. */
  readonly logger?: Logger;
  /** Learns every token, key and configuration this client has to do with; its own unless given. */
  readonly redactor?: Redactor;
  /** Who asks, for GitHub's logs. */
  readonly client?: ClientIdentity;
  /** None unless given: {@link proxySettingsOf} reads them from an environment. */
  readonly proxies?: ProxySettings;
  /**
   * Makes the requests in place of connections of our own, and then `proxies` mean nothing: for simulations, and for
   * who has a way to GitHub already. Our own unless given.
   */
  readonly exchange?: Exchange;
  /** Called once for every request, with the status of its answer, or `error` where there was none. */
  readonly onRequest?: RequestObserver;
  /** Called with how far this host's clock is ahead of GitHub's, in milliseconds, whenever an answer tells. */
  readonly onClock?: (aheadMs: number) => void;
}

/** How this client stands with GitHub. Instants are given as what is left of the time until them. */
export interface GitHubStanding {
  /** Requests of the REST API in its present window, as its latest answer told; absent where there is no limit. */
  readonly rateLimit?: { readonly limit: number; readonly remaining: number; readonly resetsInMs: number };
  /** Until the installation's present token expires; it is renewed before. Absent for a personal access token. */
  readonly tokenExpiresInMs?: number;
  /** Until the way into the Actions service expires; it is renewed before. */
  readonly connectionExpiresInMs?: number;
  /** Until the personal access token itself expires, where it does: nobody renews it. */
  readonly credentialExpiresInMs?: number;
}

/** A {@link ScaleSetService} of GitHub's own, and what only its client can tell or do. */
export interface GitHubClient extends ScaleSetService {
  /**
   * Introduces itself by other credentials from the next token on: what is open stays open. The same again changes nothing.
   * @throws RungarError `invalid_argument` for credentials that can never work, or that are of another kind
   */
  useCredentials(credentials: Credentials): void;
  /**
   * When GitHub stops accepting a version of the runner program, `2.335.1`. One request of the REST API's budget.
   * @returns nothing for a version it does not know, and from a server that does not tell
   */
  runnerVersionLife(version: string, options: CallOptions): Promise<RunnerVersionLife | undefined>;
  /** No call is made to tell. */
  standing(): GitHubStanding;
}

const UNNAMED_CLIENT: ClientIdentity = { system: 'rungar', version: '', commitSha: '', subsystem: '' };

function tokensOf(credentials: Credentials, deps: TokenSourceDeps): TokenSource {
  switch (credentials.kind) {
    case 'app':
      return installationTokens(credentials, deps);
    case 'token': {
      const token = credentials.token.reveal();
      deps.secrets.hold(token);
      return { get: async () => token, refused: () => false, expiresAt: () => undefined };
    }
  }
}

/**
 * A client of GitHub's runner scale sets for one enterprise, organisation or repository (docs/concepts/github.md).
 * Nothing is asked, and no library is loaded, before the first call. All calls may run at once and share one way in:
 * one token, one connection to the Actions service, renewed before they expire.
 *
 * What GitHub has trouble with is repeated after 1, 2, 4 and 8 s, or when it says so; opening a session and the
 * calls of a session are not, because whoever holds sessions has waits of its own.
 * @throws RungarError `invalid_argument` for an address or credentials that can never work
 */
export function createScaleSetService(options: ScaleSetServiceOptions): GitHubClient {
  const { clock = systemClock, random = systemRandom, logger = silentLogger } = options;
  const { redactor = createRedactor(), client = UNNAMED_CLIENT, onRequest = () => {}, onClock } = options;
  const { proxies = {}, exchange } = options;
  const config = parseConfigUrl(options.url);
  let { credentials } = options;
  checkCredentials(credentials, config);

  const closed = new AbortController();
  expectManyCalls(closed.signal);
  const scope: CallScope = { clock, closing: closed.signal };
  const secrets = createHeldSecrets(redactor, clock);
  const serverClock = createServerClock(clock, onClock);
  const failures = createFailures(redactor, serverClock, createAdvise(config, credentials));
  const restPace = createPace(clock, serverClock, failures);
  const transport = createTransport({ failures, onRequest, proxies, ...(exchange && { exchange }) });
  const rest = createRest({ apiBase: config.apiBase, userAgent: userAgentOf(client), serverClock, transport });
  const shared = { scope, rest, pace: restPace, failures, serverClock, random, secrets, logger };
  let source = tokensOf(credentials, shared);
  const tokens: TokenSource = {
    get: (signal) => source.get(signal),
    refused: (token) => source.refused(token),
    expiresAt: () => source.expiresAt(),
  };
  const budget = createRestBudget(clock, serverClock);
  const credentialLife = createCredentialLife(clock, serverClock);
  const authorized = createAuthorizedRest({ rest, tokens, pace: restPace, budget, credentialLife });
  const refuseScope = createRefuseScope(config, authorized, failures);
  const admin = createAdminConnection({ ...shared, config, authorized, refuseScope });
  const actionsPace = createPace(clock, serverClock, failures);
  const actions = createActionsService({ scope, admin, transport, pace: actionsPace, failures, random, client });
  const scaleSets = createScaleSets(actions);
  const pages = createRunnerPages({ authorized, failures, refuseScope, apiPath: config.apiPath });
  const runnerStatuses = createRunnerStatuses({ scope, pages, budget, failures });
  const runnerVersionLife = createVersionLives({ scope, authorized, budget, failures, apiPath: config.apiPath });
  const openings = createPace(clock, serverClock, failures);
  const session = { scope, actions, openings, transport, failures, secrets, client, random, logger };

  return {
    findScaleSet: (name, runnerGroup, call) => scaleSets.find(name, runnerGroup, call),
    createScaleSet: (name, runnerGroup, labels, call) => scaleSets.create(name, runnerGroup, labels, call),
    deleteScaleSet: (id, call) => scaleSets.delete(id, call),
    openSession: (scaleSet, owner, call) => openSession(scaleSet, owner, call, session),
    refusalOf,
    createJitConfig: (scaleSet, name, call) => createJitConfig(actions, secrets, scaleSet, name, call),
    findRunner: (name, call) => findRunner(actions, name, call),
    removeRunner: (id, call) => removeRunner(actions, id, call),
    runnerStatuses,
    runnerVersionLife,
    useCredentials(next) {
      if (sameCredentials(credentials, next)) return;
      if (next.kind !== credentials.kind)
        throw new RungarError(
          'invalid_argument',
          'a running client cannot change from one kind of credentials to another',
        );
      checkCredentials(next, config);
      credentials = next;
      source = tokensOf(next, shared);
      credentialLife.forget();
    },
    standing() {
      const rate = budget.left();
      const left = (expiresAt: number | undefined) => expiresAt && expiresAt - clock.now();
      const [token, connection, credential] = [tokens, admin, credentialLife].map((one) => left(one.expiresAt()));
      return {
        ...(rate && { rateLimit: { limit: rate.limit, remaining: rate.remaining, resetsInMs: rate.untilResetMs } }),
        ...(token !== undefined && { tokenExpiresInMs: token }),
        ...(connection !== undefined && { connectionExpiresInMs: connection }),
        ...(credential !== undefined && { credentialExpiresInMs: credential }),
      };
    },
    async close() {
      if (closed.signal.aborted) return;
      closed.abort(new RungarError('unavailable', 'the GitHub client is closed'));
      transport.close();
      secrets.releaseAll();
    },
  };
}
