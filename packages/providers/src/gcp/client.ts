import type { ProviderContext } from '@rungar/model';
import { openAgents, proxySettingsOf } from '@rungar/proxies';
import { findCredentials } from './credentials.js';
import { unanswered } from './errors.js';
import type { LibraryLoader, LibraryRequest } from './library.js';
import type { TemplatePath } from './names.js';
import type { GcpSettings } from './settings.js';
import { createTransport, type LibraryCall, type Transport } from './transport.js';
import { FIELDS, type RawDisk, type RawInstance, type RawOperation, type RawPage, type RawTemplate } from './wire.js';

/** What the provider asks of Compute Engine, within one project. Every call ends within the provider's time limit. */
export interface ComputeEngine {
  /** One page. @throws GceError; the signal's reason when it aborts: so do all others */
  listInstances(zone: string, page: PageRequest, signal: AbortSignal): Promise<Page<RawInstance>>;
  /** The zones of the project that have instances of the filter. One page, and which zones it had to leave out. */
  zonesWithInstances(
    page: PageRequest,
    signal: AbortSignal,
  ): Promise<Page<string> & { readonly unreachable?: readonly string[] }>;
  /** An instance by its name or numeric id. */
  getInstance(zone: string, instance: string, signal: AbortSignal): Promise<RawInstance>;
  /** An instance's labels and the disks it has. */
  getInstanceDisks(zone: string, instance: string, signal: AbortSignal): Promise<RawInstance>;
  /**
   * Begins to create an instance. The same `requestId` again answers the same operation; how it ends is in the
   * operation
   * alone.
   */
  insertInstance(request: InsertRequest, signal: AbortSignal): Promise<RawOperation>;
  /**
   * Begins to delete an instance; how it ends is in the operation alone.
   * @param instance its name or numeric id
   */
  deleteInstance(zone: string, instance: string, signal: AbortSignal): Promise<RawOperation>;
  /** The end of what an instance wrote to its first serial port. */
  serialPortOutput(zone: string, instance: string, signal: AbortSignal): Promise<string>;
  /** Newest first. One page. */
  listOperations(zone: string, page: PageRequest, signal: AbortSignal): Promise<Page<RawOperation>>;
  /** How an operation stands, by one short question. */
  getOperation(zone: string, operation: string, signal: AbortSignal): Promise<RawOperation>;
  /** An instance template, global or regional. */
  getTemplate(template: TemplatePath, signal: AbortSignal): Promise<RawTemplate>;
  /** The labels of a disk, and what they are changed by. */
  getDisk(zone: string, disk: string, signal: AbortSignal): Promise<RawDisk>;
  /** Begins to replace the labels of a disk; fails where somebody else changed them since they were read. */
  setDiskLabels(zone: string, disk: string, labels: DiskLabels, signal: AbortSignal): Promise<RawOperation>;
  /** Resolves when there is one; a GceError otherwise. */
  getMachineType(zone: string, machineType: string, signal: AbortSignal): Promise<void>;
  /** Resolves when there is one; a GceError otherwise. */
  getZone(zone: string, signal: AbortSignal): Promise<void>;
  /**
   * Resolves when there is one; a GceError otherwise.
   * @param image from `projects/` on
   */
  getImage(image: string, signal: AbortSignal): Promise<void>;
  /** Resolves when there is one; a GceError otherwise. */
  getNetwork(project: string, network: string, signal: AbortSignal): Promise<void>;
  /** Resolves when there is one; a GceError otherwise. */
  getSubnetwork(project: string, region: string, subnetwork: string, signal: AbortSignal): Promise<void>;
  /** Closes its connections. */
  close(): void;
}

/** Which page of a listing. */
export interface PageRequest {
  readonly filter: string;
  readonly pageToken?: string;
}

/** A page of a listing. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Of the listing itself, where it was asked for: `projects/P/zones/Z/instances`. */
  readonly id?: string;
  readonly nextPageToken?: string;
  /** How far Google's clock is ahead of this host's, in milliseconds, where the answer told. */
  readonly clockOffsetMs?: number;
}

/** An instance to create. */
export interface InsertRequest {
  readonly zone: string;
  /** A UUID: the same for every request of one attempt, and for no other. */
  readonly requestId: string;
  /** From `projects/` on. */
  readonly template?: string;
  /** The instance, as the API has it. */
  readonly instance: Readonly<Record<string, unknown>>;
}

/** The labels of a disk, with the mark that a change has to bring back. */
export interface DiskLabels {
  readonly labels: Readonly<Record<string, string>>;
  readonly labelFingerprint: string;
}

const GOOGLE = 'https://compute.googleapis.com';
/** The most a page may have. */
const PAGE = 500;
/** How much of a console's end is read, in bytes. */
const CONSOLE_BYTES = 16_384;

/**
 * Loads the library and reads the credentials that a file is named for; asks Compute Engine nothing yet.
 * @throws RungarError `invalid_argument` when a package is not installed, with the command that installs it, or the
 * file cannot be used
 */
export async function openComputeEngine(
  load: LibraryLoader,
  settings: GcpSettings,
  context: ProviderContext,
  signal: AbortSignal,
): Promise<ComputeEngine> {
  const { clock, redactor, environment = {} } = context;
  const [library] = await Promise.all([load.auth(), load.client('InstancesClient')]);
  const url = new URL(settings.endpointUrl ?? GOOGLE);
  const agents = await openAgents(proxySettingsOf(environment), url, { keepAlive: true });
  const auth = await findCredentials(library, settings, agents, signal);
  const transport = createTransport({ load, auth, agents, settings, clock, redactor });
  return computeEngineOver(transport, settings.project, () => clock.wallNow());
}

function computeEngineOver(transport: Transport, project: string, wallNow: () => number): ComputeEngine {
  /** Everything is asked for with its kind: what a proxy makes up has none. */
  const ask = async <T>(call: LibraryCall, kind: string, signal: AbortSignal): Promise<{ value: T; date?: number }> => {
    const { text, date } = await transport.send(call, signal);
    const value = parse(text);
    if (value?.kind !== `compute#${kind}`)
      throw unanswered(`the answer to ${call.method} is not one of Compute Engine`);
    return { value: value as T, ...(date !== undefined && { date }) };
  };

  const page = async <T>(call: LibraryCall, kind: string, signal: AbortSignal): Promise<Page<T>> => {
    const { value, date } = await ask<RawPage<readonly T[]>>(call, kind, signal);
    return {
      items: value.items ?? [],
      ...(value.id !== undefined && { id: value.id }),
      ...(value.nextPageToken && { nextPageToken: value.nextPageToken }),
      ...(date !== undefined && { clockOffsetMs: date - wallNow() }),
    };
  };

  const instances = (method: string, request: LibraryRequest, fields: string): LibraryCall => ({
    client: 'InstancesClient',
    method,
    request: { project, ...request },
    fields,
  });

  const operation = async (call: LibraryCall, signal: AbortSignal): Promise<RawOperation> =>
    (await ask<RawOperation>(call, 'operation', signal)).value;

  const exists = async (
    client: LibraryCall['client'],
    kind: string,
    request: LibraryRequest,
    signal: AbortSignal,
    method = 'get',
  ): Promise<void> => {
    await ask({ client, method, request: { project, ...request }, fields: FIELDS.existence }, kind, signal);
  };

  return {
    listInstances: (zone, wanted, signal) =>
      page(instances('list', { zone, maxResults: PAGE, ...wanted }, FIELDS.instances), 'instanceList', signal),

    async zonesWithInstances(wanted, signal) {
      const request = { maxResults: PAGE, returnPartialSuccess: true, ...wanted };
      const call = instances('aggregatedListAsync', request, FIELDS.zonesOfInstances);
      const { value } = await ask<RawPage<Readonly<Record<string, { readonly instances?: readonly unknown[] }>>>>(
        call,
        'instanceAggregatedList',
        signal,
      );
      const withInstances = Object.entries(value.items ?? {}).filter(([, { instances: some = [] }]) => some.length > 0);
      return {
        items: withInstances.map(([zone]) => zone.replace(/^zones\//, '')),
        unreachable: (value.unreachables ?? []).map((zone) => zone.replace(/^.*zones\//, '')),
        ...(value.nextPageToken && { nextPageToken: value.nextPageToken }),
      };
    },

    async getInstance(zone, instance, signal) {
      const call = instances('get', { zone, instance }, `kind,${FIELDS.instance}`);
      return (await ask<RawInstance>(call, 'instance', signal)).value;
    },

    async getInstanceDisks(zone, instance, signal) {
      const call = instances('get', { zone, instance }, `kind,${FIELDS.disksOfInstance}`);
      return (await ask<RawInstance>(call, 'instance', signal)).value;
    },

    insertInstance({ zone, requestId, template, instance }, signal) {
      const source = template === undefined ? {} : { sourceInstanceTemplate: template };
      const request = { zone, requestId, ...source, instanceResource: instance };
      return operation(instances('insert', request, FIELDS.operation), signal);
    },

    deleteInstance: (zone, instance, signal) =>
      operation(instances('delete', { zone, instance }, FIELDS.operation), signal),

    async serialPortOutput(zone, instance, signal) {
      const request = { zone, instance, port: 1, start: String(-CONSOLE_BYTES) };
      const call = instances('getSerialPortOutput', request, FIELDS.console);
      return (await ask<{ contents?: string }>(call, 'serialPortOutput', signal)).value.contents ?? '';
    },

    listOperations: (zone, wanted, signal) =>
      page(
        {
          client: 'ZoneOperationsClient',
          method: 'list',
          request: { project, zone, maxResults: PAGE, orderBy: 'creationTimestamp desc', ...wanted },
          fields: FIELDS.operations,
        },
        'operationList',
        signal,
      ),

    getOperation: (zone, name, signal) =>
      operation(
        {
          client: 'ZoneOperationsClient',
          method: 'get',
          request: { project, zone, operation: name },
          fields: FIELDS.operation,
        },
        signal,
      ),

    async getTemplate({ project: owner, region, name }, signal) {
      const call: LibraryCall =
        region === undefined
          ? { client: 'InstanceTemplatesClient', method: 'get', request: { project: owner, instanceTemplate: name } }
          : {
              client: 'RegionInstanceTemplatesClient',
              method: 'get',
              request: { project: owner, region, instanceTemplate: name },
            };
      return (await ask<RawTemplate>({ ...call, fields: FIELDS.template }, 'instanceTemplate', signal)).value;
    },

    async getDisk(zone, disk, signal) {
      const request = { project, zone, disk };
      const call: LibraryCall = { client: 'DisksClient', method: 'get', request, fields: FIELDS.disk };
      return (await ask<RawDisk>(call, 'disk', signal)).value;
    },

    setDiskLabels: (zone, resource, labels, signal) =>
      operation(
        {
          client: 'DisksClient',
          method: 'setLabels',
          request: { project, zone, resource, zoneSetLabelsRequestResource: labels },
          fields: FIELDS.operation,
        },
        signal,
      ),

    getMachineType: (zone, machineType, signal) =>
      exists('MachineTypesClient', 'machineType', { zone, machineType }, signal),

    getZone: (zone, signal) => exists('ZonesClient', 'zone', { zone }, signal),

    getImage(path, signal) {
      const [, owner = project, family, image] =
        /^projects\/([^/]+)\/global\/images\/(?:family\/([^/]+)|(.+))$/.exec(path) ?? [];
      if (family === undefined) return exists('ImagesClient', 'image', { project: owner, image }, signal);
      return exists('ImagesClient', 'image', { project: owner, family }, signal, 'getFromFamily');
    },

    getNetwork: (owner, network, signal) => exists('NetworksClient', 'network', { project: owner, network }, signal),

    getSubnetwork: (owner, region, subnetwork, signal) =>
      exists('SubnetworksClient', 'subnetwork', { project: owner, region, subnetwork }, signal),

    close: () => transport.close(),
  };
}

function parse(text: string): { readonly kind?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
