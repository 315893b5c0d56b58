import { type Complaint, type EmulatedAnswer, json, Refused } from '../server.js';

const DOCUMENTATION_URL = 'https://docs.github.com/rest';

/** A refusal of the REST API. */
export function restError(status: number, message: string): EmulatedAnswer {
  return json(status, { message, documentation_url: DOCUMENTATION_URL, status: String(status) });
}

/** Stops a REST call with a refusal. */
export function restRefusal(status: number, message: string): Refused {
  return new Refused(restError(status, message));
}

/** The exceptions of the Actions service that clients know by name. */
const NAMESPACES = {
  AgentExistsException: 'GitHub.DistributedTask.WebApi',
  AgentNotFoundException: 'GitHub.DistributedTask.WebApi',
  JobStillRunningException: 'GitHub.DistributedTask.WebApi',
  RunnerScaleSetExistsException: 'GitHub.Actions.Runtime.WebApi',
  RunnerScaleSetNotFoundException: 'GitHub.Actions.Runtime.WebApi',
  RunnerScaleSetSessionConflictException: 'GitHub.Actions.Runtime.WebApi',
  RunnerScaleSetSessionNotFoundException: 'GitHub.Actions.Runtime.WebApi',
  RunnerGroupNotFoundException: 'GitHub.Actions.Runtime.WebApi',
  VssUnauthorizedException: 'GitHub.Services.Common',
  VssPropertyValidationException: 'GitHub.Services.Common',
} as const;

export type ServiceException = keyof typeof NAMESPACES;

/** A refusal of the Actions service: the name of an exception, in the long form it has on the wire. */
function serviceError(status: number, name: ServiceException, message: string): EmulatedAnswer {
  const namespace = NAMESPACES[name];
  return json(status, {
    $id: '1',
    innerException: null,
    message,
    typeName: `${namespace}.${name}, ${namespace}`,
    typeKey: name,
    errorCode: 0,
    eventId: 3000,
  });
}

/** Stops a call of the Actions service with a refusal. */
export function serviceRefusal(status: number, name: ServiceException, message: string): Refused {
  return new Refused(serviceError(status, name, message));
}

/** How the Actions service puts what is wrong with the form of a call. */
export function serviceComplaint({ status, message }: Complaint): EmulatedAnswer {
  return serviceError(status, 'VssPropertyValidationException', message);
}
