import type { OptionKey } from '../options/table.js';

/** Why one setting is as it is. */
export interface SettingReason {
  /** What the manifest, the worker's file or its command line calls it, where that is not the option's own key. */
  readonly fields: readonly string[];
  readonly why: string;
  /** The rules that look at it. */
  readonly rules: readonly string[];
}

const reason = (why: string, fields: readonly string[] = [], rules: readonly string[] = []): SettingReason => ({
  fields,
  why,
  rules,
});

/** The reason of every option, by its key. */
export const SETTING_REASONS: Readonly<Record<OptionKey, SettingReason>> = {
  endpoint: reason(
    'The repository through which orchestrator and worker exchange work. Both sides name it, and dispat compares the text: another spelling of the same repository is another mailbox.',
    ['execution.endpoint'],
    ['DWM123', 'DWM604'],
  ),
  image: reason(
    'It carries dispat, git, an ssh client and whatever the builds call; nothing is installed when a pod starts.',
    ['image'],
    ['DWM129'],
  ),
  count: reason(
    'Every node the orchestrator lists has to answer the preflight, so the pool has exactly as many pods as the list has names. More pods help only while more builds are ready than there are slots: `size` says how many that is.',
    ['completions', 'parallelism'],
    ['DWM101', 'DWM102', 'DWM312'],
  ),
  platform: reason(
    'The machine must be of an architecture the packages build on. One Job per platform keeps a name on one platform from run to run.',
    ['nodeSelector.kubernetes.io/arch', 'nodeSelector.kubernetes.io/os', 'buildPlatforms'],
    ['DWM113', 'DWM114', 'DWM131'],
  ),
  name: reason(
    'It becomes a label and, with the index, a host name, so it leaves room for the index. A name used again while the last Job is kept starts nothing.',
    ['metadata.name'],
    ['DWM319', 'DWM613'],
  ),
  prefix: reason(
    'The index after it makes the name a node is addressed by. Names are compared byte for byte; a separator at its end keeps index and prefix apart.',
    ['execution.name'],
    ['DWM104', 'DWM128', 'DWM605'],
  ),
  allowBarePrefix: reason(
    'A prefix that ends in a digit runs together with the index: `w1` and `w` make the same names. It has to be asked for.',
  ),
  runId: reason(
    'A Job of its own for each release: a finished one that is kept does not stand in the way of the next.',
    ['dispat.dev/run'],
    ['DWM319'],
  ),
  runIdFrom: reason(
    "A version has characters an object's name may not have. They are dropped, and a hash keeps two versions apart.",
  ),
  namePerRun: reason(
    "Names of their own for each run, for pools of two releases that may overlap. The orchestrator's list has to name them too.",
  ),
  generateName: reason(
    'The cluster completes the name, so every creation is a new Job. Such an object can be created and not applied.',
  ),
  namespace: reason(
    'Whoever holds the signing secret runs commands in these pods. A namespace of its own keeps everything else out of their reach.',
    ['metadata.namespace'],
    ['DWM201', 'DWM211'],
  ),
  createNamespace: reason(
    'The Namespace carries the pod security level the pods meet. Leave it out where somebody else owns namespaces.',
  ),
  enforceVersion: reason(
    'It pins the pod security level to one version of its rules, so that an upgrade of the cluster does not change them.',
  ),
  variation: reason(
    'A Job lives for one release and ends by itself. A StatefulSet keeps fetched objects on claims for large repositories, and is scaled up before a release and to zero after it.',
    ['kind'],
    ['DWM103', 'DWM117', 'DWM118'],
  ),
  replicas: reason(
    'A StatefulSet may rest at zero; the list of workers stays as long as the full pool.',
    ['replicas'],
    ['DWM101'],
  ),
  storage: reason(
    'Room for the fetched objects a StatefulSet keeps between releases.',
    ['volumeClaimTemplates'],
    ['DWM118', 'DWM318'],
  ),
  storageClass: reason(
    "The cluster's default class may be slow or may delete what it held; name another where that matters.",
  ),
  failureScope: reason(
    'With backoffLimit 0 one lost pod makes the controller end the whole pool. The limit per index, from Kubernetes 1.29 on, confines it to its own node.',
    ['backoffLimit', 'backoffLimitPerIndex'],
    ['DWM111', 'DWM308'],
  ),
  ttl: reason(
    'Long enough to read the logs of finished pods, short enough that Jobs do not pile up.',
    ['ttlSecondsAfterFinished'],
    ['DWM115', 'DWM319'],
  ),
  mailbox: reason(
    "With the release's own remote as the mailbox, links carry no endpoint. A pod starts in no checkout, so its file still names it.",
    [],
    ['DWM123', 'DWM221'],
  ),
  preflight: reason(
    "The preflight is what waits for the pool. dispat's 60 s do not cover image pulls and new machines; 600 s do.",
    ['timeouts.preflight'],
    ['DWM120', 'DWM121'],
  ),
  taskTimeout: reason(
    'How long one task may take. The grace period, and best the idle timeout, are as long: a stopped worker finishes, and a waiting one is still there.',
    ['timeouts.task'],
    ['DWM110', 'DWM122', 'DWM305'],
  ),
  cancel: reason('How long a cancelled task may take to stop before the run goes on without it.', ['timeouts.cancel']),
  gracePeriod: reason(
    'On SIGTERM a worker finishes what it claimed. A shorter grace period kills the task with the pod. It does not keep a machine: the annotations do.',
    ['terminationGracePeriodSeconds'],
    ['DWM110'],
  ),
  idleTimeout: reason(
    "A Job's worker exits with 0 after that long without work, so a pool ends by itself; a build never counts as idle. A StatefulSet restarts what exits, so there it is 0.",
    ['--idle-timeout'],
    ['DWM116', 'DWM117', 'DWM121', 'DWM122'],
  ),
  concurrency: reason(
    'A build usually takes every core it finds. One slot per pod and one pod per machine make a pending pod mean a new machine.',
    ['execution.concurrency'],
    ['DWM105', 'DWM312'],
  ),
  transfer: reason(
    "A run whose ceilings are above a node's is refused at the preflight, so both halves say the same.",
    ['execution.transfer'],
    ['DWM125'],
  ),
  logFormat: reason('JSON lines are what `wait` and `follow` read to see that a worker serves.', ['logFormat']),
  cpu: reason(
    'Close to a whole machine, less what the system keeps. A pod that does not fit stays pending, and that is what adds a machine.',
    ['resources.requests.cpu'],
    ['DWM105', 'DWM106', 'DWM320'],
  ),
  memory: reason(
    'Request and limit are the same, so the machine promises no more than it has and kills no build.',
    ['resources.requests.memory', 'resources.limits.memory'],
    ['DWM107'],
  ),
  cpuLimit: reason(
    'A limit throttles a build even while cores are idle. Only a quota on limits asks for one.',
    ['resources.limits.cpu'],
    ['DWM108', 'DWM320'],
  ),
  ephemeralStorage: reason("Without a request a pod that fills the machine's disk is evicted, with its task.", [
    'resources.requests.ephemeral-storage',
  ]),
  machineCpu: reason('Known, it lets the request be compared with a machine.', [], ['DWM105', 'DWM106']),
  secretEnv: reason(
    'The variable whose value signs what travels. The file names the variable, so that no value stands in a file.',
    ['execution.secretEnv'],
    ['DWM124', 'DWM215'],
  ),
  secretName: reason('The Secret is made elsewhere and mounted by this namespace alone.', [], ['DWM124', 'DWM209']),
  secretKey: reason(
    'The key of the Secret that holds the signing secret; the whole Secret is not put into the environment.',
    [],
    ['DWM124'],
  ),
  sshSecret: reason(
    "The mailbox's deploy key. Its Secret is mounted read-only, once.",
    [],
    ['DWM209', 'DWM216', 'DWM220'],
  ),
  sshKeyFile: reason('ssh tries a few names on its own; another has to be named to it.', [], ['DWM610']),
  sshMount: reason("ssh looks in the home of the user's passwd entry.", ['volumeMounts'], ['DWM609']),
  sshMode: reason(
    'Octal 0400, in decimal 256. Readers of YAML disagree about a leading zero, and 400 in decimal lets the group write.',
    ['defaultMode'],
    ['DWM216', 'DWM217'],
  ),
  gitCredentialSecret: reason(
    'What an https endpoint is reached with: git asks the mounted file, and nothing is in a URL.',
  ),
  gitIdentity: reason("A pod's user has no identity, and git commits nothing without one.", [
    'GIT_AUTHOR_NAME',
    'GIT_AUTHOR_EMAIL',
    'GIT_COMMITTER_NAME',
    'GIT_COMMITTER_EMAIL',
  ]),
  runAsUser: reason(
    'What runs in the pod comes from a mailbox, so it is not root. The image needs a passwd entry for the user, or ssh refuses to start.',
    ['securityContext.runAsUser', 'securityContext.runAsNonRoot'],
    ['DWM203', 'DWM129'],
  ),
  runAsGroup: reason(
    'Without it the group is 0, which may write much of an image.',
    ['securityContext.runAsGroup'],
    ['DWM219'],
  ),
  fsGroup: reason(
    "Without it the key belongs to root and a user that is not root cannot read it. With it the group may, and ssh accepts that, because the file is not the reader's own.",
    ['securityContext.fsGroup'],
    ['DWM216'],
  ),
  openshift: reason('OpenShift gives every namespace users and groups of its own and refuses others.'),
  home: reason(
    "Where git, ssh's command and build tools keep their files; it must be writable.",
    ['HOME'],
    ['DWM223', 'DWM609'],
  ),
  workDir: reason(
    "Where the worker's file is and builds run: a folder of its own that goes with the pod.",
    ['--root'],
    ['DWM606'],
  ),
  stateDir: reason(
    'All of it may be lost: the object cache is rebuilt and an assignment is bound to its branch. An emptyDir is a correct state folder.',
    ['--state-dir'],
    ['DWM119'],
  ),
  imagePullSecrets: reason('What the registry of a private image asks for.', ['imagePullSecrets']),
  env: reason(
    'What builds read from the environment. Never a credential: those come from Secrets.',
    ['env'],
    ['DWM215'],
  ),
  envFromSecret: reason(
    'One key of a Secret for one variable, so that nothing else of it is in the environment.',
    [],
    ['DWM212'],
  ),
  buildSecrets: reason(
    'The Secrets that builds are meant to have, so that every other one is noticed.',
    [],
    ['DWM212'],
  ),
  volumes: reason('More folders, caches for example. A path of the machine is refused.', ['volumes'], ['DWM218']),
  volumeMounts: reason('Where they appear; not within the work, state or key folder.', ['volumeMounts']),
  policyKind: reason(
    "The standard kind knows addresses alone; Cilium's knows names. Without either the pods may reach anything.",
    [],
    ['DWM204'],
  ),
  egress: reason('The Git host and the registries the builds read, and nothing else.', [], ['DWM205', 'DWM224']),
  dnsCidr: reason(
    "A node-local cache answers at an address of its own, which a rule for the cluster's DNS pods does not cover.",
    [],
    ['DWM206'],
  ),
  podSecurity: reason(
    'A namespace that enforces the restricted profile takes the pods as they are.',
    ['allowPrivilegeEscalation', 'capabilities', 'seccompProfile'],
    ['DWM219'],
  ),
  extras: reason(
    'Labels and annotations let `check`, `wait` and `delete` find the pool again; the variables keep git from asking questions.',
  ),
  karpenter: reason(
    'Karpenter moves pods together to save machines and knows an annotation of its own.',
    ['karpenter.sh/do-not-disrupt'],
    ['DWM315'],
  ),
  pdb: reason(
    'Draining a machine by hand then waits for its pod. For a Job only a whole number of pods that stay can be computed.',
    [],
    ['DWM313'],
  ),
  kueueQueue: reason(
    'A queue admits the whole pool or none of it. Its time counts against the preflight.',
    ['kueue.x-k8s.io/queue-name'],
    ['DWM304', 'DWM309'],
  ),
  priorityClass: reason('A low priority gives way to other pods, with the task.', ['priorityClassName'], ['DWM314']),
  tolerations: reason(
    'They let the pods onto machines kept for them. One for preemptible machines permits what takes a task away.',
    ['tolerations'],
    ['DWM214'],
  ),
  nodeSelector: reason(
    'Machines kept for builds, on demand rather than preemptible.',
    ['nodeSelector'],
    ['DWM113', 'DWM214'],
  ),
  affinity: reason('What a selector cannot say, such as "not on spot machines".', ['affinity'], ['DWM214', 'DWM323']),
  serviceAccount: reason(
    "A build must not hold a token that speaks to the cluster, so no account's token is mounted.",
    ['automountServiceAccountToken', 'serviceAccountName'],
    ['DWM202'],
  ),
  script: reason(
    "A name is read from a file alone, so each pod writes its own. The safe script has no value in its text; it joins two variables around the index and takes the shell's place.",
    ['command', 'args'],
    ['DWM601', 'DWM602', 'DWM606'],
  ),
  configFrom: reason('The text around the index comes from the environment, or from one ConfigMap for all pods.'),
  init: reason(
    'dispat is process 1 and inherits the orphans of git and of builds. Sharing the process namespace, or an init in the image, reaps them.',
    ['shareProcessNamespace'],
    ['DWM608'],
  ),
  kube: reason('Some fields need a version of the cluster; known, the newer ones are used or refused.'),
};

/** Choices a manifest makes that no option changes. */
export const FIXED_REASONS: Readonly<Record<string, SettingReason>> = {
  completionMode: reason(
    'It gives every pod a stable number, which becomes the name the orchestrator addresses it by.',
    [],
    ['DWM103'],
  ),
  restartPolicy: reason('A worker that failed is looked at, not restarted into the middle of a run.', [], ['DWM112']),
  'safe-to-evict': reason(
    'The cluster autoscaler does not drain a machine from under a running task.',
    ['cluster-autoscaler.kubernetes.io/safe-to-evict'],
    ['DWM109'],
  ),
  podManagementPolicy: reason('All pods start at once: one after another would outlast the preflight.', [], ['DWM316']),
  updateStrategy: reason('An edit does not restart pods in the middle of a run.', [], ['DWM322']),
  enableServiceLinks: reason('Builds see no variables of the services around them.'),
  role: reason(
    'A file that says worker is refused for a release, so nobody releases from a pod by mistake.',
    ['execution.role'],
    ['DWM127'],
  ),
  GIT_TERMINAL_PROMPT: reason('A prompt could not be answered, so git fails at once instead of waiting.'),
  GIT_SSH_COMMAND: reason(
    'This key alone, a host that the mounted known_hosts names, and no question.',
    [],
    ['DWM610', 'DWM611'],
  ),
};
