/** A node of the cluster. */
export interface PveNode {
  readonly name: string;
  readonly cores: number;
  /** Bytes. */
  readonly memory: number;
  /** What the node itself uses of it, in bytes. */
  readonly memoryUsed: number;
}

/** A place for disks. */
export interface PveStorage {
  readonly name: string;
  /** Whether every node reaches it. */
  readonly shared: boolean;
  /** Whether disks on it can be linked to a template's. */
  readonly linkedClones: boolean;
  /** How many more bytes fit. */
  readonly free: number;
}

/** A template to clone. */
export interface PveTemplate {
  readonly vmid: number;
  readonly name: string;
  readonly node: string;
  readonly storage: string;
  /** The size of its disk, in bytes. */
  readonly disk: number;
  /** Where its machines look for a runner's configuration. */
  readonly jitPath: string;
  /** Folders that its machines have. */
  readonly folders: readonly string[];
  /** Whether a guest agent starts in its machines. */
  readonly hasAgent: boolean;
  readonly tags: string;
  readonly description: string;
}

/** A token and what it may do: privileges by path, the deepest path that is named deciding. */
export interface PveToken {
  /** `USER@REALM!NAME`. */
  readonly id: string;
  readonly secret: string;
  readonly privileges: Readonly<Record<string, readonly string[]>>;
}

/** What a cluster has. */
export interface PveCatalogue {
  readonly nodes: readonly PveNode[];
  readonly storages: readonly PveStorage[];
  readonly templates: readonly PveTemplate[];
  readonly pools: readonly string[];
  readonly tokens: readonly PveToken[];
}

const GIB = 1024 ** 3;

/** Everything a runner tool needs to be allowed, as Proxmox VE 9 names it. */
export const RUNNER_PRIVILEGES: readonly string[] = [
  'Datastore.AllocateSpace',
  'Datastore.Audit',
  'Pool.Audit',
  'SDN.Use',
  'Sys.Audit',
  'VM.Allocate',
  'VM.Audit',
  'VM.Clone',
  'VM.Config.CPU',
  'VM.Config.Memory',
  'VM.Config.Options',
  'VM.GuestAgent.Audit',
  'VM.GuestAgent.FileWrite',
  'VM.PowerMgmt',
];

/** A template's usual values, to be given what differs. */
export function pveTemplate(more: Partial<PveTemplate> = {}): PveTemplate {
  return {
    vmid: 9000,
    name: 'runner-template',
    node: 'pve1',
    storage: 'ceph',
    disk: 10 * GIB,
    jitPath: '/run/rungar/jitconfig',
    folders: ['/run/rungar', '/tmp'],
    hasAgent: true,
    tags: '',
    description: 'A template. Do not delete.',
    ...more,
  };
}

/** Three nodes of 16 cores and 64 GiB, a shared storage and a local one, and one template. */
export function defaultCatalogue(): PveCatalogue {
  const nodes = ['pve1', 'pve2', 'pve3'].map((name) => ({
    name,
    cores: 16,
    memory: 64 * GIB,
    memoryUsed: 2 * GIB,
  }));
  return {
    nodes,
    storages: [
      { name: 'ceph', shared: true, linkedClones: true, free: 10_000 * GIB },
      { name: 'local-lvm', shared: false, linkedClones: true, free: 500 * GIB },
      { name: 'nas', shared: true, linkedClones: false, free: 10_000 * GIB },
    ],
    templates: [pveTemplate()],
    pools: ['ci'],
    tokens: [
      {
        id: 'rungar@pve!emulator',
        secret: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
        privileges: { '/': RUNNER_PRIVILEGES },
      },
    ],
  };
}
