import { createHash } from 'node:crypto';
import { randomHex } from '../../random.js';
import { type EmulatedAnswer, type EmulatedRequest, json, Refused, type Route } from '../../server.js';
import { readMembers } from '../body.js';
import type { Caller, Credentials } from '../credentials.js';
import type { Runner, Scope } from '../entities.js';
import { restError, restRefusal } from '../refusals.js';
import type { Runners } from '../runners.js';
import type { World } from '../world.js';

export interface RestParts {
  readonly world: World;
  readonly credentials: Credentials;
  readonly runners: Runners;
  /** The server's own address, known once it listens. */
  readonly baseUrl: () => string;
}

const API = '/api/v3';
const API_VERSION = '2022-11-28';
const REST_HEADERS = ['authorization', 'x-github-api-version'];
const DEFAULT_PAGE_LENGTH = 30;
const MAX_PAGE_LENGTH = 100;
/** Of an admin token that the fault script wants to end soon: less than clients renew one before its end. */
const SHORT_LIFE_MS = 30_000;

/** Where a scope's calls are, and how its path is read from them. */
const SCOPE_PATHS: readonly { readonly path: string; readonly scopeOf: (params: Params) => string }[] = [
  { path: '/orgs/:org', scopeOf: ({ org = '' }) => org },
  { path: '/repos/:owner/:repo', scopeOf: ({ owner = '', repo = '' }) => `${owner}/${repo}` },
  { path: '/enterprises/:enterprise', scopeOf: ({ enterprise = '' }) => `enterprises/${enterprise}` },
];
type Params = Readonly<Record<string, string>>;

/** The REST calls: tokens, and the listing of runners. */
export function restRoutes(parts: RestParts): Route[] {
  const { world, credentials } = parts;
  const plain = { headers: REST_HEADERS, refuse: restComplaint };
  const rest = (handle: (request: EmulatedRequest) => EmulatedAnswer) => (request: EmulatedRequest) => {
    const answer = answerOf(() => {
      checkForm(request);
      return handle(request);
    });
    return withHeaders(answer, { 'x-github-request-id': requestId(world) });
  };

  const scoped = SCOPE_PATHS.flatMap(({ path, scopeOf }): Route[] => {
    const asCaller = (handle: (scope: Scope, request: EmulatedRequest) => EmulatedAnswer) =>
      rest((request) => {
        const caller = identify(credentials, request);
        const answer = answerOf(() => {
          spend(world, caller);
          return handle(authorised(world, caller, scopeOf(request.params)), request);
        });
        if (answer.status === 304) caller.used -= 1;
        return withHeaders(answer, budgetHeaders(world, caller));
      });
    return [
      {
        ...plain,
        operation: 'registration-token',
        method: 'POST',
        path: `${API}${path}/actions/runners/registration-token`,
        handle: asCaller((scope) => tokenAnswer(credentials.mintRegistrationToken(scope))),
      },
      {
        ...plain,
        operation: 'list-runners',
        method: 'GET',
        path: `${API}${path}/actions/runners`,
        query: ['per_page', 'page', 'name'],
        headers: [...REST_HEADERS, 'if-none-match'],
        handle: asCaller((scope, request) => tagged(listRunners(parts, scope, request), request)),
      },
      {
        ...plain,
        operation: 'runner-version',
        method: 'GET',
        path: `${API}${path}/actions/runners/deprecations/:version`,
        handle: asCaller((_, { params }) => {
          const { runnerVersions } = world.settings;
          const { version = '' } = params;
          if (!Object.hasOwn(runnerVersions, version)) throw restRefusal(404, 'Not Found');
          return json(200, { runner_version: version, runtime_deprecates_at: runnerVersions[version] });
        }),
      },
      {
        ...plain,
        operation: 'get-runner',
        method: 'GET',
        path: `${API}${path}/actions/runners/:id`,
        headers: [...REST_HEADERS, 'if-none-match'],
        handle: asCaller((scope, request) => tagged(getRunner(parts, scope, request), request)),
      },
    ];
  });

  return [
    {
      ...plain,
      operation: 'installation-token',
      method: 'POST',
      path: `${API}/app/installations/:id/access_tokens`,
      handle: rest((request) => {
        const app = credentials.appOf(bearer(request, ['bearer']));
        if (typeof app === 'string') throw restRefusal(401, app);
        if (String(app.installationId) !== request.params.id) throw restRefusal(404, 'Not Found');
        return tokenAnswer(credentials.mintInstallationToken(app), { permissions: {}, repository_selection: 'all' });
      }),
    },
    {
      ...plain,
      operation: 'get-user',
      method: 'GET',
      path: `${API}/users/:name`,
      handle: rest((request) => {
        const look = (): EmulatedAnswer => {
          const account = world.account(request.params.name ?? '');
          if (!account) throw restRefusal(404, 'Not Found');
          return json(200, account);
        };
        // Who an account is may be asked without a credential.
        if (request.headers.authorization === undefined) return look();
        const caller = identify(credentials, request);
        const answer = answerOf(() => {
          spend(world, caller);
          return look();
        });
        return withHeaders(answer, budgetHeaders(world, caller));
      }),
    },
    {
      ...plain,
      operation: 'runner-registration',
      method: 'POST',
      path: `${API}/actions/runner-registration`,
      takesBody: true,
      handle: rest((request) => registerListener(parts, request)),
    },
    ...scoped,
  ];
}

function restComplaint({ status, message }: { status: number; message: string }): EmulatedAnswer {
  return restError(status, message);
}

function answerOf(handle: () => EmulatedAnswer): EmulatedAnswer {
  try {
    return handle();
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}

function withHeaders(answer: EmulatedAnswer, headers: Readonly<Record<string, string>>): EmulatedAnswer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function requestId(world: World): string {
  return randomHex(world.random, 10)
    .toUpperCase()
    .replace(/^(.{4})(.{6})/, '$1:$2:');
}

function checkForm({ headers }: EmulatedRequest): void {
  if (!headers['user-agent']) {
    throw restRefusal(
      403,
      'Request forbidden by administrative rules. Please make sure your request has a User-Agent header',
    );
  }
  const version = headers['x-github-api-version'];
  if (version !== undefined && version !== API_VERSION) {
    throw restRefusal(400, `the API version ${version} is not served here; ${API_VERSION} is`);
  }
}

/** The token of the Authorization header, which has to name one of `schemes` (lower case). */
function bearer({ headers }: EmulatedRequest, schemes: readonly string[]): string {
  const { authorization } = headers;
  if (authorization === undefined) throw restRefusal(401, 'Requires authentication');
  const [scheme = '', token = '', ...more] = authorization.split(' ');
  if (!schemes.includes(scheme.toLowerCase()) || token === '' || more.length > 0)
    throw restRefusal(401, 'Bad credentials');
  return token;
}

function identify(credentials: Credentials, request: EmulatedRequest): Caller {
  const caller = credentials.callerOf(bearer(request, ['bearer', 'token']));
  if (!caller) throw restRefusal(401, 'Bad credentials');
  return caller;
}

function authorised(world: World, caller: Caller, path: string): Scope {
  const scope = world.scope(path);
  if (!scope) throw restRefusal(404, 'Not Found');
  if (caller.kind === 'app' && (scope.kind === 'enterprise' || !caller.canManageRunners)) {
    throw restRefusal(403, 'Resource not accessible by integration');
  }
  if (!caller.canManageRunners) throw restRefusal(403, 'Resource not accessible by personal access token');
  return scope;
}

/** Counts a call against its caller's budget. */
function spend({ clock, settings }: World, caller: Caller): void {
  if (clock.now() >= caller.windowEndsAt) {
    caller.used = 0;
    caller.windowEndsAt = clock.now() + settings.rateWindowMs;
  }
  if (caller.used >= settings.rateLimit) throw restRefusal(403, 'API rate limit exceeded for this credential.');
  caller.used += 1;
}

function budgetHeaders({ settings }: World, { used, windowEndsAt }: Caller): Record<string, string> {
  return {
    'x-ratelimit-limit': String(settings.rateLimit),
    'x-ratelimit-remaining': String(Math.max(0, settings.rateLimit - used)),
    'x-ratelimit-used': String(used),
    'x-ratelimit-reset': String(Math.ceil(windowEndsAt / 1000)),
    'x-ratelimit-resource': 'core',
  };
}

function tokenAnswer({ token, expiresAt }: { token: string; expiresAt: number }, more: object = {}): EmulatedAnswer {
  return json(201, { token, expires_at: new Date(expiresAt).toISOString(), ...more });
}

function registerListener({ credentials, world, baseUrl }: RestParts, request: EmulatedRequest): EmulatedAnswer {
  const scope = credentials.scopeOfRegistration(bearer(request, ['remoteauth']));
  if (!scope) throw restRefusal(401, 'Bad credentials');
  const wrong = (message: string): Error => restRefusal(400, message);
  const body = readMembers(request.body, ['url', 'runner_event'], wrong);
  const url = body.text('url');
  if (body.text('runner_event') !== 'register') throw wrong('runner_event has to be register');
  const path = URL.canParse(url) ? new URL(url).pathname.replace(/^\/+|\/+$/g, '') : '';
  if (world.scope(path) !== scope) throw wrong(`the registration token is for ${scope.path}, not for ${url}`);
  const { token } = credentials.mintAdminToken(scope, request.special('short-expiry') ? SHORT_LIFE_MS : undefined);
  return json(200, { url: `${baseUrl()}/tenant/${scope.tenantId}/`, token });
}

function listRunners(parts: RestParts, scope: Scope, request: EmulatedRequest): EmulatedAnswer {
  const length = pageNumber(request, 'per_page', DEFAULT_PAGE_LENGTH);
  const page = pageNumber(request, 'page', 1);
  if (length > MAX_PAGE_LENGTH) throw restRefusal(400, `per_page is at most ${MAX_PAGE_LENGTH}`);
  const name = request.query.get('name');
  const all = parts.runners.of(scope).filter((runner) => name === null || runner.name === name);
  const shown = all.slice((page - 1) * length, page * length);
  const link = pageLinks(parts.baseUrl(), request, page, Math.max(1, Math.ceil(all.length / length)));
  const body = { total_count: all.length, runners: shown.map((runner) => restRunner(parts.world, runner)) };
  return json(200, body, link === '' ? {} : { link });
}

function pageNumber({ query }: EmulatedRequest, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw restRefusal(400, `${name} is not a positive integer: ${text}`);
  return Number(text);
}

function pageLinks(baseUrl: string, { path, query }: EmulatedRequest, page: number, last: number): string {
  const link = (to: number, rel: string): string => {
    const parameters = new URLSearchParams(query);
    parameters.set('page', String(to));
    return `<${baseUrl}${path}?${parameters}>; rel="${rel}"`;
  };
  const links: string[] = [];
  if (page > 1) links.push(link(page - 1, 'prev'));
  if (page < last) links.push(link(page + 1, 'next'), link(last, 'last'));
  if (page > 1) links.push(link(1, 'first'));
  return links.join(', ');
}

function getRunner({ world, runners }: RestParts, scope: Scope, { params }: EmulatedRequest): EmulatedAnswer {
  const runner = runners.of(scope).find(({ id }) => String(id + world.settings.restRunnerIdOffset) === params.id);
  if (!runner) throw restRefusal(404, 'Not Found');
  return json(200, restRunner(world, runner));
}

function restRunner({ settings }: World, runner: Runner): object {
  return {
    id: runner.id + settings.restRunnerIdOffset,
    name: runner.name,
    os: 'linux',
    status: runner.online ? 'online' : 'offline',
    busy: runner.job !== undefined,
    ephemeral: true,
    version: runner.version ?? null,
    runner_group_id: runner.scaleSet.group.id,
    labels: runner.scaleSet.labels.map(({ name }, index) => ({ id: index + 1, name, type: 'custom' })),
  };
}

/** The answer with its ETag; 304 when the caller has it already. */
function tagged(answer: EmulatedAnswer, { headers }: EmulatedRequest): EmulatedAnswer {
  const hash = createHash('sha256')
    .update(`${answer.headers?.link ?? ''}\n${answer.body}`)
    .digest('hex');
  const etag = `W/"${hash}"`;
  const known = headers['if-none-match']?.split(',').map((tag) => tag.trim());
  return known?.includes(etag) ? { status: 304, headers: { etag } } : withHeaders(answer, { etag });
}
