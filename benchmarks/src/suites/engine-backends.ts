import { toProxmoxDescription, toProxmoxTags } from '@rungar/labels';
import { type Clock, createRedactor, type Machine, type OpenProvider, Secret, silentLogger } from '@rungar/model';
import { seededRandom } from '@rungar/model/testing';
import { type ComputeEngine, openGcpOn, type RawInstance } from '@rungar/providers/gcp';
import { openProxmoxWith, type Transport } from '@rungar/providers/proxmox';
import { awsOn, idOf, instanceOf, standingEc2 } from './engine-ec2.js';
import type { Fleet } from './engine-fleet.js';

const LISTING_MS = 100;
const CONFIG_MS = 20;
const GCE_PAGE = 500;
const ZONES = ['europe-west1-b', 'europe-west1-c', 'europe-west1-d'];
const NODES = ['pve1', 'pve2', 'pve3'];
const CREATED = new Date(Date.UTC(2027, 0, 4, 8, 0, 0));

/** What the four backends were asked, in calls. */
export type BackendCalls = Record<'ec2' | 'gce' | 'proxmoxListings' | 'proxmoxConfigs' | 'dicer' | 'changes', number>;

export interface Backends {
  readonly providers: ReadonlyMap<string, OpenProvider>;
  calls(): BackendCalls;
  /** A machine that somebody else has just made. */
  add(provider: string, machine: Machine): void;
}

/** A fleet on an EC2, a Compute Engine, a Proxmox cluster and a Dicer host of a clock's own, each asked by its real provider but the last. */
export async function openBackends(clock: Clock, { machines }: Fleet, seed: number): Promise<Backends> {
  const context = (name: string) => ({
    name,
    clock,
    random: seededRandom(seed),
    logger: silentLogger,
    redactor: createRedactor(),
  });
  const counts = { gce: 0, proxmoxListings: 0, proxmoxConfigs: 0, dicer: 0, changes: 0 };
  const aws = standingEc2(clock);
  const zones = new Map<string, RawInstance[]>(ZONES.map((zone) => [zone, []]));
  const vms: Machine[] = [];
  const instances: Machine[] = [];

  const add = (provider: string, machine: Machine): void => {
    if (provider === 'aws') {
      const id = idOf(aws.instances.size + 1);
      const Tags = Object.entries({ Name: machine.name, ...machine.labels }).map(([Key, Value]) => ({ Key, Value }));
      aws.instances.set(id, instanceOf(id, Tags));
    } else if (provider === 'gcp') {
      const zone = ZONES.reduce((least, one) =>
        (zones.get(one)?.length ?? 0) < (zones.get(least)?.length ?? 0) ? one : least,
      );
      zones.get(zone)?.push(rawInstance(machine, zone, counts.gce + (zones.get(zone)?.length ?? 0)));
    } else if (provider === 'proxmox') vms.push(machine);
    else instances.push(machine);
  };
  for (const [provider, own] of machines) for (const machine of own) add(provider, machine);

  const changed = async (): Promise<never> => {
    counts.changes += 1;
    throw new Error('nothing is made or deleted here');
  };
  const gce: ComputeEngine = {
    async listInstances(zone, { pageToken = '0' }) {
      counts.gce += 1;
      await clock.sleep(LISTING_MS);
      const all = zones.get(zone) ?? [];
      const end = Number(pageToken) + GCE_PAGE;
      return {
        items: all.slice(Number(pageToken), end),
        id: `projects/my-ci-project/zones/${zone}/instances`,
        ...(end < all.length && { nextPageToken: String(end) }),
      };
    },
    async zonesWithInstances() {
      counts.gce += 1;
      await clock.sleep(LISTING_MS);
      return { items: ZONES };
    },
    insertInstance: changed,
    deleteInstance: changed,
    listOperations: changed,
    getMachineType: changed,
    getInstance: changed,
    getInstanceDisks: changed,
    serialPortOutput: changed,
    getOperation: changed,
    getTemplate: changed,
    getDisk: changed,
    setDiskLabels: changed,
    getZone: changed,
    getImage: changed,
    getNetwork: changed,
    getSubnetwork: changed,
    close() {},
  };
  const transport: Transport = {
    async send({ method, path }) {
      if (method !== 'GET') return changed();
      const answer = (data: unknown) => ({
        status: 200,
        reason: 'OK',
        body: JSON.stringify({ data }),
        date: undefined,
      });
      if (path === 'cluster/resources') {
        counts.proxmoxListings += 1;
        await clock.sleep(LISTING_MS);
        return answer([...NODES.map(nodeEntry), ...vms.map(vmEntry)]);
      }
      const [, , kind, vmid = ''] = path.split('/');
      if (kind !== 'qemu') return answer([]);
      counts.proxmoxConfigs += 1;
      await clock.sleep(CONFIG_MS);
      const vm = vms[Number(vmid) - FIRST_VMID];
      return answer({ name: vm?.name, description: toProxmoxDescription(vm?.labels ?? {}, CREATED) });
    },
    close() {},
  };
  const dicer: OpenProvider = {
    async list() {
      counts.dicer += 1;
      const begunAt = clock.now();
      await clock.sleep(LISTING_MS);
      return { parts: [{ part: 'host', begunAt, machines: [...instances] }] };
    },
    create: changed,
    delete: changed,
    close: async () => {},
  };
  const gcp = openGcpOn(gce, { project: 'my-ci-project', zones: ZONES, scopes: [], timeoutMs: 30_000 }, context('gcp'));
  const proxmox = await openProxmoxWith(
    async () => transport,
    {
      url: 'https://pve.example.com:8006',
      tokenId: 'rungar@pve!daemon',
      tokenSecret: new Secret('not-a-real-secret'),
      tls: { insecureSkipVerify: false },
      nodes: [],
      timeoutMs: 10_000,
    },
    context('proxmox'),
  );
  return {
    providers: new Map<string, OpenProvider>([
      ['aws', awsOn(aws.ec2, clock, seed)],
      ['gcp', gcp],
      ['proxmox', proxmox],
      ['dicer', dicer],
    ]),
    calls: () => ({
      ...counts,
      ec2: aws.calls.describe,
      changes: counts.changes + aws.calls.run + aws.calls.terminate,
    }),
    add,
  };
}

const FIRST_VMID = 1_000;

function rawInstance({ name, labels }: Machine, zone: string, number: number): RawInstance {
  return {
    id: String(1_000_000 + number),
    name,
    zone,
    machineType: `zones/${zone}/machineTypes/n2-standard-4`,
    status: 'RUNNING',
    creationTimestamp: CREATED.toISOString(),
    metadata: { items: [{ key: 'rungar-labels', value: JSON.stringify(labels) }] },
  };
}

const nodeEntry = (node: string) => ({
  id: `node/${node}`,
  type: 'node',
  node,
  status: 'online',
  maxcpu: 128,
  maxmem: 1_099_511_627_776,
  mem: 549_755_813_888,
});

const vmEntry = ({ name, labels }: Machine, at: number) => ({
  id: `qemu/${FIRST_VMID + at}`,
  type: 'qemu',
  vmid: FIRST_VMID + at,
  node: NODES[at % NODES.length],
  name,
  status: 'running',
  template: 0,
  tags: toProxmoxTags(labels).join(';'),
  maxcpu: 4,
  maxmem: 8_589_934_592,
});
