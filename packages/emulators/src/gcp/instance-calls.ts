import type { EmulatedRequest } from '../server.js';
import { GceRefusal, invalidValue, notFound } from './errors.js';
import { checkLabels, planInstance } from './insert-plan.js';
import { type InstanceBody, overlay } from './insert-request.js';
import type { Instance } from './instance.js';
import { pageOf } from './paging.js';
import type { Project } from './project.js';
import { fingerprintOf, instanceJson, operationJson } from './resource-json.js';
import { readBody } from './shape.js';
import { INSTANCE_BODY, LABELS_BODY } from './shapes.js';
import { findTemplate } from './templates.js';
import { requireZone } from './zones.js';

const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ZERO_ID = /^[0-]+$/;
const MOST_CONSOLE_BYTES = 1024 * 1024;

export function insertInstance(call: EmulatedRequest, project: Project): unknown {
  const { fleet, catalogue, links } = project;
  const zone = requireZone(call, project);
  const requestId = readRequestId(call.query);
  const repeated = requestId === undefined ? undefined : project.operations.ofRequest(requestId);
  if (repeated !== undefined) return operationJson(repeated, links);
  const body = readBody(call.body, INSTANCE_BODY) as InstanceBody;
  const template = call.query.get('sourceInstanceTemplate');
  const wanted = template === null ? body : overlay(templateBody(template, zone, project), body);
  const plan = planInstance(wanted, { catalogue, links, zone, now: project.clock.now() });
  if (fleet.find(zone, plan.name) !== undefined) {
    const path = `projects/${project.id}/zones/${zone}/instances/${plan.name}`;
    throw new GceRefusal(409, 'alreadyExists', `The resource '${path}' already exists`);
  }
  return operationJson(fleet.insert(plan, requestId), links);
}

/** A template's properties as the body of an insert: what they name by itself is of the zone. */
function templateBody(written: string, zone: string, project: Project): InstanceBody {
  const properties = findTemplate(project.catalogue, project.id, project.links.path(written))
    .properties as InstanceBody;
  const { machineType, disks, ...rest } = properties;
  return {
    ...rest,
    ...(machineType !== undefined && { machineType: inZone(machineType, zone, 'machineTypes') }),
    ...(disks !== undefined && {
      disks: disks.map((disk) => {
        const { diskType } = disk.initializeParams ?? {};
        if (diskType === undefined) return disk;
        return {
          ...disk,
          initializeParams: { ...disk.initializeParams, diskType: inZone(diskType, zone, 'diskTypes') },
        };
      }),
    }),
  };
}

function inZone(name: string, zone: string, kind: string): string {
  return name.includes('/') ? name : `zones/${zone}/${kind}/${name}`;
}

export function listInstances(call: EmulatedRequest, project: Project): unknown {
  const zone = requireZone(call, project);
  const { links } = project;
  const all = project.fleet.all.filter(({ plan }) => plan.zone === zone).map((one) => instanceJson(one, links));
  const page = pageOf(all, call.query, project.pageSize);
  const path = `projects/${project.id}/zones/${zone}/instances`;
  return {
    kind: 'compute#instanceList',
    id: path,
    ...(page.items.length > 0 && { items: page.items }),
    ...(page.nextPageToken !== undefined && { nextPageToken: page.nextPageToken }),
    selfLink: links.link(path),
  };
}

export function aggregatedInstances(call: EmulatedRequest, project: Project): unknown {
  const { links, catalogue, unreachable, fleet } = project;
  if (unreachable.size > 0 && call.query.get('returnPartialSuccess')?.toLowerCase() !== 'true') {
    throw new GceRefusal(503, 'backendError', 'Some zones cannot be reached.');
  }
  const all = fleet.all.filter(({ plan }) => !unreachable.has(plan.zone)).map((one) => instanceJson(one, links));
  const page = pageOf(all, call.query, project.pageSize);
  const path = `projects/${project.id}/aggregated/instances`;
  const ofZone = (zone: string): unknown => {
    const instances = page.items.filter((one) => one.zone === links.link(`projects/${project.id}/zones/${zone}`));
    if (instances.length > 0) return { instances };
    const code = unreachable.has(zone) ? 'UNREACHABLE' : 'NO_RESULTS_ON_PAGE';
    const data = [{ key: 'scope', value: `zones/${zone}` }];
    return { warning: { code, message: `There are no results for scope 'zones/${zone}' on this page.`, data } };
  };
  return {
    kind: 'compute#instanceAggregatedList',
    id: path,
    items: Object.fromEntries(catalogue.zones.map((zone) => [`zones/${zone}`, ofZone(zone)])),
    ...(page.nextPageToken !== undefined && { nextPageToken: page.nextPageToken }),
    selfLink: links.link(path),
    ...(unreachable.size > 0 && { unreachables: [...unreachable].map((zone) => `zones/${zone}`) }),
  };
}

export function getInstance(call: EmulatedRequest, project: Project): unknown {
  return instanceJson(requireInstance(call, project), project.links);
}

export function deleteInstance(call: EmulatedRequest, project: Project): unknown {
  requireZone(call, project);
  const requestId = readRequestId(call.query);
  const repeated = requestId === undefined ? undefined : project.operations.ofRequest(requestId);
  if (repeated !== undefined) return operationJson(repeated, project.links);
  const instance = requireInstance(call, project);
  if (instance.plan.deletionProtection) {
    throw new GceRefusal(
      412,
      'conditionNotMet',
      `Invalid resource usage: 'Resource cannot be deleted if it's protected against deletion.'.`,
    );
  }
  return operationJson(project.fleet.delete(instance, requestId), project.links);
}

export function setInstanceLabels(call: EmulatedRequest, project: Project): unknown {
  const instance = requireInstance(call, project);
  const labels = readLabels(call.body, instance.labels);
  return operationJson(project.fleet.setLabels(instance, labels, readRequestId(call.query)), project.links);
}

/**
 * The labels a setLabels asks for.
 * @param before those that are there, whose fingerprint the call must know
 * @throws GceRefusal when it does not, or the labels cannot be
 */
export function readLabels(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { labels = {}, labelFingerprint } = readBody(text, LABELS_BODY) as {
    labels?: Readonly<Record<string, string>>;
    labelFingerprint?: string;
  };
  if (labelFingerprint !== fingerprintOf(before)) {
    throw new GceRefusal(412, 'conditionNotMet', 'Labels fingerprint either invalid or resource labels have changed');
  }
  checkLabels(labels, 'labels');
  return labels;
}

export function getSerialPortOutput(call: EmulatedRequest, project: Project): unknown {
  const { plan, machine } = requireInstance(call, project);
  const port = call.query.get('port') ?? '1';
  if (!/^[1-4]$/.test(port)) throw invalidValue('port', port, 'Must be between 1 and 4, inclusive');
  const lines = port === '1' ? (machine?.console ?? []) : [];
  const output = Buffer.from(lines.map(({ text }) => `${text}\r\n`).join('')).subarray(-MOST_CONSOLE_BYTES);
  const start = readStart(call.query.get('start') ?? '0', output.length);
  return {
    kind: 'compute#serialPortOutput',
    selfLink: project.links.link(`projects/${project.id}/zones/${plan.zone}/instances/${plan.name}/serialPort`),
    contents: output.subarray(start).toString(),
    start: String(start),
    next: String(output.length),
  };
}

/** Where in the output to begin: a negative one counts from its end. */
function readStart(text: string, length: number): number {
  if (!/^-?\d+$/.test(text)) throw invalidValue('start', text, 'Must be a whole number.');
  const start = Number(text);
  return start < 0 ? Math.max(0, length + start) : Math.min(start, length);
}

function requireInstance(call: EmulatedRequest, project: Project): Instance {
  const zone = requireZone(call, project);
  const { instance: name = '' } = call.params;
  const instance = project.fleet.find(zone, name);
  if (instance === undefined) throw notFound(`projects/${project.id}/zones/${zone}/instances/${name}`);
  return instance;
}

/** @throws GceRefusal when there is one and it is not a UUID other than zero */
export function readRequestId(query: URLSearchParams): string | undefined {
  const id = query.get('requestId');
  if (id === null) return undefined;
  if (!REQUEST_ID.test(id) || ZERO_ID.test(id)) {
    throw invalidValue('requestId', id, 'Must be a valid UUID with the exception that zero UUID is not supported.');
  }
  return id.toLowerCase();
}
