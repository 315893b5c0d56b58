import { type Complaint, type EmulatedAnswer, type EmulatedRequest, json, type Route } from '../server.js';
import { CALLS, type Call } from './calls.js';
import { errorAnswer, forbidden, GceRefusal, notFound, rateLimited, unauthenticated } from './errors.js';
import { selectFields } from './fields-mask.js';
import type { Project } from './project.js';
import type { RateQuota } from './rate-quota.js';
import type { Refusals } from './refusals.js';

/** What every method takes in its query. */
const ANY_QUERY = ['$alt', '$prettyPrint', 'alt', 'fields', 'prettyPrint', 'quotaUser'];
/** What Google's clients send of themselves. */
const CLIENT_HEADERS = ['authorization', 'x-goog-api-client', 'x-goog-request-params', 'x-goog-user-project'];

export interface EndpointOptions {
  readonly project: Project;
  /** Access tokens it takes; without any, a call needs none. */
  readonly accessTokens: readonly string[];
  readonly rates: RateQuota;
  readonly refusals: Refusals;
  /** Permissions the caller lacks, such as `compute.instances.create`. */
  readonly denied: ReadonlySet<string>;
  /** Carries a call's latency out, and tells of it. */
  readonly answered: (call: EmulatedRequest, refused: string | undefined) => Promise<void>;
}

/** The routes of Compute Engine. The options are asked for at each call, as they need the server's own address. */
export function routesOf(options: () => EndpointOptions): Route[] {
  return CALLS.map((call) => ({
    method: call.method,
    path: `/compute/v1/${call.path}`,
    operation: call.operation,
    headers: CLIENT_HEADERS,
    query: [...(call.query ?? []), ...ANY_QUERY],
    ...(call.takesBody === true && { takesBody: true }),
    refuse: complaintAnswer,
    handle: (request) => answerCall(call, request, options()),
  }));
}

/** A complaint of the server about a call, as Google puts it. */
export function complaintAnswer(complaint: Complaint): EmulatedAnswer {
  const reason = complaint.status === 404 ? 'notFound' : 'badRequest';
  return errorAnswer(new GceRefusal(complaint.status, reason, complaint.message));
}

async function answerCall(call: Call, request: EmulatedRequest, options: EndpointOptions): Promise<EmulatedAnswer> {
  let refused: string | undefined;
  let answer: EmulatedAnswer;
  try {
    answer = json(200, await carryOut(call, request, options));
  } catch (error) {
    if (!(error instanceof GceRefusal)) throw error;
    refused = error.reason;
    answer = errorAnswer(error);
  }
  await options.answered(request, refused);
  return answer;
}

async function carryOut(call: Call, request: EmulatedRequest, options: EndpointOptions): Promise<unknown> {
  const { project, rates, refusals } = options;
  checkToken(request, options.accessTokens);
  const kind = call.method === 'GET' || call.operation.endsWith('.wait') ? 'reads' : 'writes';
  if (!rates.take(kind)) throw rateLimited(kind === 'reads' ? 'Read requests' : 'Write requests', project.id);
  refusals.strike(request);
  const { project: id = '' } = request.params;
  if (id !== project.id && !call.operation.startsWith('images.')) throw notFound(`projects/${id}`);
  const permission = permissionOf(call.operation);
  if (options.denied.has(permission)) throw forbidden(permission, request.path.replace('/compute/v1/', ''));
  const answer = await call.carryOut(request, project);
  const fields = request.query.get('fields');
  return fields === null ? answer : selectFields(answer, fields, call.shape);
}

function checkToken({ headers }: EmulatedRequest, tokens: readonly string[]): void {
  const { authorization } = headers;
  const [, token] = /^Bearer (\S+)$/.exec(authorization ?? '') ?? [];
  if (authorization !== undefined && token === undefined) throw unauthenticated();
  if (tokens.length > 0 && !tokens.includes(token ?? '')) throw unauthenticated();
}

const VERBS: Readonly<Record<string, string>> = {
  insert: 'create',
  aggregatedList: 'list',
  getFromFamily: 'getFromFamily',
};

/** The permission a method needs: `compute.instances.create` for `instances.insert`. */
function permissionOf(operation: string): string {
  const [kind = '', verb = ''] = operation.split('.');
  const resource = kind === 'regionInstanceTemplates' ? 'instanceTemplates' : kind;
  return `compute.${resource}.${VERBS[verb] ?? (verb === 'wait' ? 'get' : verb)}`;
}
