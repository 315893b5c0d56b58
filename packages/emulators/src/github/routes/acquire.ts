import { type EmulatedAnswer, type EmulatedRequest, json, type Route } from '../../server.js';
import { parseJson } from '../body.js';
import type { Scope } from '../entities.js';
import { acquirableJob } from '../job-messages.js';
import { wireList } from '../wire.js';
import {
  adminRoute,
  bearerToken,
  SCALE_SETS,
  type ServiceParts,
  scaleSetIn,
  serviceRoute,
  unauthorised,
  wrong,
} from './service-call.js';

/** The calls by which a listener takes the jobs it was offered. */
export function acquireRoutes(parts: ServiceParts): Route[] {
  const { world, board, sessions } = parts;
  return [
    adminRoute(parts, {
      operation: 'acquirable-jobs',
      method: 'GET',
      path: `${SCALE_SETS}/:id/acquirablejobs`,
      handle: acquirableJobs,
    }),
    serviceRoute(world, {
      operation: 'acquire-jobs',
      method: 'POST',
      path: `${SCALE_SETS}/:id/acquirejobs`,
      takesBody: true,
      handle: acquireJobs,
    }),
  ];

  function acquirableJobs(scope: Scope, request: EmulatedRequest): EmulatedAnswer {
    const { offered } = scaleSetIn(world, scope, request.params.id);
    return offered.size === 0 ? { status: 204 } : json(200, wireList([...offered].map(acquirableJob)));
  }

  /** Authorised by the token of the scale set's session, which ends the call with 401 once it has expired. */
  function acquireJobs(request: EmulatedRequest): EmulatedAnswer {
    const token = bearerToken(request);
    const scope = world.scopes.find(({ tenantId }) => tenantId === request.params.tenant);
    if (!scope) throw unauthorised();
    const scaleSet = scaleSetIn(world, scope, request.params.id);
    const { session } = scaleSet;
    if (session?.queueToken !== token || session.queueTokenExpiresAt <= world.clock.now()) throw unauthorised();
    const ids = parseJson(request.body, wrong);
    if (!Array.isArray(ids) || !ids.every((id) => Number.isSafeInteger(id)))
      throw wrong('a JSON array of integers is wanted');
    sessions.touch(session);
    return json(200, wireList(board.acquire(scaleSet, ids as number[])));
  }
}
