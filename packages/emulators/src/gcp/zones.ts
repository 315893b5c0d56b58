import type { EmulatedRequest } from '../server.js';
import { GceRefusal, invalidValue } from './errors.js';
import type { Project } from './project.js';

/**
 * The zone a call's path names.
 * @throws GceRefusal when there is none of that name, or it cannot be reached
 */
export function requireZone(call: EmulatedRequest, { catalogue, unreachable }: Project): string {
  const { zone = '' } = call.params;
  if (!catalogue.zones.includes(zone)) throw invalidValue('zone', zone, 'Unknown zone.');
  if (unreachable.has(zone)) throw new GceRefusal(503, 'backendError', `Zone ${zone} cannot be reached.`);
  return zone;
}
