import { Ec2Error, instancesNotFound } from '../errors.js';
import { timestamp } from '../instance-xml.js';
import { element } from '../xml.js';
import type { Action } from './action.js';

/** What a machine has written to its console so far. */
export const getConsoleOutput: Action = (params, { fleet }) => {
  const id = params.requiredText('InstanceId');
  if (!/^i-[0-9a-f]{8,17}$/.test(id)) throw new Ec2Error('InvalidInstanceID.Malformed', `Invalid id: "${id}"`);
  params.boolean('Latest');

  return () => {
    const instance = fleet.findByCall(id);
    if (instance === undefined) throw instancesNotFound([id]);
    const lines = instance.machine?.console ?? [];
    const text = lines.map((line) => `${new Date(line.at).toISOString()} ${line.text}\n`).join('');
    return [
      element('instanceId', id),
      element('timestamp', timestamp(lines.at(-1)?.at ?? instance.launchedAt)),
      element('output', Buffer.from(text, 'utf8').toString('base64')),
    ];
  };
};
