import type { ListedInstance } from './fleet.js';
import { type Instance, type InstanceState, STATE_CODES, type StateChange, type StateReason } from './instance.js';
import { profileArn } from './launch-plan.js';
import type { Tags } from './tags.js';
import { element, listElement, type Xml } from './xml.js';

/** An instant as EC2 writes it: whole seconds, with a zero fraction. */
export function timestamp(at: number): string {
  return new Date(Math.floor(at / 1000) * 1000).toISOString();
}

/** A state by its code and name, under the element `name`. */
export function stateElement(name: string, state: InstanceState): Xml {
  return element(name, [element('code', STATE_CODES[state]), element('name', state)]);
}

function tagSet(tags: Tags): Xml | undefined {
  if (tags.size === 0) return undefined;
  return listElement(
    'tagSet',
    [...tags].map(([key, value]) => [element('key', key), element('value', value)]),
  );
}

/** The members of a reservation: its own, and its instances as they are listed. */
export function reservationMembers(listed: readonly ListedInstance[], accountId: string): Xml[] {
  const reservationId = listed[0]?.instance.reservationId ?? '';
  return [
    element('reservationId', reservationId),
    element('ownerId', accountId),
    element('groupSet', []),
    listElement(
      'instancesSet',
      listed.map((one) => instanceMembers(one, accountId)),
    ),
  ];
}

function instanceMembers({ instance, change, tags }: ListedInstance, accountId: string): (Xml | undefined)[] {
  const { plan } = instance;
  // What belongs to the network is gone from the answer once the instance is.
  const attached = change.state !== 'terminated';
  return [
    element('instanceId', instance.id),
    element('imageId', plan.image.id),
    stateElement('instanceState', change.state),
    element('privateDnsName', attached ? privateDnsName(instance) : ''),
    element('dnsName', ''),
    element('reason', change.reason === undefined ? '' : transitionReason(instance, change.reason)),
    element('amiLaunchIndex', instance.launchIndex),
    element('productCodes', []),
    element('instanceType', plan.type.name),
    element('launchTime', timestamp(instance.launchedAt)),
    element('placement', [
      element('availabilityZone', plan.subnet.availabilityZone),
      element('groupName', ''),
      element('tenancy', 'default'),
    ]),
    element('monitoring', [element('state', 'disabled')]),
    ...(attached ? networkMembers(instance) : []),
    element('sourceDestCheck', true),
    listElement(
      'groupSet',
      plan.groups.map(({ id, name }) => [element('groupId', id), element('groupName', name)]),
    ),
    change.reason === undefined ? pendingReason(change) : reasonElement(change.reason),
    element('architecture', plan.image.architecture),
    ...rootMembers(instance, attached),
    element('virtualizationType', 'hvm'),
    element('clientToken', instance.clientToken ?? ''),
    tagSet(tags),
    element('hypervisor', 'xen'),
    ...(attached ? [networkInterfaceSet(instance, accountId)] : []),
    profileElement(instance, accountId),
    plan.spot ? element('instanceLifecycle', 'spot') : undefined,
    instance.spotRequestId === undefined ? undefined : element('spotInstanceRequestId', instance.spotRequestId),
    element('ebsOptimized', false),
    element('enaSupport', true),
    element('metadataOptions', [
      element('state', 'applied'),
      element('httpTokens', plan.metadata.httpTokens),
      element('httpPutResponseHopLimit', plan.metadata.hopLimit),
      element('httpEndpoint', plan.metadata.httpEndpoint),
    ]),
  ];
}

function pendingReason({ state }: StateChange): Xml | undefined {
  return state === 'pending' ? reasonElement({ code: 'pending', message: 'pending' }) : undefined;
}

function reasonElement({ code, message }: StateReason): Xml {
  return element('stateReason', [element('code', code), element('message', message)]);
}

function transitionReason({ history, launchedAt }: Instance, reason: StateReason): string {
  // The instant at which the end began, which later states keep.
  const at = history.find((change) => change.reason === reason)?.at ?? launchedAt;
  const kind = reason.code.startsWith('Server.') ? 'Server' : 'User';
  return `${kind} initiated (${timestamp(at).replace('T', ' ').replace('.000Z', ' GMT')})`;
}

function privateDnsName({ privateIp, plan }: Instance): string {
  const region = plan.subnet.availabilityZone.replace(/[a-z]$/, '');
  return `ip-${privateIp.replaceAll('.', '-')}.${region}.compute.internal`;
}

function networkMembers(instance: Instance): (Xml | undefined)[] {
  return [
    element('subnetId', instance.plan.subnet.id),
    element('vpcId', instance.plan.subnet.vpcId),
    element('privateIpAddress', instance.privateIp),
    instance.publicIp === undefined ? undefined : element('ipAddress', instance.publicIp),
  ];
}

function rootMembers({ plan, volumeId, launchedAt }: Instance, attached: boolean): (Xml | undefined)[] {
  const { rootVolume: volume } = plan;
  if (volume === undefined) return [element('rootDeviceType', 'instance-store')];
  const mapping = [
    element('deviceName', volume.deviceName),
    element('ebs', [
      element('volumeId', volumeId),
      element('status', 'attached'),
      element('attachTime', timestamp(launchedAt)),
      element('deleteOnTermination', volume.deleteOnTermination),
    ]),
  ];
  return [
    element('rootDeviceType', 'ebs'),
    element('rootDeviceName', volume.deviceName),
    listElement('blockDeviceMapping', attached ? [mapping] : []),
  ];
}

function networkInterfaceSet(instance: Instance, accountId: string): Xml {
  const { plan } = instance;
  return listElement('networkInterfaceSet', [
    [
      element('networkInterfaceId', instance.networkInterfaceId),
      element('subnetId', plan.subnet.id),
      element('vpcId', plan.subnet.vpcId),
      element('ownerId', accountId),
      element('status', 'in-use'),
      element('privateIpAddress', instance.privateIp),
      listElement(
        'groupSet',
        plan.groups.map(({ id, name }) => [element('groupId', id), element('groupName', name)]),
      ),
      element('attachment', [
        element('attachmentId', instance.attachmentId),
        element('deviceIndex', 0),
        element('status', 'attached'),
        element('attachTime', timestamp(instance.launchedAt)),
        element('deleteOnTermination', plan.networkInterfaceGoesAlong),
      ]),
    ],
  ]);
}

function profileElement({ plan }: Instance, accountId: string): Xml | undefined {
  if (plan.profile === undefined) return undefined;
  return element('iamInstanceProfile', [
    element('arn', profileArn(accountId, plan.profile)),
    element('id', 'AIPAEMULATEDPROFILE01'),
  ]);
}
