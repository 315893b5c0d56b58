/** How an option's value is written, beyond its meaning. */
export type OptionKind =
  | { readonly kind: 'text' }
  | { readonly kind: 'choice'; readonly words: readonly string[] }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'texts' }
  | { readonly kind: 'map' }
  | { readonly kind: 'object' }
  | { readonly kind: 'objects' };

/** One option of a pool: a key of the options file and a flag. */
export type OptionRow = OptionKind & {
  /** One line on what it is. */
  readonly describe: string;
  /** The default, in the words of the options file; absent when there is none or it follows from others. */
  readonly default?: string;
  /** What a value looks like, for options without a default. */
  readonly example?: string;
};

/** Seconds, and other whole numbers, go no further: Kubernetes keeps several of them in 32 bits. */
const MOST = 2_147_483_647;

const seconds = (describe: string, min: number, fallback?: number) =>
  ({
    kind: 'integer',
    min,
    max: MOST,
    describe: `${describe}, in seconds`,
    ...(fallback !== undefined && { default: `${fallback}` }),
  }) as const;

/** Every option of a pool, in the order of the options file. Files and the library use these keys; flags have hyphens. */
export const OPTIONS = {
  endpoint: {
    kind: 'text',
    describe: 'the mailbox repository that workers poll',
    example: 'git@github.com:acme/release-mailbox.git',
  },
  image: {
    kind: 'text',
    describe: 'the image with dispat, git and the build tools',
    example: 'registry.example.com/release/worker:1',
  },
  count: { kind: 'integer', min: 1, max: 1000, default: '4', describe: 'how many workers' },
  platform: { kind: 'texts', default: 'linux/amd64', describe: 'os/arch, or os/arch=count; several make a pool each' },
  name: { kind: 'text', default: 'dispat-workers', describe: "the objects' name" },
  prefix: { kind: 'text', default: 'w-', describe: "what stands before the index in a node's name" },
  allowBarePrefix: { kind: 'boolean', default: 'false', describe: 'allow a prefix that ends in a letter or digit' },
  runId: { kind: 'text', describe: "this release's id, added to the objects' names", example: '2f9c1' },
  runIdFrom: { kind: 'text', describe: 'make the run id from a version', example: '1.2.3+build' },
  namePerRun: { kind: 'boolean', default: 'false', describe: 'add the run id to the prefix too' },
  generateName: {
    kind: 'boolean',
    default: 'false',
    describe: 'let the cluster complete the name: create only, no apply',
  },
  namespace: { kind: 'text', default: 'release', describe: 'a namespace of its own' },
  createNamespace: { kind: 'boolean', default: 'true', describe: 'write the Namespace too' },
  enforceVersion: { kind: 'text', describe: "pin the Namespace's pod security to this version", example: 'v1.32' },
  variation: {
    kind: 'choice',
    words: ['job', 'statefulset'],
    default: 'job',
    describe: 'a Job per release, or a StatefulSet that is scaled',
  },
  replicas: {
    kind: 'integer',
    min: 0,
    max: 1000,
    describe: 'StatefulSet: pods to start with; the count if absent',
    example: '0',
  },
  storage: { kind: 'text', default: '50Gi', describe: "StatefulSet: the size of each worker's claim" },
  storageClass: {
    kind: 'text',
    describe: "StatefulSet: the claims' class; the cluster's default if absent",
    example: 'fast',
  },
  failureScope: {
    kind: 'choice',
    words: ['job', 'index'],
    default: 'job',
    describe: 'Job: what one lost pod ends, all pods or its own index',
  },
  ttl: seconds('Job: how long a finished one is kept', 0, 600),
  mailbox: {
    kind: 'choice',
    words: ['endpoint', 'release-remote'],
    default: 'endpoint',
    describe: 'release-remote leaves endpoints out of the list',
  },
  preflight: seconds('how long the release waits for all workers', 1, 600),
  taskTimeout: seconds('the longest a task may take', 1, 3600),
  cancel: seconds('how long a cancelled task may take to end', 1, 60),
  gracePeriod: seconds("a pod's time to finish after SIGTERM; the task timeout if absent", 1),
  idleTimeout: seconds('how long a worker without work stays; 900 for a Job, 0 (for ever) for a StatefulSet', 0),
  concurrency: { kind: 'integer', min: 1, max: 1000, default: '1', describe: 'tasks a worker runs at a time' },
  transfer: {
    kind: 'object',
    describe: 'ceilings of what travels: maxFiles, maxBytes, maxManifestBytes, timeout',
    example: '{maxFiles: 20000}',
  },
  logFormat: { kind: 'choice', words: ['json', 'pretty'], default: 'json', describe: "the workers' log" },
  cpu: { kind: 'text', default: '7', describe: 'CPU request: close to a whole machine' },
  memory: { kind: 'text', default: '24Gi', describe: 'memory request and limit' },
  cpuLimit: { kind: 'text', describe: 'CPU limit, which throttles builds', example: '8' },
  ephemeralStorage: {
    kind: 'text',
    describe: "request and limit of the pod's disk, and the folders' size limit",
    example: '40Gi',
  },
  machineCpu: { kind: 'text', describe: "the machines' CPUs, to check that a pod fills one", example: '8' },
  secretEnv: { kind: 'text', default: 'DISPAT_EXECUTION_SECRET', describe: 'the variable with the signing secret' },
  secretName: { kind: 'text', default: 'dispat-execution', describe: "the signing secret's Secret" },
  secretKey: { kind: 'text', default: 'secret', describe: "the signing secret's key in it" },
  sshSecret: {
    kind: 'text',
    describe: 'the Secret with the ssh key, or none; mailbox-deploy-key for ssh endpoints',
    example: 'mailbox-deploy-key',
  },
  sshKeyFile: { kind: 'text', default: 'id_ed25519', describe: "the key's name in that Secret" },
  sshMount: { kind: 'text', default: '/home/worker/.ssh', describe: 'where the key is mounted' },
  sshMode: { kind: 'text', default: '0400', describe: "the key file's mode: 0400, 0440 or 0444" },
  gitCredentialSecret: {
    kind: 'text',
    describe: 'https endpoints: a Secret with a key `credentials`',
    example: 'mailbox-token',
  },
  gitIdentity: {
    kind: 'text',
    default: 'dispat worker <worker@dispat.invalid>',
    describe: 'the author of what workers commit, or none',
  },
  runAsUser: { kind: 'integer', min: 1, max: MOST, default: '1001', describe: 'the user in the pod' },
  runAsGroup: { kind: 'integer', min: 1, max: MOST, default: '1001', describe: 'its group' },
  fsGroup: {
    kind: 'integer',
    min: 1,
    max: MOST,
    describe: "the group that may read the key; runAsUser's number if absent",
    example: '1001',
  },
  openshift: { kind: 'boolean', default: 'false', describe: 'leave user and groups to OpenShift' },
  home: { kind: 'text', describe: "HOME; the ssh mount's parent if absent", example: '/home/worker' },
  workDir: { kind: 'text', default: '/work', describe: 'where a worker works' },
  stateDir: { kind: 'text', default: '/state', describe: 'where a worker keeps its state' },
  imagePullSecrets: { kind: 'texts', describe: "the registry's Secrets", example: '[registry]' },
  env: { kind: 'map', describe: 'more variables, NAME=VALUE', example: '{CI: "true"}' },
  envFromSecret: {
    kind: 'map',
    describe: 'variables from Secrets, NAME=SECRET/KEY',
    example: '{NPM_TOKEN: npm-read/token}',
  },
  buildSecrets: { kind: 'texts', describe: 'Secrets that builds may use', example: '[npm-read]' },
  volumes: {
    kind: 'objects',
    describe: 'more volumes, as Kubernetes writes them',
    example: '[{name: cache, emptyDir: {}}]',
  },
  volumeMounts: {
    kind: 'objects',
    describe: 'more mounts, as Kubernetes writes them',
    example: '[{name: cache, mountPath: /cache}]',
  },
  policyKind: {
    kind: 'choice',
    words: ['standard', 'cilium', 'none'],
    default: 'standard',
    describe: 'the kind of NetworkPolicy',
  },
  egress: {
    kind: 'texts',
    describe: 'what workers may reach, CIDR[:PORT[/PROTO]]; cilium: names too',
    example: '["192.0.2.0/24:22"]',
  },
  dnsCidr: { kind: 'texts', describe: 'more DNS servers, such as a node-local cache', example: '["169.254.20.10/32"]' },
  podSecurity: {
    kind: 'choice',
    words: ['restricted', 'documented'],
    default: 'restricted',
    describe: 'the restricted profile, or the documented fields alone',
  },
  extras: {
    kind: 'boolean',
    default: 'true',
    describe: 'labels, annotations, selectors, variables of ours, the Namespace',
  },
  karpenter: { kind: 'boolean', default: 'true', describe: "the annotation that keeps Karpenter's hands off" },
  pdb: { kind: 'boolean', default: 'false', describe: 'write a PodDisruptionBudget' },
  kueueQueue: { kind: 'text', describe: 'the Kueue queue', example: 'release' },
  priorityClass: { kind: 'text', describe: "the pods' priority class", example: 'high' },
  tolerations: {
    kind: 'objects',
    describe: 'tolerations, KEY[=VALUE][:EFFECT] or as Kubernetes writes them',
    example: '["dedicated=release:NoSchedule"]',
  },
  nodeSelector: { kind: 'map', describe: 'more labels a machine must have, KEY=VALUE', example: '{pool: release}' },
  affinity: { kind: 'object', describe: 'affinity, as Kubernetes writes it', example: '{nodeAffinity: {}}' },
  serviceAccount: { kind: 'text', describe: 'a ServiceAccount of its own, without a token', example: 'dispat-worker' },
  script: {
    kind: 'choice',
    words: ['safe', 'documented'],
    default: 'safe',
    describe: 'the start script: no value in its text, or the documented one',
  },
  configFrom: {
    kind: 'choice',
    words: ['env', 'configmap'],
    default: 'env',
    describe: "where the script finds the worker file's text",
  },
  init: {
    kind: 'choice',
    words: ['none', 'share-process', 'tini'],
    default: 'none',
    describe: 'what reaps orphaned processes',
  },
  kube: { kind: 'text', describe: "the cluster's version", example: '1.32' },
} as const satisfies Record<string, OptionRow>;

/** The name of an option, as a file has it. */
export type OptionKey = keyof typeof OPTIONS;

type ValueOf<Row> = Row extends { readonly kind: 'choice'; readonly words: readonly (infer Word)[] }
  ? Word
  : Row extends { readonly kind: 'integer' }
    ? number
    : Row extends { readonly kind: 'boolean' }
      ? boolean
      : Row extends { readonly kind: 'texts' }
        ? readonly string[]
        : Row extends { readonly kind: 'map' }
          ? Readonly<Record<string, string>>
          : Row extends { readonly kind: 'object' }
            ? Readonly<Record<string, unknown>>
            : Row extends { readonly kind: 'objects' }
              ? readonly (Readonly<Record<string, unknown>> | string)[]
              : string;

/** A pool's options as the library takes them: the keys and meanings of the options file, all of them optional here. */
export type PoolInput = { readonly [Key in OptionKey]?: ValueOf<(typeof OPTIONS)[Key]> };

/** `sshMode` as a flag: `ssh-mode`. */
export function flagName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
