import type { Ec2Subnet } from '../catalogue.js';
import { Ec2Error } from '../errors.js';
import { readFilters } from '../filters.js';
import { isLive } from '../instance.js';
import { element, listElement, type Xml } from '../xml.js';
import type { Account, Action } from './action.js';

const FILTERS: Readonly<Record<string, (subnet: Ec2Subnet) => string>> = {
  'availability-zone': ({ availabilityZone }) => availabilityZone,
  'subnet-id': ({ id }) => id,
  'vpc-id': ({ vpcId }) => vpcId,
};

/** Lists subnets: those of the given ids, or all that match. */
export const describeSubnets: Action = (params, account) => {
  const ids = params.list('SubnetId');
  const matches = readFilters<Ec2Subnet>(params, Object.keys(FILTERS), (subnet, name) => [
    FILTERS[name]?.(subnet) ?? '',
  ]);

  return () => {
    const { subnets } = account.catalogue;
    const missing = ids.find((id) => !subnets.some((subnet) => subnet.id === id));
    if (missing !== undefined)
      throw new Ec2Error('InvalidSubnetID.NotFound', `The subnet ID '${missing}' does not exist`);
    const found = subnets.filter((subnet) => (ids.length === 0 || ids.includes(subnet.id)) && matches(subnet));
    return [
      listElement(
        'subnetSet',
        found.map((subnet) => subnetMembers(subnet, account)),
      ),
    ];
  };
};

function subnetMembers(subnet: Ec2Subnet, { id: accountId, fleet }: Account): Xml[] {
  const used = fleet.all.filter((instance) => isLive(instance) && instance.plan.subnet.id === subnet.id).length;
  return [
    element('subnetId', subnet.id),
    element('state', 'available'),
    element('vpcId', subnet.vpcId),
    element('ownerId', accountId),
    element('availableIpAddressCount', subnet.addresses - used),
    element('availabilityZone', subnet.availabilityZone),
    element('defaultForAz', subnet.defaultForZone),
    element('mapPublicIpOnLaunch', subnet.mapPublicIp),
  ];
}
