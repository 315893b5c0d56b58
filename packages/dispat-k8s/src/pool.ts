/** An operating system and an architecture, in Go's words, which Kubernetes' labels share. */
export interface Platform {
  readonly os: 'linux';
  readonly arch: string;
}

/** One set of worker pods: one name prefix, one platform. Several of them may share a mailbox. */
export interface Pool {
  /** What the `dispat.dev/pool` label says: the base name, with the platform when there are several. */
  readonly name: string;
  /** The Job's or StatefulSet's name: the pool's, and the run's id. */
  readonly objectName: string;
  /** What stands before the index in a node's name. */
  readonly prefix: string;
  /** How many nodes the orchestrator lists. */
  readonly count: number;
  readonly platform: Platform;
}

/** One entry of the orchestrator's list. Without an endpoint the mailbox is the release's own remote. */
export interface Link {
  readonly name: string;
  readonly endpoint?: string;
}

/** A Kubernetes object as plain data, ready to be written or sent. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly generateName?: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [key: string]: unknown;
}

/** The labels every generated object carries; `check`, `wait` and `delete` find a pool by them. */
export const LABELS = {
  name: 'app.kubernetes.io/name',
  managedBy: 'app.kubernetes.io/managed-by',
  pool: 'dispat.dev/pool',
  run: 'dispat.dev/run',
} as const;

export const LABEL_VALUES = { name: 'dispat-worker', managedBy: 'dispat-worker-manifest' } as const;

/** The annotations of a generated workload. */
export const ANNOTATIONS = {
  /** `sha256:` and 64 hex digits over the checked options: equal inputs, equal hash. */
  inputHash: 'dispat.dev/input-hash',
  /** The nodes' names: `w-{0..3}` stands for `w-0` to `w-3`. */
  nodes: 'dispat.dev/nodes',
  /** `sha256:` and 64 hex digits over the endpoint. */
  endpointHash: 'dispat.dev/endpoint-sha256',
  /** Whole seconds. */
  preflight: 'dispat.dev/preflight-seconds',
  /** Whole seconds. */
  taskTimeout: 'dispat.dev/task-timeout-seconds',
} as const;

/** The names of a pool's nodes, by ascending index. */
export function nodeNames({ prefix, count }: Pick<Pool, 'prefix' | 'count'>): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

/** The orchestrator's list: pools in the order given, indexes ascending. */
export function linksOf(pools: readonly Pool[], endpoint: string | undefined): Link[] {
  return pools.flatMap(nodeNames).map((name) => ({ name, ...(endpoint !== undefined && { endpoint }) }));
}

/** What is wrong with a node's name by dispat's rule, in words that follow "a name that"; nothing when it is fine. */
export function nodeNameFault(name: string): string | undefined {
  if (name === '') return 'is empty';
  const strange = /[^A-Za-z0-9._-]/u.exec(name)?.[0];
  if (strange !== undefined)
    return `contains ${JSON.stringify(strange)}: letters, digits, \`.\`, \`_\` and \`-\` are allowed`;
  return name.includes('..') ? 'has two dots in a row' : undefined;
}

/** Extra environment of the worker, a literal or a reference to a key of a Secret. */
export type ExtraEnv =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly secret: { readonly name: string; readonly key: string } };

/** A destination the workers may reach: an address range or, with Cilium, a name. */
export interface EgressTarget {
  /** `10.0.0.0/8`, `192.0.2.7/32`; absent for a name. */
  readonly cidr?: string;
  /** `git.example.com`, `*.example.com`; absent for a range. */
  readonly name?: string;
  readonly port?: number;
  readonly protocol: 'TCP' | 'UDP';
}

/** The ceilings of what travels between orchestrator and worker; dispat's defaults where absent. */
export interface Transfer {
  readonly maxFiles?: number;
  readonly maxBytes?: number;
  readonly maxManifestBytes?: number;
  /** Whole seconds. */
  readonly timeout?: number;
}

/** Whatever Kubernetes itself reads: passed through as it was given. */
export type Passed = Readonly<Record<string, unknown>>;

/** Everything that was decided about a pool, checked and with defaults filled in. Durations are whole seconds. */
export interface PoolOptions {
  readonly variation: 'job' | 'statefulset';
  /** The base name of all objects; each pool's own name is in {@link PoolOptions.pools}. */
  readonly name: string;
  /** One per platform, in the order given. */
  readonly pools: readonly [Pool, ...Pool[]];
  readonly namespace: string;
  readonly createNamespace: boolean;
  readonly enforceVersion?: string;
  readonly endpoint: string;
  readonly mailbox: 'endpoint' | 'release-remote';
  readonly image: string;
  readonly imagePullSecrets: readonly string[];
  readonly cpu: string;
  readonly memory: string;
  readonly cpuLimit?: string;
  readonly ephemeralStorage?: string;
  readonly machineCpu?: string;
  readonly concurrency: number;
  readonly idleTimeout: number;
  readonly preflight: number;
  readonly taskTimeout: number;
  readonly cancel: number;
  readonly gracePeriod: number;
  readonly ttl: number;
  readonly failureScope: 'job' | 'index';
  readonly secretEnv: string;
  readonly secretName: string;
  readonly secretKey: string;
  /** Absent when no ssh key is mounted. */
  readonly ssh?: { readonly secret: string; readonly keyFile: string; readonly mount: string; readonly mode: number };
  /** A Secret with a `.git-credentials` file for https endpoints. */
  readonly gitCredentialSecret?: string;
  /** Absent with `openshift`, which picks the ids itself. */
  readonly user?: { readonly uid: number; readonly gid: number; readonly fsGroup: number };
  readonly home: string;
  readonly workDir: string;
  readonly stateDir: string;
  /** StatefulSet only. */
  readonly storage: string;
  readonly storageClass?: string;
  /** StatefulSet only: 0 while it rests; each pool's count when absent. */
  readonly replicas?: number;
  readonly runId?: string;
  readonly generateName: boolean;
  readonly env: readonly ExtraEnv[];
  readonly volumes: readonly Passed[];
  readonly volumeMounts: readonly Passed[];
  readonly buildSecrets: readonly string[];
  readonly policyKind: 'standard' | 'cilium' | 'none';
  readonly egress: readonly EgressTarget[];
  readonly dnsCidrs: readonly string[];
  readonly podSecurity: 'restricted' | 'documented';
  /** Whether labels, annotations, selector entries and variables of ours are added. */
  readonly extras: boolean;
  readonly karpenter: boolean;
  readonly pdb: boolean;
  readonly kueueQueue?: string;
  readonly priorityClass?: string;
  readonly tolerations: readonly Passed[];
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly affinity?: Passed;
  readonly serviceAccount?: string;
  readonly script: 'safe' | 'documented';
  /** Where the start script finds the worker file's text: in the pod itself, or in a ConfigMap. */
  readonly configFrom: 'env' | 'configmap';
  readonly init: 'none' | 'share-process' | 'tini';
  readonly logFormat: 'json' | 'pretty';
  readonly transfer?: Transfer;
  readonly gitIdentity?: { readonly name: string; readonly email: string };
  /** The cluster's version, when it was told: `1.29`. */
  readonly kube?: string;
}
