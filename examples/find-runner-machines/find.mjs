import { paginateDescribeInstances } from '@aws-sdk/client-ec2';
import { awsTagFilters, installationSelector, LABEL, parseAwsTags } from '@rungar/labels';

/** @typedef {{ id: string, type: string, runner: string, scaleSet: string, revision: string, copy: boolean }} Found */

/**
 * Every machine of an installation in an account and region, by its tags alone.
 * @param {import('@aws-sdk/client-ec2').EC2Client} client
 * @param {string} installation
 * @returns {Promise<Found[]>}
 */
export async function findMachines(client, installation) {
  // A terminated instance is listed for an hour more, and is nobody's.
  const alive = { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] };
  const Filters = [...awsTagFilters(installationSelector(installation)), alive];
  const found = [];
  for await (const page of paginateDescribeInstances({ client }, { Filters })) {
    const instances = (page.Reservations ?? []).flatMap(({ Instances = [] }) => Instances);
    for (const { InstanceId: id = '', InstanceType: type = '', Tags: tags = [] } of instances) {
      const labels = parseAwsTags(tags);
      const { [LABEL.runner]: runner = '', [LABEL.scaleSet]: scaleSet = '', [LABEL.revision]: revision = '' } = labels;
      // "Launch more like this" copies the tags, but a copy is given a name of its own: Rungar leaves it alone.
      const copy = tags.find(({ Key }) => Key === 'Name')?.Value !== runner;
      found.push({ id, type, runner, scaleSet, revision, copy });
    }
  }
  return found;
}

/** @param {Found} machine */
export function describe({ id, type, runner, scaleSet, revision, copy }) {
  const owner = copy ? `a copy of ${runner}, nobody's` : `${runner} of the scale set ${scaleSet}, revision ${revision}`;
  return `${id}  ${type.padEnd(10)}  ${owner}`;
}
