import type { EmulatedRequest } from '../server.js';
import { type GceMachineType, regionOf } from './catalogue.js';
import { notFound } from './errors.js';
import { findImage, imagePath } from './insert-plan.js';
import type { Disk } from './instance.js';
import { readLabels, readRequestId } from './instance-calls.js';
import type { Operation } from './operations.js';
import { pageOf } from './paging.js';
import type { Project } from './project.js';
import { diskJson, operationJson } from './resource-json.js';
import { findTemplate } from './templates.js';
import { requireZone } from './zones.js';

export function getOperation(call: EmulatedRequest, project: Project): unknown {
  return operationJson(requireOperation(call, project), project.links);
}

export async function waitForOperation(call: EmulatedRequest, project: Project): Promise<unknown> {
  const operation = requireOperation(call, project);
  await project.operations.wait(operation);
  return operationJson(operation, project.links);
}

export function listOperations(call: EmulatedRequest, project: Project): unknown {
  const zone = requireZone(call, project);
  const all = project.operations.in(zone).map((operation) => operationJson(operation, project.links));
  const page = pageOf(all, call.query, project.pageSize);
  const path = `projects/${project.id}/zones/${zone}/operations`;
  return {
    kind: 'compute#operationList',
    id: path,
    ...(page.items.length > 0 && { items: page.items }),
    ...(page.nextPageToken !== undefined && { nextPageToken: page.nextPageToken }),
    selfLink: project.links.link(path),
  };
}

function requireOperation(call: EmulatedRequest, project: Project): Operation {
  const zone = requireZone(call, project);
  const { operation: name = '' } = call.params;
  const operation = project.operations.find(zone, name);
  if (operation === undefined) throw notFound(`projects/${project.id}/zones/${zone}/operations/${name}`);
  return operation;
}

export function getDisk(call: EmulatedRequest, project: Project): unknown {
  const disk = requireDisk(call, project);
  const users = project.fleet.all
    .filter(({ disks }) => disks.includes(disk))
    .map(({ plan }) => `projects/${project.id}/zones/${plan.zone}/instances/${plan.name}`);
  return diskJson(disk, users, project.links);
}

export function setDiskLabels(call: EmulatedRequest, project: Project): unknown {
  const disk = requireDisk(call, project);
  const labels = readLabels(call.body, disk.labels);
  return operationJson(project.fleet.setDiskLabels(disk, labels, readRequestId(call.query)), project.links);
}

function requireDisk(call: EmulatedRequest, project: Project): Disk {
  const zone = requireZone(call, project);
  const { disk: name = '' } = call.params;
  const disk = project.fleet.findDisk(zone, name);
  if (disk === undefined) throw notFound(`projects/${project.id}/zones/${zone}/disks/${name}`);
  return disk;
}

export function getTemplate(call: EmulatedRequest, project: Project): unknown {
  const { region, template = '' } = call.params;
  const place = region === undefined ? 'global' : `regions/${region}`;
  const path = `projects/${project.id}/${place}/instanceTemplates/${template}`;
  const { name, properties } = findTemplate(project.catalogue, project.id, path);
  return {
    kind: 'compute#instanceTemplate',
    id: idOf(path),
    name,
    properties,
    ...(region !== undefined && { region: project.links.link(`projects/${project.id}/regions/${region}`) }),
    selfLink: project.links.link(path),
  };
}

export function getMachineType(call: EmulatedRequest, project: Project): unknown {
  const zone = requireZone(call, project);
  const { machineType: name = '' } = call.params;
  const type = project.catalogue.machineTypes.find((one) => one.name === name && (one.zones ?? [zone]).includes(zone));
  if (type === undefined) throw notFound(`projects/${project.id}/zones/${zone}/machineTypes/${name}`);
  return machineTypeJson(type, zone, project);
}

function machineTypeJson(type: GceMachineType, zone: string, { id, links }: Project): Record<string, unknown> {
  const path = `projects/${id}/zones/${zone}/machineTypes/${type.name}`;
  return {
    kind: 'compute#machineType',
    id: idOf(path),
    name: type.name,
    guestCpus: type.guestCpus,
    memoryMb: type.memoryMb,
    zone,
    selfLink: links.link(path),
  };
}

export function getProject(_call: EmulatedRequest, { id, links }: Project): unknown {
  const path = `projects/${id}`;
  return {
    kind: 'compute#project',
    id: idOf(path),
    name: id,
    defaultServiceAccount: `emulator@${id}.iam.gserviceaccount.com`,
    selfLink: links.link(path),
  };
}

export function getZone(call: EmulatedRequest, project: Project): unknown {
  const { zone = '' } = call.params;
  const path = `projects/${project.id}/zones/${zone}`;
  if (!project.catalogue.zones.includes(zone)) throw notFound(path);
  return zoneJson(zone, project);
}

export function listZones(call: EmulatedRequest, project: Project): unknown {
  const all = project.catalogue.zones.map((zone) => zoneJson(zone, project));
  const page = pageOf(all, call.query, project.pageSize);
  const path = `projects/${project.id}/zones`;
  return {
    kind: 'compute#zoneList',
    id: path,
    items: page.items,
    ...(page.nextPageToken !== undefined && { nextPageToken: page.nextPageToken }),
    selfLink: project.links.link(path),
  };
}

function zoneJson(zone: string, { id, links, unreachable }: Project): Record<string, unknown> & { name: string } {
  const path = `projects/${id}/zones/${zone}`;
  return {
    kind: 'compute#zone',
    id: idOf(path),
    name: zone,
    description: zone,
    status: unreachable.has(zone) ? 'DOWN' : 'UP',
    region: links.link(`projects/${id}/regions/${regionOf(zone)}`),
    selfLink: links.link(path),
  };
}

export function getImage(call: EmulatedRequest, project: Project): unknown {
  const { project: owner = '', image: name = '' } = call.params;
  return imageJson(`projects/${owner}/global/images/${name}`, project);
}

export function getImageFromFamily(call: EmulatedRequest, project: Project): unknown {
  const { project: owner = '', family = '' } = call.params;
  return imageJson(`projects/${owner}/global/images/family/${family}`, project);
}

function imageJson(wanted: string, project: Project): Record<string, unknown> {
  const image = findImage(wanted, project);
  const path = imagePath(image, project.id);
  return {
    kind: 'compute#image',
    id: idOf(path),
    name: image.name,
    ...(image.family !== undefined && { family: image.family }),
    diskSizeGb: String(image.diskSizeGb ?? 10),
    status: 'READY',
    selfLink: project.links.link(path),
  };
}

export function getNetwork(call: EmulatedRequest, project: Project): unknown {
  const { network: name = '' } = call.params;
  const path = `projects/${project.id}/global/networks/${name}`;
  if (!project.catalogue.networks.includes(name)) throw notFound(path);
  return { kind: 'compute#network', id: idOf(path), name, selfLink: project.links.link(path) };
}

export function getSubnetwork(call: EmulatedRequest, project: Project): unknown {
  const { region = '', subnetwork: name = '' } = call.params;
  const path = `projects/${project.id}/regions/${region}/subnetworks/${name}`;
  const found = project.catalogue.subnetworks.find((one) => one.name === name && one.region === region);
  if (found === undefined) throw notFound(path);
  return {
    kind: 'compute#subnetwork',
    id: idOf(path),
    name,
    network: project.links.link(`projects/${project.id}/global/networks/${found.network}`),
    region: project.links.link(`projects/${project.id}/regions/${region}`),
    selfLink: project.links.link(path),
  };
}

/** A number for what has no life of its own here, the same each time. */
function idOf(path: string): string {
  return (2n ** 60n + BigInt(`0x${Buffer.from(path).toString('hex').slice(-14)}`)).toString();
}
