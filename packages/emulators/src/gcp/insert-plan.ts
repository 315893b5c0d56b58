import { type GceCatalogue, type GceImage, type GceMachineType, regionOf } from './catalogue.js';
import { GceRefusal, invalidValue, notFound } from './errors.js';
import type { DiskBody, InstanceBody, NetworkInterfaceBody } from './insert-request.js';
import type { InstancePlan, NetworkInterface } from './instance.js';
import { type Links, lastSegment } from './links.js';
import { planScheduling } from './scheduling.js';

/** Where an instance is to be. */
export interface Site {
  readonly catalogue: GceCatalogue;
  readonly links: Links;
  readonly zone: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

const NAME = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const MOST_LABELS = 64;
const MOST_METADATA_BYTES = 512 * 1024;
const MOST_ITEM_BYTES = 256 * 1024;
const DEFAULT_DISK_GB = 10;

/**
 * What an insert comes to.
 * @throws GceRefusal with what Compute Engine says of anything wrong in it
 */
export function planInstance(body: InstanceBody, site: Site): InstancePlan {
  const name = body.name ?? '';
  if (!NAME.test(name)) {
    throw invalidValue('resource.name', name, "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'");
  }
  const labels = body.labels ?? {};
  checkLabels(labels, 'resource.labels');
  return {
    name,
    zone: site.zone,
    type: findMachineType(body.machineType, site),
    labels,
    metadata: planMetadata(body),
    tags: planTags(body),
    disks: planDisks(name, body, site),
    networkInterfaces: planNetworks(body, site),
    serviceAccounts: planServiceAccounts(body),
    scheduling: planScheduling(body.scheduling ?? {}, site.now),
    deletionProtection: body.deletionProtection ?? false,
    description: body.description,
  };
}

/** @throws GceRefusal when one of them cannot be a label */
export function checkLabels(labels: Readonly<Record<string, string>>, at: string): void {
  const count = Object.keys(labels).length;
  if (count > MOST_LABELS)
    throw invalidValue(at, `${count} labels`, `A resource can have at most ${MOST_LABELS} labels.`);
  for (const [key, value] of Object.entries(labels)) {
    if (!/^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u.test(key)) {
      throw invalidValue(
        at,
        key,
        "Label keys must match the regular expression '[\\p{Ll}\\p{Lo}][\\p{Ll}\\p{Lo}\\p{N}_-]{0,62}'.",
      );
    }
    if (!/^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u.test(value)) {
      throw invalidValue(at, value, "Label values must match the regular expression '[\\p{Ll}\\p{Lo}\\p{N}_-]{0,63}'.");
    }
  }
}

function findMachineType(written: string | undefined, { catalogue, links, zone }: Site): GceMachineType {
  if (written === undefined) throw invalidValue('resource.machineType', '', 'Machine type must be specified.');
  const path = links.path(written);
  const [, ofZone, name] = /^projects\/[^/]+\/zones\/([^/]+)\/machineTypes\/([^/]+)$/.exec(path) ?? [];
  if (ofZone !== zone) {
    throw invalidValue('resource.machineType', written, 'The URL is malformed or of another zone.');
  }
  const type = catalogue.machineTypes.find((one) => one.name === name && (one.zones ?? [zone]).includes(zone));
  if (type === undefined) {
    throw invalidValue(
      'resource.machineType',
      links.link(path),
      `Machine type with name '${name}' does not exist in zone '${zone}'.`,
    );
  }
  return type;
}

function planMetadata({ metadata }: InstanceBody): InstancePlan['metadata'] {
  const seen = new Set<string>();
  let bytes = 0;
  return (metadata?.items ?? []).map(({ key = '', value = '' }) => {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(key)) {
      throw invalidValue('resource.metadata.items.key', key, "Must be a match of regex '[a-zA-Z0-9-_]{1,128}'");
    }
    if (seen.has(key)) throw invalidValue('resource.metadata', key, `Duplicate metadata key: ${key}`);
    seen.add(key);
    const size = Buffer.byteLength(value);
    bytes += size;
    if (size > MOST_ITEM_BYTES || bytes > MOST_METADATA_BYTES) {
      throw invalidValue('resource.metadata', key, 'Value exceeds the maximum size of metadata.');
    }
    return { key, value };
  });
}

function planTags({ tags }: InstanceBody): readonly string[] {
  const items = tags?.items ?? [];
  for (const tag of items) {
    if (!NAME.test(tag))
      throw invalidValue('resource.tags.items', tag, "Must be a match of regex '[a-z]([-a-z0-9]{0,61}[a-z0-9])?'");
  }
  if (new Set(items).size !== items.length) throw invalidValue('resource.tags.items', items, 'Duplicate tags.');
  return items;
}

function planDisks(name: string, body: InstanceBody, site: Site): InstancePlan['disks'] {
  const disks = body.disks ?? [];
  if (disks.length === 0) throw invalidValue('resource.disks', '', 'At least one disk must be specified.');
  if (disks[0]?.boot !== true)
    throw invalidValue(
      'resource.disks[0].boot',
      disks[0]?.boot,
      'Boot disk must be the first disk attached to the instance.',
    );
  return disks.map((disk, at) => planDisk(at === 0 ? name : `${name}-${at}`, at, disk, site));
}

function planDisk(name: string, at: number, disk: DiskBody, site: Site): InstancePlan['disks'][number] {
  const field = `resource.disks[${at}].initializeParams`;
  const { sourceImage, diskSizeGb, diskType, diskName, labels = {} } = disk.initializeParams ?? {};
  if (sourceImage === undefined) throw invalidValue(`${field}.sourceImage`, '', 'A source image must be specified.');
  const image = findImage(sourceImage, site);
  const least = image.diskSizeGb ?? DEFAULT_DISK_GB;
  const sizeGb = Number(diskSizeGb ?? least);
  if (sizeGb < least) {
    const why = `Requested disk size cannot be smaller than the image size (${least} GB)`;
    throw invalidValue(`${field}.diskSizeGb`, String(diskSizeGb), why);
  }
  checkLabels(labels, `${field}.labels`);
  return {
    name: diskName ?? name,
    boot: disk.boot ?? false,
    autoDelete: disk.autoDelete ?? false,
    sizeGb,
    type: findDiskType(diskType, field, site),
    image: imagePath(image, site.links.project),
    labels,
  };
}

function findDiskType(written: string | undefined, field: string, { catalogue, links, zone }: Site): string {
  if (written === undefined) return 'pd-standard';
  const [, ofZone, name = ''] = /^projects\/[^/]+\/zones\/([^/]+)\/diskTypes\/([^/]+)$/.exec(links.path(written)) ?? [];
  if (ofZone === zone && catalogue.diskTypes.includes(name)) return name;
  throw invalidValue(`${field}.diskType`, written, 'The referenced diskType resource cannot be found.');
}

/**
 * The image a path names, or the newest of the family it names.
 * @throws GceRefusal when there is none
 */
export function findImage(written: string, { catalogue, links }: Pick<Site, 'catalogue' | 'links'>): GceImage {
  const path = links.path(written);
  const [, project, family, name] = /^projects\/([^/]+)\/global\/images\/(family\/)?([^/]+)$/.exec(path) ?? [];
  const image = catalogue.images.findLast(
    (one) => (one.project ?? links.project) === project && (family === undefined ? one.name : one.family) === name,
  );
  if (image === undefined) throw notFound(path);
  return image;
}

/** From `projects/` on. */
export function imagePath(image: GceImage, project: string): string {
  return `projects/${image.project ?? project}/global/images/${image.name}`;
}

function planNetworks(body: InstanceBody, site: Site): readonly NetworkInterface[] {
  const interfaces = body.networkInterfaces ?? [];
  if (interfaces.length === 0) {
    throw invalidValue('resource.networkInterfaces', '', 'At least one network interface is required.');
  }
  return interfaces.map((one, at) => planNetwork(one, `resource.networkInterfaces[${at}]`, site));
}

function planNetwork(wanted: NetworkInterfaceBody, field: string, { catalogue, links, zone }: Site): NetworkInterface {
  const region = regionOf(zone);
  const network = wanted.network === undefined ? undefined : lastSegment(wanted.network);
  if (network !== undefined && !catalogue.networks.includes(network)) {
    throw invalidValue(`${field}.network`, wanted.network, 'The referenced network resource cannot be found.');
  }
  const subnetwork = catalogue.subnetworks.find((one) => {
    if (one.region !== region) return false;
    if (wanted.subnetwork === undefined) return one.network === (network ?? 'default');
    return links.path(wanted.subnetwork).endsWith(`/regions/${region}/subnetworks/${one.name}`);
  });
  if (subnetwork === undefined) {
    throw invalidValue(
      `${field}.subnetwork`,
      wanted.subnetwork ?? '',
      'The referenced subnetwork resource cannot be found.',
    );
  }
  if (network !== undefined && subnetwork.network !== network) {
    throw invalidValue(`${field}.network`, wanted.network, 'The network of the subnetwork is another one.');
  }
  for (const { type } of wanted.accessConfigs ?? []) {
    if (type !== undefined && type !== 'ONE_TO_ONE_NAT') {
      throw invalidValue(`${field}.accessConfigs[0].type`, type, 'Must be ONE_TO_ONE_NAT.');
    }
  }
  return {
    network: `projects/${links.project}/global/networks/${subnetwork.network}`,
    subnetwork: `projects/${links.project}/regions/${region}/subnetworks/${subnetwork.name}`,
    external: (wanted.accessConfigs ?? []).length > 0,
  };
}

function planServiceAccounts({ serviceAccounts = [] }: InstanceBody): InstancePlan['serviceAccounts'] {
  if (serviceAccounts.length > 1) {
    throw invalidValue('resource.serviceAccounts', '', 'At most one service account is allowed.');
  }
  return serviceAccounts.map(({ email, scopes = [] }) => {
    if (email === undefined) throw invalidValue('resource.serviceAccounts[0].email', '', 'Must be specified.');
    if (email !== 'default' && !/^[^@]+@[^@]+\.gserviceaccount\.com$/.test(email)) {
      throw new GceRefusal(404, 'notFound', `The resource '${email}' of type 'serviceAccount' was not found.`);
    }
    return { email, scopes };
  });
}
