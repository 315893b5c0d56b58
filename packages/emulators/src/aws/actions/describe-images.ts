import type { Ec2Image } from '../catalogue.js';
import { Ec2Error } from '../errors.js';
import { readFilters } from '../filters.js';
import { element, listElement, type Xml } from '../xml.js';
import type { Action } from './action.js';

const FILTERS: Readonly<Record<string, (image: Ec2Image) => string>> = {
  architecture: ({ architecture }) => architecture,
  'image-id': ({ id }) => id,
  name: ({ name }) => name,
};

/** Lists images: those of the given ids, or all that match. */
export const describeImages: Action = (params, { id: accountId, catalogue }) => {
  const ids = params.list('ImageId');
  for (const id of ids) {
    if (!/^ami-[0-9a-f]{8,17}$/.test(id)) {
      throw new Ec2Error('InvalidAMIID.Malformed', `Invalid id: "${id}" (expecting "ami-...")`);
    }
  }
  const matches = readFilters<Ec2Image>(params, Object.keys(FILTERS), (image, name) => [FILTERS[name]?.(image) ?? '']);

  return () => {
    const missing = ids.filter((id) => !catalogue.images.some((image) => image.id === id));
    if (missing.length > 0) {
      const verb = missing.length === 1 ? 'id' : 'ids';
      const does = missing.length === 1 ? 'does' : 'do';
      throw new Ec2Error('InvalidAMIID.NotFound', `The image ${verb} '[${missing.join(', ')}]' ${does} not exist`);
    }
    const images = catalogue.images.filter((image) => (ids.length === 0 || ids.includes(image.id)) && matches(image));
    return [
      listElement(
        'imagesSet',
        images.map((image) => imageMembers(image, accountId)),
      ),
    ];
  };
};

function imageMembers(image: Ec2Image, accountId: string): (Xml | undefined)[] {
  const device = image.rootDeviceName;
  return [
    element('imageId', image.id),
    element('imageLocation', `${accountId}/${image.name}`),
    element('imageState', 'available'),
    element('imageOwnerId', accountId),
    element('isPublic', false),
    element('architecture', image.architecture),
    element('imageType', 'machine'),
    element('name', image.name),
    element('rootDeviceType', device === undefined ? 'instance-store' : 'ebs'),
    device === undefined ? undefined : element('rootDeviceName', device),
    device === undefined ? undefined : rootMapping(device, image.rootVolumeGiB),
    element('virtualizationType', 'hvm'),
    element('hypervisor', 'xen'),
    element('enaSupport', true),
  ];
}

function rootMapping(deviceName: string, sizeGiB: number): Xml {
  return listElement('blockDeviceMapping', [
    [
      element('deviceName', deviceName),
      element('ebs', [
        element('volumeSize', sizeGiB),
        element('deleteOnTermination', true),
        element('volumeType', 'gp3'),
        element('encrypted', false),
      ]),
    ],
  ]);
}
