import { Ec2Error, instancesNotFound, missingParameter } from '../errors.js';
import { USER_INITIATED } from '../fleet.js';
import { currentState } from '../instance.js';
import { stateElement } from '../instance-xml.js';
import { element, listElement } from '../xml.js';
import { type Action, readInstanceIds } from './action.js';

/** Begins the end of instances: of all that are named, or of none. One that has ended already is no mistake. */
export const terminateInstances: Action = (params, { fleet }) => {
  const ids = readInstanceIds(params);
  if (ids.length === 0) throw missingParameter('InstanceId');

  return () => {
    const instances = ids.flatMap((id) => fleet.findByCall(id) ?? []);
    const found = new Set(instances.map(({ id }) => id));
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length > 0) throw instancesNotFound(missing);
    const kept = instances.find(({ terminationProtected }) => terminationProtected);
    if (kept !== undefined) {
      throw new Ec2Error(
        'OperationNotPermitted',
        `The instance '${kept.id}' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.`,
      );
    }
    const changes = instances.map((instance) => {
      const before = currentState(instance).state;
      fleet.terminate(instance, USER_INITIATED);
      return { id: instance.id, before, after: currentState(instance).state };
    });
    return [
      listElement(
        'instancesSet',
        changes.map(({ id, before, after }) => [
          element('instanceId', id),
          stateElement('currentState', after),
          stateElement('previousState', before),
        ]),
      ),
    ];
  };
};
