import { type EmulatedAnswer, type EmulatedRequest, json, type Refused, type Route } from '../../server.js';
import { readMembers } from '../body.js';
import type { Scope, Session } from '../entities.js';
import type { Envelope } from '../message-queue.js';
import { serviceComplaint, serviceRefusal } from '../refusals.js';
import { statisticsOf, ZERO_STATISTICS } from '../statistics.js';
import { wireBody, wireMessage, wireSession } from '../wire.js';
import {
  adminRoute,
  bearerToken,
  SCALE_SETS,
  type ServiceParts,
  scaleSetIn,
  unauthorised,
  withActivity,
  wrong,
} from './service-call.js';

const SESSIONS = `${SCALE_SETS}/:id/sessions`;
const QUEUE = '/queue/:session';
const QUEUE_ACCEPT = 'api-version=6.0-preview';

/** The calls on sessions, and those on the queues they lead to. */
export function sessionRoutes(parts: ServiceParts): Route[] {
  const { world, sessions } = parts;
  const queue = { headers: ['authorization', 'x-scalesetmaxcapacity'], refuse: serviceComplaint };
  return [
    adminRoute(parts, { operation: 'create-session', method: 'POST', path: SESSIONS, takesBody: true, handle: create }),
    adminRoute(parts, { operation: 'refresh-session', method: 'PATCH', path: `${SESSIONS}/:session`, handle: refresh }),
    adminRoute(parts, { operation: 'delete-session', method: 'DELETE', path: `${SESSIONS}/:session`, handle: remove }),
    {
      ...queue,
      operation: 'get-message',
      method: 'GET',
      path: QUEUE,
      query: ['k', 'lastMessageId'],
      handle: (request) => withActivity(world, () => getMessage(request)),
    },
    {
      ...queue,
      headers: ['authorization'],
      operation: 'delete-message',
      method: 'DELETE',
      path: `${QUEUE}/:message`,
      query: ['k'],
      handle: (request) => withActivity(world, () => deleteMessage(request)),
    },
  ];

  function create(scope: Scope, request: EmulatedRequest): EmulatedAnswer {
    const scaleSet = scaleSetIn(world, scope, request.params.id);
    const ownerName = readMembers(request.body, ['ownerName', 'sessionId'], wrong).text('ownerName');
    const open = scaleSet.session;
    if (open) {
      const message = `The runner scale set ${scaleSet.name} already has an active session. Current owner: ${open.ownerName}`;
      throw serviceRefusal(409, 'RunnerScaleSetSessionConflictException', message);
    }
    return sessionAnswer(sessions.open(scaleSet, ownerName), request);
  }

  function refresh(scope: Scope, request: EmulatedRequest): EmulatedAnswer {
    const session = sessionOf(scope, request);
    sessions.refresh(session);
    return sessionAnswer(session, request);
  }

  function remove(scope: Scope, request: EmulatedRequest): EmulatedAnswer {
    sessions.close(sessionOf(scope, request));
    return { status: 204 };
  }

  function sessionAnswer(session: Session, request: EmulatedRequest): EmulatedAnswer {
    const url = request.special('empty-queue-url')
      ? ''
      : `${parts.baseUrl()}/queue/${session.id}?k=${session.queueKey}`;
    const body = wireSession(session, url);
    return json(200, request.special('null-statistics') ? { ...body, statistics: null } : body);
  }

  function sessionOf(scope: Scope, { params }: EmulatedRequest): Session {
    const scaleSet = scaleSetIn(world, scope, params.id);
    const { session } = scaleSet;
    if (session?.id !== params.session || !session) throw noSession(params.session);
    return session;
  }

  /** The session whose queue is called, by a caller who holds its token. */
  function calledSession(request: EmulatedRequest): Session {
    if (!request.headers['user-agent']) throw wrong('the User-Agent header is missing');
    const token = bearerToken(request);
    const session = world.sessions.get(request.params.session ?? '');
    if (!session) throw noSession(request.params.session);
    if (session.queueToken !== token || session.queueTokenExpiresAt <= world.clock.now()) throw unauthorised();
    if (request.query.get('k') !== session.queueKey)
      throw wrong("the queue's URL is to be kept whole, its query included");
    return session;
  }

  async function getMessage(request: EmulatedRequest): Promise<EmulatedAnswer> {
    const session = calledSession(request);
    if (!request.headers.accept?.includes(QUEUE_ACCEPT))
      throw wrong(`the Accept header does not ask for ${QUEUE_ACCEPT}`);
    const lastId = integer(request.query.get('lastMessageId') ?? '0', 'lastMessageId');
    const capacity = integer(request.headers['x-scalesetmaxcapacity'], 'X-ScaleSetMaxCapacity');
    const { scaleSet } = session;
    const repeated = scaleSet.queue.last;
    if (repeated && request.special('duplicate')) return json(200, wireMessage(repeated, statisticsOf(scaleSet)));
    const result = await sessions.poll({ session, lastId, capacity, signal: request.signal });
    if (result === 'nothing') return { status: 202 };
    if (result === 'ended') throw noSession(session.id);
    return json(200, distort(wireMessage(result.message, statisticsOf(scaleSet)), result.message, request));
  }

  function deleteMessage(request: EmulatedRequest): EmulatedAnswer {
    const session = calledSession(request);
    session.scaleSet.queue.delete(integer(request.params.message, 'the message id'));
    sessions.touch(session);
    return { status: 204 };
  }
}

function noSession(id: string | undefined): Refused {
  return serviceRefusal(404, 'RunnerScaleSetSessionNotFoundException', `There is no session ${id}, or not any more.`);
}

function integer(text: string | undefined, name: string): number {
  if (text === undefined || !/^\d{1,15}$/.test(text))
    throw wrong(`${name} is ${text ?? 'missing'}; an integer is wanted`);
  return Number(text);
}

/** The message with what the fault script wants wrong in it. */
function distort(message: Record<string, unknown>, { entries }: Envelope, { special }: EmulatedRequest): object {
  return {
    ...message,
    ...(special('zero-statistics') && { statistics: ZERO_STATISTICS }),
    ...(special('null-statistics') && { statistics: null }),
    ...(special('unknown-message') && { messageType: 'RunnerScaleSetNotice' }),
    ...(special('unknown-entry') && { body: wireBody([{ messageType: 'JobPaused', jobId: '' }, ...entries]) }),
  };
}
