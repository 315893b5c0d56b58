import { invalidValue } from './errors.js';
import type { SchedulingBody } from './insert-request.js';
import type { Scheduling } from './instance.js';

const FIELD = 'resource.scheduling';
const ACTIONS = ['STOP', 'DELETE'];
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * What an instance's scheduling comes to.
 * @param now epoch milliseconds
 * @throws GceRefusal when its members do not go together
 */
export function planScheduling(body: SchedulingBody, now: number): Scheduling {
  const model = body.provisioningModel ?? (body.preemptible === true ? 'SPOT' : 'STANDARD');
  if (model !== 'STANDARD' && model !== 'SPOT') {
    throw invalidValue(`${FIELD}.provisioningModel`, model, 'Must be STANDARD or SPOT.');
  }
  const spot = model === 'SPOT';
  const automaticRestart = body.automaticRestart ?? !spot;
  if (spot && automaticRestart) {
    throw invalidValue(`${FIELD}.automaticRestart`, 'true', 'Automatic restart is not supported for spot instances.');
  }
  const onHostMaintenance = body.onHostMaintenance ?? (spot ? 'TERMINATE' : 'MIGRATE');
  if (!['MIGRATE', 'TERMINATE'].includes(onHostMaintenance) || (spot && onHostMaintenance !== 'TERMINATE')) {
    throw invalidValue(
      `${FIELD}.onHostMaintenance`,
      onHostMaintenance,
      'Spot instances must be terminated on host maintenance.',
    );
  }
  const seconds = body.maxRunDuration?.seconds;
  return {
    automaticRestart,
    onHostMaintenance,
    provisioningModel: model,
    preemptible: spot,
    ...planTermination(body, spot),
    ...(body.terminationTime !== undefined && { terminationTime: checkTime(body.terminationTime, now) }),
    ...(seconds !== undefined && { maxRunDuration: { seconds: String(seconds) } }),
  };
}

function planTermination(body: SchedulingBody, spot: boolean): Pick<Scheduling, 'instanceTerminationAction'> {
  const { instanceTerminationAction: action, terminationTime, maxRunDuration } = body;
  const field = `${FIELD}.instanceTerminationAction`;
  const limited = terminationTime !== undefined || maxRunDuration !== undefined;
  if (terminationTime !== undefined && maxRunDuration !== undefined) {
    throw invalidValue(
      `${FIELD}.terminationTime`,
      terminationTime,
      'Only one of terminationTime and maxRunDuration may be set.',
    );
  }
  if (action === undefined) {
    if (limited) throw invalidValue(field, '', 'Must be specified for an instance with a limited run time.');
    return spot ? { instanceTerminationAction: 'STOP' } : {};
  }
  if (!ACTIONS.includes(action)) throw invalidValue(field, action, 'Must be STOP or DELETE.');
  if (!spot && !limited) {
    throw invalidValue(
      field,
      action,
      'Cannot specify a termination action for a VM instance that has the standard provisioning model (default).',
    );
  }
  return { instanceTerminationAction: action === 'STOP' ? 'STOP' : 'DELETE' };
}

function checkTime(text: string, now: number): string {
  if (RFC_3339.test(text) && Date.parse(text) > now) return text;
  throw invalidValue(`${FIELD}.terminationTime`, text, 'Must be a time in the future in RFC 3339 format.');
}
