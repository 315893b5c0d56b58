import { toGcpLabels, toGcpMetadata } from '@rungar/labels';
import type { Labels } from '@rungar/model';
import type { Attempt } from './attempts.js';
import { LABELS_ITEM, REGISTRATION_ITEM } from './machine.js';
import { pathOf } from './names.js';
import { type GcpRunner, type GcpSettings, regionOf } from './settings.js';
import type { RawItem, RawTemplate } from './wire.js';

/** What an instance is made of, beside the attempt. */
export interface Launch {
  readonly name: string;
  readonly labels: Labels;
  readonly spec: GcpRunner;
  /** A secret. */
  readonly jitConfig: string;
  /** Epoch milliseconds after which Google may delete it. */
  readonly deadline?: number;
  /** What the runner block's template has. */
  readonly template?: RawTemplate;
}

const BYTES_PER_GIB = 1024n ** 3n;

/** The instance to insert, as the API has it: the same whenever the attempt is repeated. */
export function instanceResource(settings: GcpSettings, launch: Launch, attempt: Attempt): Record<string, unknown> {
  const { spec, template, name } = launch;
  const { zone, machineType } = attempt;
  const labels = instanceLabels(launch);
  const tags = [...new Set([...(template?.properties?.tags?.items ?? []), ...(spec.networkTags ?? [])])].sort();
  return {
    name,
    ...(machineType !== undefined && { machineType: `zones/${zone}/machineTypes/${machineType}` }),
    labels,
    metadata: { items: metadataItems(launch) },
    ...(tags.length > 0 && { tags: { items: tags } }),
    scheduling: scheduling(launch),
    ...(template === undefined && { disks: [bootDisk(settings, spec, zone, labels)] }),
    ...(hasNetwork(settings, template) && { networkInterfaces: [networkInterface(settings, zone)] }),
    ...(settings.serviceAccount !== undefined && {
      serviceAccounts: [{ email: settings.serviceAccount, scopes: settings.scopes }],
    }),
  };
}

/** The labels of an instance and its disks. */
function instanceLabels({ spec, labels, template }: Launch): Record<string, string> {
  return { ...template?.properties?.labels, ...Object.fromEntries(spec.labels ?? []), ...toGcpLabels(labels) };
}

function metadataItems({ spec, labels, jitConfig, template }: Launch): RawItem[] {
  const items = new Map<string, string>();
  for (const { key, value = '' } of template?.properties?.metadata?.items ?? []) if (key) items.set(key, value);
  for (const [key, value] of spec.metadata ?? []) items.set(key, value);
  items.set(REGISTRATION_ITEM, jitConfig);
  items.set(LABELS_ITEM, toGcpMetadata(labels));
  items.set('startup-script', spec.startupScript);
  return [...items].map(([key, value]) => ({ key, value }));
}

/** A machine is started once and never again; a spot one, or one with a deadline, goes for good when its time is up. */
function scheduling({ spec, template, deadline }: Launch): Record<string, unknown> {
  const given = template?.properties?.scheduling;
  const spot = spec.spot || given?.provisioningModel === 'SPOT';
  const hasLimit = given?.maxRunDuration !== undefined || given?.terminationTime !== undefined;
  const terminationTime = deadline === undefined || hasLimit ? undefined : wholeSeconds(deadline);
  return {
    automaticRestart: false,
    ...(spot && { provisioningModel: 'SPOT', onHostMaintenance: 'TERMINATE' }),
    ...(!spot && template === undefined && { onHostMaintenance: 'MIGRATE' }),
    ...(terminationTime !== undefined && { terminationTime }),
    ...((spot || terminationTime !== undefined) && { instanceTerminationAction: 'DELETE' }),
  };
}

function wholeSeconds(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}

function bootDisk(
  { project }: GcpSettings,
  spec: GcpRunner,
  zone: string,
  labels: Record<string, string>,
): Record<string, unknown> {
  return {
    boot: true,
    autoDelete: true,
    initializeParams: {
      sourceImage: imagePath(spec.image, project),
      diskSizeGb: (spec.diskSize / BYTES_PER_GIB).toString(),
      diskType: `zones/${zone}/diskTypes/${spec.diskType}`,
      labels,
    },
  };
}

/** An image as the API takes it. */
export function imagePath(image: string, project: string): string {
  return pathOf(image, `projects/${project}/global/images/`);
}

/** A template brings its own network, unless the entry says anything of one. */
function hasNetwork({ network, subnetwork, externalIp }: GcpSettings, template: RawTemplate | undefined): boolean {
  return template === undefined || network !== undefined || subnetwork !== undefined || externalIp !== undefined;
}

function networkInterface(settings: GcpSettings, zone: string): Record<string, unknown> {
  const { network, subnetwork, externalIp = true } = settings;
  const ofNeither = network === undefined && subnetwork === undefined;
  return {
    ...((network !== undefined || ofNeither) && { network: pathOf(network ?? 'default', 'global/networks/') }),
    ...(subnetwork !== undefined && { subnetwork: pathOf(subnetwork, `regions/${regionOf(zone)}/subnetworks/`) }),
    ...(externalIp && { accessConfigs: [{ name: 'External NAT', type: 'ONE_TO_ONE_NAT' }] }),
  };
}
