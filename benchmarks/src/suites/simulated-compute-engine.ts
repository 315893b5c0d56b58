import { randomUUID } from 'node:crypto';
import type { Clock } from '@rungar/model';
import {
  type ComputeEngine,
  GceError,
  type InsertRequest,
  type RawInstance,
  type RawOperation,
} from '@rungar/providers/gcp';

const INSERT_MS = 500;
const OPERATION_MS = 5000;
const PAGE_MS = 100;
const REFUSAL_MS = 100;
const PAGE = 500;
const MINUTE_MS = 60_000;

interface Operation {
  readonly name: string;
  readonly zone: string;
  readonly insertedAt: number;
  readonly doneAt: number;
}

/** What came of the calls. */
export interface Seen {
  /** Names of the machines made, with the time their insert was answered. */
  readonly made: ReadonlyMap<string, number>;
  readonly calls: Readonly<Record<'insert' | 'refused' | 'operations' | 'other', number>>;
}

/**
 * A Compute Engine on a clock of its own, with the latencies the targets are stated for.
 * @param writesPerMinute inserts granted a minute, anew as it turns
 */
export function simulatedComputeEngine(
  clock: Clock,
  writesPerMinute = Number.POSITIVE_INFINITY,
): { readonly gce: ComputeEngine; readonly seen: Seen } {
  const made = new Map<string, number>();
  const calls = { insert: 0, refused: 0, operations: 0, other: 0 };
  const operations: Operation[] = [];
  const instances = new Map<string, RawInstance[]>();
  let minute = -1;
  let used = 0;

  const granted = (): boolean => {
    const now = Math.floor(clock.now() / MINUTE_MS);
    if (now !== minute) used = 0;
    minute = now;
    used += 1;
    return used <= writesPerMinute;
  };

  const insertInstance = async ({ zone, instance }: InsertRequest): Promise<RawOperation> => {
    calls.insert += 1;
    if (!granted()) {
      calls.refused += 1;
      await clock.sleep(REFUSAL_MS);
      throw new GceError('rateLimitExceeded', 'Quota exceeded.', 'throttled', 403);
    }
    await clock.sleep(INSERT_MS);
    const insertedAt = clock.now();
    made.set(String(instance.name), insertedAt);
    const id = String(made.size);
    instances.set(zone, [...(instances.get(zone) ?? []), { ...instance, id, status: 'RUNNING' }]);
    const operation = { name: `operation-${operations.length}`, zone, insertedAt, doneAt: insertedAt + OPERATION_MS };
    operations.unshift(operation);
    return raw(operation);
  };

  const raw = ({ name, insertedAt, doneAt }: Operation): RawOperation => ({
    name,
    status: clock.now() >= doneAt ? 'DONE' : 'RUNNING',
    targetId: String(made.size),
    insertTime: new Date(insertedAt).toISOString(),
  });

  const other = async (): Promise<never> => {
    throw new Error('a call that this simulation does not know');
  };

  const gce: ComputeEngine = {
    insertInstance,
    async listOperations(zone, { pageToken = '0' }) {
      calls.operations += 1;
      await clock.sleep(PAGE_MS);
      const all = operations.filter((operation) => operation.zone === zone);
      const end = Number(pageToken) + PAGE;
      const items = all.slice(Number(pageToken), end).map(raw);
      return { items, ...(end < all.length && { nextPageToken: String(end) }) };
    },
    async getMachineType() {
      calls.other += 1;
      await clock.sleep(PAGE_MS);
    },
    async listInstances(zone) {
      await clock.sleep(PAGE_MS);
      return { items: instances.get(zone) ?? [] };
    },
    async zonesWithInstances() {
      await clock.sleep(PAGE_MS);
      return { items: [...instances.keys()] };
    },
    getInstance: other,
    getInstanceDisks: other,
    deleteInstance: other,
    serialPortOutput: other,
    getOperation: other,
    getTemplate: other,
    getDisk: other,
    setDiskLabels: other,
    getZone: other,
    getImage: other,
    getNetwork: other,
    getSubnetwork: other,
    close() {},
  };
  return { gce, seen: { made, calls } };
}

/** A page of instances as Compute Engine answers it, cut down to what a listing asks for. */
export function pageOfInstances(labels: readonly Readonly<Record<string, string>>[], zone: string): string {
  const project = 'https://www.googleapis.com/compute/v1/projects/my-ci-project';
  const items = labels.map((own, at) => ({
    id: String(1_000_000_000_000_000_000n + BigInt(at)),
    creationTimestamp: '2027-01-04T01:00:00.000-08:00',
    name: own['rungar.sh/runner'],
    machineType: `${project}/zones/${zone}/machineTypes/n2-standard-4`,
    status: at % 10 === 0 ? 'STAGING' : 'RUNNING',
    zone: `${project}/zones/${zone}`,
    metadata: {
      items: [
        { key: 'rungar-jitconfig', value: Buffer.from(randomUUID().repeat(54)).toString('base64') },
        { key: 'rungar-labels', value: JSON.stringify(own) },
        { key: 'startup-script', value: '#!/bin/bash\nset -u\ntrap poweroff EXIT\ncd /home/runner\n./run.sh\n' },
      ],
    },
  }));
  return JSON.stringify({ kind: 'compute#instanceList', items });
}
