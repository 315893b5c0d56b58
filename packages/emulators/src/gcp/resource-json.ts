import { createHash } from 'node:crypto';
import type { Disk, Instance } from './instance.js';
import type { Links } from './links.js';
import type { Operation } from './operations.js';

/** RFC 3339 with milliseconds and an offset, as Compute Engine writes instants: in California's winter time. */
function timestamp(at: number): string {
  return new Date(at - 8 * 3_600_000).toISOString().replace('Z', '-08:00');
}

/** A short hash of what it is for, which changes when that does. */
export function fingerprintOf(value: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(value)).digest();
  return `${hash.subarray(0, 8).toString('base64url')}=`;
}

export function instanceJson(instance: Instance, { link, project }: Links): Record<string, unknown> & { name: string } {
  const { plan, id, createdAt, status, labels, disks } = instance;
  const zonePath = `projects/${project}/zones/${plan.zone}`;
  const tags = plan.tags.length > 0 ? { items: plan.tags } : {};
  return {
    kind: 'compute#instance',
    id,
    creationTimestamp: timestamp(createdAt),
    name: plan.name,
    ...(plan.description !== undefined && { description: plan.description }),
    tags: { ...tags, fingerprint: fingerprintOf(plan.tags) },
    machineType: link(`${zonePath}/machineTypes/${plan.type.name}`),
    status,
    zone: link(zonePath),
    canIpForward: false,
    networkInterfaces: plan.networkInterfaces.map((one, at) => ({
      kind: 'compute#networkInterface',
      name: `nic${at}`,
      network: link(one.network),
      subnetwork: link(one.subnetwork),
      networkIP: `10.132.0.${(Number(BigInt(id) % 250n) + 2).toString()}`,
      stackType: 'IPV4_ONLY',
      fingerprint: fingerprintOf(one),
      ...(one.external && {
        accessConfigs: [
          { kind: 'compute#accessConfig', type: 'ONE_TO_ONE_NAT', name: 'External NAT', networkTier: 'PREMIUM' },
        ],
      }),
    })),
    disks: disks.map((disk, index) => ({
      kind: 'compute#attachedDisk',
      type: 'PERSISTENT',
      mode: 'READ_WRITE',
      source: link(`${zonePath}/disks/${disk.name}`),
      deviceName: `persistent-disk-${index}`,
      index,
      boot: disk.boot,
      autoDelete: disk.autoDelete,
      interface: 'SCSI',
      diskSizeGb: String(disk.sizeGb),
    })),
    metadata: { kind: 'compute#metadata', fingerprint: fingerprintOf(plan.metadata), items: plan.metadata },
    ...(plan.serviceAccounts.length > 0 && { serviceAccounts: plan.serviceAccounts }),
    selfLink: link(`${zonePath}/instances/${plan.name}`),
    scheduling: plan.scheduling,
    cpuPlatform: 'Unknown CPU Platform',
    ...(Object.keys(labels).length > 0 && { labels }),
    labelFingerprint: fingerprintOf(labels),
    startRestricted: false,
    deletionProtection: plan.deletionProtection,
    fingerprint: fingerprintOf([id, status]),
  };
}

export function diskJson(disk: Disk, users: readonly string[], { link, project }: Links): Record<string, unknown> {
  const zonePath = `projects/${project}/zones/${disk.zone}`;
  return {
    kind: 'compute#disk',
    id: disk.id,
    creationTimestamp: timestamp(disk.createdAt),
    name: disk.name,
    sizeGb: String(disk.sizeGb),
    zone: link(zonePath),
    status: 'READY',
    selfLink: link(`${zonePath}/disks/${disk.name}`),
    sourceImage: link(disk.image),
    type: link(`${zonePath}/diskTypes/${disk.type}`),
    users: users.map(link),
    ...(Object.keys(disk.labels).length > 0 && { labels: disk.labels }),
    labelFingerprint: fingerprintOf(disk.labels),
  };
}

export function operationJson(
  operation: Operation,
  { link, project }: Links,
): Record<string, unknown> & { name: string } {
  const { zone, status, errors, clientOperationId, endedAt } = operation;
  const path = `projects/${project}/zones/${zone}/operations/${operation.name}`;
  return {
    kind: 'compute#operation',
    id: operation.id,
    name: operation.name,
    ...(clientOperationId !== undefined && { clientOperationId }),
    zone: link(`projects/${project}/zones/${zone}`),
    operationType: operation.operationType,
    targetLink: link(operation.target),
    targetId: operation.targetId,
    status,
    user: `emulator@${project}.iam.gserviceaccount.com`,
    progress: status === 'DONE' ? 100 : 0,
    insertTime: timestamp(operation.insertedAt),
    startTime: timestamp(operation.insertedAt),
    ...(endedAt !== undefined && { endTime: timestamp(endedAt) }),
    ...(errors.length > 0 && {
      error: { errors },
      httpErrorStatusCode: errors[0]?.code === 'QUOTA_EXCEEDED' ? 403 : 503,
      httpErrorMessage: errors[0]?.code === 'QUOTA_EXCEEDED' ? 'FORBIDDEN' : 'SERVICE UNAVAILABLE',
    }),
    selfLink: link(path),
  };
}
