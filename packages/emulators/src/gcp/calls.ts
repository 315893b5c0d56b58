import type { EmulatedRequest } from '../server.js';
import {
  aggregatedInstances,
  deleteInstance,
  getInstance,
  getSerialPortOutput,
  insertInstance,
  listInstances,
  setInstanceLabels,
} from './instance-calls.js';
import {
  getDisk,
  getImage,
  getImageFromFamily,
  getMachineType,
  getNetwork,
  getOperation,
  getProject,
  getSubnetwork,
  getTemplate,
  getZone,
  listOperations,
  listZones,
  setDiskLabels,
  waitForOperation,
} from './other-calls.js';
import { LIST_PARAMETERS } from './paging.js';
import type { Project } from './project.js';
import type { Shape } from './shape.js';
import * as shapes from './shapes.js';

/** One method of the API. */
export interface Call {
  /** As Google's reference names it, less `compute.`: `instances.insert`. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** From `projects/` on. */
  readonly path: string;
  /** The parameters it reads, besides those every method does. */
  readonly query?: readonly string[];
  readonly takesBody?: boolean;
  /** What its answer may have, for the `fields` parameter. */
  readonly shape: Shape;
  readonly carryOut: (call: EmulatedRequest, project: Project) => unknown;
}

const ZONE = 'projects/:project/zones/:zone';
const REQUEST_ID = ['requestId'];

/** Every method that is emulated. */
export const CALLS: readonly Call[] = [
  {
    operation: 'instances.insert',
    method: 'POST',
    path: `${ZONE}/instances`,
    query: ['requestId', 'sourceInstanceTemplate'],
    takesBody: true,
    shape: shapes.OPERATION,
    carryOut: insertInstance,
  },
  {
    operation: 'instances.list',
    method: 'GET',
    path: `${ZONE}/instances`,
    query: LIST_PARAMETERS,
    shape: shapes.listOf(shapes.INSTANCE),
    carryOut: listInstances,
  },
  {
    operation: 'instances.aggregatedList',
    method: 'GET',
    path: 'projects/:project/aggregated/instances',
    query: [...LIST_PARAMETERS, 'includeAllScopes'],
    shape: shapes.AGGREGATED_INSTANCES,
    carryOut: aggregatedInstances,
  },
  {
    operation: 'instances.get',
    method: 'GET',
    path: `${ZONE}/instances/:instance`,
    shape: shapes.INSTANCE,
    carryOut: getInstance,
  },
  {
    operation: 'instances.delete',
    method: 'DELETE',
    path: `${ZONE}/instances/:instance`,
    query: REQUEST_ID,
    shape: shapes.OPERATION,
    carryOut: deleteInstance,
  },
  {
    operation: 'instances.setLabels',
    method: 'POST',
    path: `${ZONE}/instances/:instance/setLabels`,
    query: REQUEST_ID,
    takesBody: true,
    shape: shapes.OPERATION,
    carryOut: setInstanceLabels,
  },
  {
    operation: 'instances.getSerialPortOutput',
    method: 'GET',
    path: `${ZONE}/instances/:instance/serialPort`,
    query: ['port', 'start'],
    shape: shapes.SERIAL_PORT,
    carryOut: getSerialPortOutput,
  },
  {
    operation: 'zoneOperations.list',
    method: 'GET',
    path: `${ZONE}/operations`,
    query: LIST_PARAMETERS,
    shape: shapes.listOf(shapes.OPERATION),
    carryOut: listOperations,
  },
  {
    operation: 'zoneOperations.get',
    method: 'GET',
    path: `${ZONE}/operations/:operation`,
    shape: shapes.OPERATION,
    carryOut: getOperation,
  },
  {
    operation: 'zoneOperations.wait',
    method: 'POST',
    path: `${ZONE}/operations/:operation/wait`,
    takesBody: true,
    shape: shapes.OPERATION,
    carryOut: waitForOperation,
  },
  {
    operation: 'disks.get',
    method: 'GET',
    path: `${ZONE}/disks/:disk`,
    shape: shapes.DISK,
    carryOut: getDisk,
  },
  {
    operation: 'disks.setLabels',
    method: 'POST',
    path: `${ZONE}/disks/:disk/setLabels`,
    query: REQUEST_ID,
    takesBody: true,
    shape: shapes.OPERATION,
    carryOut: setDiskLabels,
  },
  {
    operation: 'machineTypes.get',
    method: 'GET',
    path: `${ZONE}/machineTypes/:machineType`,
    shape: shapes.SMALL,
    carryOut: getMachineType,
  },
  {
    operation: 'projects.get',
    method: 'GET',
    path: 'projects/:project',
    shape: shapes.SMALL,
    carryOut: getProject,
  },
  {
    operation: 'zones.get',
    method: 'GET',
    path: ZONE,
    shape: shapes.SMALL,
    carryOut: getZone,
  },
  {
    operation: 'zones.list',
    method: 'GET',
    path: 'projects/:project/zones',
    query: LIST_PARAMETERS,
    shape: shapes.listOf(shapes.SMALL),
    carryOut: listZones,
  },
  {
    operation: 'instanceTemplates.get',
    method: 'GET',
    path: 'projects/:project/global/instanceTemplates/:template',
    shape: shapes.TEMPLATE,
    carryOut: getTemplate,
  },
  {
    operation: 'regionInstanceTemplates.get',
    method: 'GET',
    path: 'projects/:project/regions/:region/instanceTemplates/:template',
    shape: shapes.TEMPLATE,
    carryOut: getTemplate,
  },
  {
    operation: 'images.get',
    method: 'GET',
    path: 'projects/:project/global/images/:image',
    shape: shapes.SMALL,
    carryOut: getImage,
  },
  {
    operation: 'images.getFromFamily',
    method: 'GET',
    path: 'projects/:project/global/images/family/:family',
    shape: shapes.SMALL,
    carryOut: getImageFromFamily,
  },
  {
    operation: 'networks.get',
    method: 'GET',
    path: 'projects/:project/global/networks/:network',
    shape: shapes.SMALL,
    carryOut: getNetwork,
  },
  {
    operation: 'subnetworks.get',
    method: 'GET',
    path: 'projects/:project/regions/:region/subnetworks/:subnetwork',
    shape: shapes.SMALL,
    carryOut: getSubnetwork,
  },
];
