import { randomUuid } from '../../random.js';
import { type EmulatedAnswer, type EmulatedRequest, Refused, type Route } from '../../server.js';
import type { Credentials } from '../credentials.js';
import type { ScaleSet, Scope } from '../entities.js';
import type { JobBoard } from '../jobs.js';
import { type ServiceException, serviceComplaint, serviceRefusal } from '../refusals.js';
import type { Runners } from '../runners.js';
import type { ScaleSets } from '../scale-sets.js';
import type { Sessions } from '../sessions.js';
import { withCapitals } from '../wire.js';
import type { World } from '../world.js';

/** What the calls of the Actions service do their work with. */
export interface ServiceParts {
  readonly world: World;
  readonly credentials: Credentials;
  readonly runners: Runners;
  readonly board: JobBoard;
  readonly scaleSets: ScaleSets;
  readonly sessions: Sessions;
  /** The server's own address, known once it listens. */
  readonly baseUrl: () => string;
}

/** A call of the Actions service within one scope. */
export type ServiceHandler = (scope: Scope, request: EmulatedRequest) => EmulatedAnswer;

/** Where a tenant's calls on scale sets are. */
export const SCALE_SETS = '/tenant/:tenant/_apis/runtime/runnerscalesets';
const API_VERSION = '6.0-preview';

/** One call of the Actions service: what every one of them checks, and what is its own. */
export interface ServiceCall {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly query?: readonly string[];
  readonly takesBody?: boolean;
  readonly handle: (request: EmulatedRequest) => EmulatedAnswer;
}

/** A call whose caller holds the admin token of the tenant it names. */
export interface AdminCall extends Omit<ServiceCall, 'handle'> {
  readonly handle: ServiceHandler;
}

/** A route whose caller holds the admin token of the tenant it names. */
export function adminRoute(
  { world, credentials }: { readonly world: World; readonly credentials: Credentials },
  call: AdminCall,
): Route {
  return serviceRoute(world, {
    ...call,
    handle: (request) => {
      const scope = credentials.scopeOfAdmin(bearerToken(request));
      if (scope?.tenantId !== request.params.tenant || !scope) throw unauthorised();
      return call.handle(scope, request);
    },
  });
}

/** A route with what every call of the Actions service checks. */
export function serviceRoute(world: World, call: ServiceCall): Route {
  return {
    ...call,
    query: [...(call.query ?? []), 'api-version'],
    headers: ['authorization'],
    refuse: serviceComplaint,
    handle: (request) =>
      withActivity(world, () => {
        if (!request.headers['user-agent']) throw wrong('the User-Agent header is missing');
        const version = request.query.get('api-version');
        if (version !== API_VERSION) throw wrong(`api-version is ${version ?? 'missing'}; ${API_VERSION} is wanted`);
        return call.handle(request);
      }),
  };
}

/** Adds the id under which GitHub's own support finds a call, to refusals too, and writes members as they are wanted. */
export async function withActivity(
  { random, settings }: World,
  handle: () => EmulatedAnswer | Promise<EmulatedAnswer>,
): Promise<EmulatedAnswer> {
  const answer = await refusalOr(handle);
  const headers = { ...answer.headers, ActivityId: randomUuid(random) };
  if (!answer.body || !settings.capitalMembers) return { ...answer, headers };
  return { ...answer, headers, body: withCapitals(answer.body) };
}

async function refusalOr(handle: () => EmulatedAnswer | Promise<EmulatedAnswer>): Promise<EmulatedAnswer> {
  try {
    return await handle();
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}

/** The token after `Bearer`. */
export function bearerToken({ headers }: EmulatedRequest): string {
  const [scheme = '', token = '', ...more] = (headers.authorization ?? '').split(' ');
  if (scheme.toLowerCase() !== 'bearer' || token === '' || more.length > 0) throw unauthorised();
  return token;
}

export function unauthorised(): Refused {
  return serviceRefusal(401, 'VssUnauthorizedException', 'VS30063: You are not authorized to access this service.');
}

/** A refusal of what a call says. */
export function wrong(message: string, name: ServiceException = 'VssPropertyValidationException'): Refused {
  return serviceRefusal(400, name, message);
}

/** The scale set of an id in the path. */
export function scaleSetIn(world: World, scope: Scope, id: string | undefined): ScaleSet {
  const scaleSet = [...world.scaleSets.values()].find((candidate) => String(candidate.id) === id);
  if (scaleSet?.scope !== scope || !scaleSet) {
    throw serviceRefusal(404, 'RunnerScaleSetNotFoundException', `No runner scale set found with identifier ${id}.`);
  }
  return scaleSet;
}

/** A query parameter that has to be there. */
export function needed({ query }: EmulatedRequest, name: string): string {
  const value = query.get(name);
  if (!value) throw wrong(`the query parameter ${name} is missing`);
  return value;
}
