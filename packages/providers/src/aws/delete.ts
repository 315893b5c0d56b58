import { LABEL, matchesSelector } from '@rungar/labels';
import { type DeleteOutcome, type Labels, type Logger, type MachineRef, RungarError } from '@rungar/model';
import type { Batcher } from '../shared/batcher.js';
import type { Outstanding } from '../shared/outstanding.js';
import type { Recent } from '../shared/recent.js';
import type { Ec2 } from './client.js';
import { NAME_TAG } from './labels.js';
import { listMachines } from './list.js';

/** What deleting a machine needs, shared by all deletions of one provider. */
export interface DeleteTools {
  readonly ec2: Ec2;
  readonly terminations: Batcher<string, DeleteOutcome>;
  readonly outstanding: Outstanding;
  /** Instances made a short while ago and not listed since: EC2 may not know them yet. */
  readonly unseen: Recent;
  /** Instances made a short while ago, whose end is asked about. */
  readonly young: Recent;
  readonly logger: Logger;
}

/**
 * Deletes a machine. An instance's id is never used again, so one that is known with labels of ours is proof enough;
 * without it the machine is looked up by its name, and a stranger of that name stays.
 * @throws Ec2Error or RungarError when the machine may still be there
 */
export function deleteMachine(
  tools: DeleteTools,
  machine: MachineRef,
  selector: Labels,
  signal: AbortSignal,
): Promise<DeleteOutcome> {
  const { id, name, labels } = machine;
  if (id && labels && isOurs(labels, name, selector)) return terminate(tools, id, signal);
  return tools.outstanding.deleteOnceThere(name, () => deleteByName(tools, name, selector, signal), signal);
}

async function deleteByName(
  tools: DeleteTools,
  name: string,
  selector: Labels,
  signal: AbortSignal,
): Promise<DeleteOutcome> {
  const { machines } = await listMachines(tools.ec2, { [NAME_TAG]: name }, signal);
  const namesakes = machines.filter((other) => other.name === name);
  const ours = namesakes.filter((other) => isOurs(other.labels, name, selector));
  if (ours.length > 0) {
    const outcomes = await Promise.all(ours.map((one) => terminate(tools, one.id, signal)));
    return outcomes.includes('deleted') ? 'deleted' : 'absent';
  }
  if (namesakes.length === 0) return 'absent';
  tools.logger.warn('machine of that name is not ours, left alone', {
    machine: name,
    ids: namesakes.map((one) => one.id),
  });
  return 'stranger';
}

function isOurs(labels: Labels, name: string, selector: Labels): boolean {
  return labels[LABEL.runner] === name && matchesSelector(labels, selector);
}

async function terminate(tools: DeleteTools, id: string, signal: AbortSignal): Promise<DeleteOutcome> {
  const outcome = await tools.terminations.add(id, signal);
  if (outcome === 'absent' && tools.unseen.has(id)) {
    throw new RungarError('unavailable', `EC2 does not know instance ${id} yet, which was just made`);
  }
  tools.unseen.delete(id);
  tools.young.delete(id);
  return outcome;
}
