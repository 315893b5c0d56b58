import { CREDENTIALS_MOUNT } from '../options/read-options.js';
import type { Pool, PoolOptions } from '../pool.js';
import { escapeForKubelet, indexSource, SCRIPT_VARIABLES, startScript } from '../script/start-script.js';
import { splitWorkerFile } from '../script/worker-file.js';
import { podAnnotations, podLabels } from './labels.js';

type Members = Readonly<Record<string, unknown>>;

/** A pool's pod template: the documented fields in the documented order, and what was added to them. */
export function podTemplate(pool: Pool, options: PoolOptions): Members {
  const labels = podLabels(pool, options);
  return {
    metadata: { ...(labels && { labels }), annotations: podAnnotations(options) },
    spec: podSpec(pool, options),
  };
}

function podSpec(pool: Pool, options: PoolOptions): Members {
  const { variation, gracePeriod, extras, serviceAccount, imagePullSecrets } = options;
  const machine = machineChoice(pool, options);
  return {
    restartPolicy: variation === 'job' ? 'Never' : 'Always',
    ...(serviceAccount !== undefined && { serviceAccountName: serviceAccount }),
    automountServiceAccountToken: false,
    ...(extras && { enableServiceLinks: false }),
    ...(options.init === 'share-process' && { shareProcessNamespace: true }),
    terminationGracePeriodSeconds: gracePeriod,
    ...machine,
    securityContext: podSecurityContext(options),
    ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    containers: [container(pool, options)],
    volumes: volumes(options),
  };
}

function machineChoice({ platform }: Pool, options: PoolOptions): Members {
  const { extras, nodeSelector, tolerations, affinity, priorityClass } = options;
  return {
    nodeSelector: {
      'kubernetes.io/arch': platform.arch,
      ...(extras && { 'kubernetes.io/os': platform.os }),
      ...nodeSelector,
    },
    ...(affinity && { affinity }),
    ...(tolerations.length > 0 && { tolerations }),
    ...(priorityClass !== undefined && { priorityClassName: priorityClass }),
  };
}

function podSecurityContext({ user, podSecurity, variation }: PoolOptions): Members {
  const restricted = podSecurity === 'restricted';
  return {
    runAsNonRoot: true,
    ...(user && { runAsUser: user.uid }),
    ...(user && restricted && { runAsGroup: user.gid, fsGroup: user.fsGroup }),
    // Without this the owner of every fetched object is set anew at each start.
    ...(user && restricted && variation === 'statefulset' && { fsGroupChangePolicy: 'OnRootMismatch' }),
    ...(restricted && { seccompProfile: { type: 'RuntimeDefault' } }),
  };
}

function container(pool: Pool, options: PoolOptions): Members {
  return {
    name: 'worker',
    image: options.image,
    command: ['sh', '-c'],
    args: [startScript(pool, options)],
    env: environment(pool, options),
    ...(options.podSecurity === 'restricted' && {
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    }),
    resources: resources(options),
    volumeMounts: mounts(options),
  };
}

function resources({ cpu, memory, cpuLimit, ephemeralStorage }: PoolOptions): Members {
  const disk = ephemeralStorage !== undefined && { 'ephemeral-storage': ephemeralStorage };
  return {
    requests: { cpu, memory, ...disk },
    limits: { ...(cpuLimit !== undefined && { cpu: cpuLimit }), memory, ...disk },
  };
}

type Variable = Readonly<Record<string, unknown>>;

function environment(pool: Pool, options: PoolOptions): Variable[] {
  const own = [
    ...scriptVariables(pool, options),
    ...(options.extras ? gitVariables(options) : []),
    ...(options.extras ? [literal('HOME', options.home)] : []),
  ];
  // What a user gives stands in place of ours.
  const given = new Set(options.env.map(({ name }) => name));
  return [
    fromSecret(options.secretEnv, options.secretName, options.secretKey),
    ...own.filter(({ name }) => !given.has(String(name))),
    ...options.env.map((extra) =>
      'secret' in extra
        ? fromSecret(extra.name, extra.secret.name, extra.secret.key)
        : literal(extra.name, extra.value),
    ),
  ];
}

function literal(name: string, value: string): Variable {
  return { name, value: escapeForKubelet(value) };
}

function fromSecret(name: string, secret: string, key: string): Variable {
  return { name, valueFrom: { secretKeyRef: { name: secret, key } } };
}

/** The name of the ConfigMap that holds a pool's worker file, when it is not in the pod itself. */
export function configMapName({ objectName }: Pool): string {
  return objectName;
}

function scriptVariables(pool: Pool, options: PoolOptions): Variable[] {
  const { head, tail, root, stateDir, idleTimeout } = SCRIPT_VARIABLES;
  const index = indexVariables(options);
  if (options.script === 'documented') return index;
  const file = splitWorkerFile(pool.prefix, options);
  const part = (name: string, key: keyof typeof file): Variable =>
    options.configFrom === 'env'
      ? literal(name, file[key])
      : { name, valueFrom: { configMapKeyRef: { name: configMapName(pool), key } } };
  return [
    ...index,
    part(head, 'head'),
    part(tail, 'tail'),
    literal(root, options.workDir),
    literal(stateDir, options.stateDir),
    literal(idleTimeout, `${options.idleTimeout}`),
  ];
}

function indexVariables(options: PoolOptions): Variable[] {
  const field = (name: string, fieldPath: string): Variable => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  switch (indexSource(options)) {
    case 'completion-index':
      return [];
    case 'pod-index-label':
      return [field(SCRIPT_VARIABLES.index, "metadata.labels['apps.kubernetes.io/pod-index']")];
    case 'pod-name':
      return [field(SCRIPT_VARIABLES.podName, 'metadata.name')];
  }
}

/** Answers git with what the Secret holds, and only when git asks: `username=…` and `password=…`. */
const CREDENTIAL_HELPER = `!f() { if test "$1" = get; then cat ${CREDENTIALS_MOUNT}/credentials; fi; }; f`;

function gitVariables({ ssh, gitCredentialSecret, gitIdentity }: PoolOptions): Variable[] {
  const identity = gitIdentity && [
    literal('GIT_AUTHOR_NAME', gitIdentity.name),
    literal('GIT_AUTHOR_EMAIL', gitIdentity.email),
    literal('GIT_COMMITTER_NAME', gitIdentity.name),
    literal('GIT_COMMITTER_EMAIL', gitIdentity.email),
  ];
  const credentials = gitCredentialSecret !== undefined && [
    literal('GIT_CONFIG_COUNT', '1'),
    literal('GIT_CONFIG_KEY_0', 'credential.helper'),
    literal('GIT_CONFIG_VALUE_0', CREDENTIAL_HELPER),
  ];
  return [
    literal('GIT_TERMINAL_PROMPT', '0'),
    ...(ssh ? [literal('GIT_SSH_COMMAND', sshCommand(ssh))] : []),
    ...(credentials || []),
    ...(identity ?? []),
  ];
}

function sshCommand({ mount, keyFile }: NonNullable<PoolOptions['ssh']>): string {
  return [
    `ssh -i ${mount}/${keyFile}`,
    'IdentitiesOnly=yes',
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile=${mount}/known_hosts`,
  ].join(' -o ');
}

function mounts({ workDir, stateDir, ssh, gitCredentialSecret, volumeMounts }: PoolOptions): Members[] {
  return [
    { name: 'work', mountPath: workDir },
    { name: 'state', mountPath: stateDir },
    ...(ssh ? [{ name: 'git-ssh', mountPath: ssh.mount, readOnly: true }] : []),
    ...(gitCredentialSecret === undefined
      ? []
      : [{ name: 'git-credentials', mountPath: CREDENTIALS_MOUNT, readOnly: true }]),
    ...volumeMounts,
  ];
}

function volumes({ variation, ssh, gitCredentialSecret, ephemeralStorage, volumes }: PoolOptions): Members[] {
  const emptyDir = ephemeralStorage === undefined ? {} : { sizeLimit: ephemeralStorage };
  return [
    { name: 'work', emptyDir },
    ...(variation === 'job' ? [{ name: 'state', emptyDir }] : []),
    ...(ssh ? [{ name: 'git-ssh', secret: { secretName: ssh.secret, defaultMode: ssh.mode } }] : []),
    ...(gitCredentialSecret === undefined
      ? []
      : [{ name: 'git-credentials', secret: { secretName: gitCredentialSecret, defaultMode: 0o440 } }]),
    ...volumes,
  ];
}
