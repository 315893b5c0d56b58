import { encodeJitConfig } from '../../machine/jit-config.js';
import { type EmulatedAnswer, type EmulatedRequest, json, type Route } from '../../server.js';
import { readMembers } from '../body.js';
import type { Scope } from '../entities.js';
import { serviceRefusal } from '../refusals.js';
import { wireList, wireRunner } from '../wire.js';
import {
  type AdminCall,
  adminRoute,
  needed,
  SCALE_SETS,
  type ServiceParts,
  scaleSetIn,
  wrong,
} from './service-call.js';

const AGENTS = '/tenant/:tenant/_apis/distributedtask/pools/0/agents';
const LONGEST_NAME = 64;

/** The calls that register, find and remove runners, which the Actions service calls agents. */
export function agentRoutes(parts: ServiceParts): Route[] {
  const { world, runners, baseUrl } = parts;
  const jitPath = `${SCALE_SETS}/:id/generatejitconfig`;
  const calls: readonly AdminCall[] = [
    { operation: 'jit-config', method: 'POST', path: jitPath, takesBody: true, handle: makeJitConfig },
    { operation: 'find-agent', method: 'GET', path: AGENTS, query: ['agentName'], handle: findAgent },
    { operation: 'get-agent', method: 'GET', path: `${AGENTS}/:id`, handle: getAgent },
    { operation: 'remove-agent', method: 'DELETE', path: `${AGENTS}/:id`, handle: removeAgent },
  ];
  return calls.map((call) => adminRoute(parts, call));

  function makeJitConfig(scope: Scope, request: EmulatedRequest): EmulatedAnswer {
    const scaleSet = scaleSetIn(world, scope, request.params.id);
    const body = readMembers(request.body, ['name', 'workFolder'], wrong);
    body.optionalText('workFolder');
    const name = body.text('name');
    if (name.length > LONGEST_NAME) throw wrong(`a runner's name has at most ${LONGEST_NAME} characters`);
    if (runners.named(scope, name)) {
      throw serviceRefusal(409, 'AgentExistsException', `Already exists: a runner with the name ${name}.`);
    }
    const runner = runners.register(scaleSet, name);
    const encodedJITConfig = encodeJitConfig({
      serverUrl: `${baseUrl()}/runners`,
      scaleSetId: scaleSet.id,
      runnerId: runner.id,
      name,
      secret: runner.secret,
    });
    return json(200, { runner: wireRunner(runner), encodedJITConfig });
  }

  function findAgent(scope: Scope, request: EmulatedRequest): EmulatedAnswer {
    const found = runners.named(scope, needed(request, 'agentName'));
    return json(200, wireList(found ? [wireRunner(found)] : []));
  }

  function getAgent(scope: Scope, request: EmulatedRequest): EmulatedAnswer {
    const runner = runners.of(scope).find(({ id }) => String(id) === request.params.id);
    if (!runner) throw serviceRefusal(404, 'AgentNotFoundException', `No runner has the id ${request.params.id}.`);
    return json(200, wireRunner(runner));
  }

  function removeAgent(scope: Scope, request: EmulatedRequest): EmulatedAnswer {
    const runner = runners.of(scope).find(({ id }) => String(id) === request.params.id);
    if (runner?.job) {
      throw serviceRefusal(400, 'JobStillRunningException', `The runner ${runner.name} is running a job.`);
    }
    if (runner) runners.remove(runner);
    return { status: 204 };
  }
}
