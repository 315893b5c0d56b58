import type { Facts } from '../facts.js';
import { nameOf, type Resource } from '../kube/resource.js';
import { grouped } from '../kube/resources.js';
import type { KubeValue } from '../kube/value.js';
import type { PoolFacts } from '../pools/pool.js';
import { allContainers } from '../pools/workload.js';
import { type Found, forPools, forPoolsWith, type Hit, PAGE, type Rule, someOf } from '../rule.js';
import { effective } from './security-context.js';
import { mountOf } from './storage.js';

const SHARED_NAMESPACES = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);
const RUNTIME_SOCKET = /(?:docker|containerd|crio|podman)[^/]*\.sock$/;
const RESTRICTED_VOLUMES = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

/** The workloads that are no pools, by namespace. */
function workloadsBeside({ workloads, pools }: Facts): ReadonlyMap<string | undefined, readonly Resource[]> {
  const own = new Set(pools.map(({ resource }) => resource));
  const others = workloads.map(({ resource }) => resource).filter((resource) => !own.has(resource));
  return grouped(others, ({ namespace }) => namespace);
}

export const isolationRules: readonly Rule[] = [
  {
    id: 'DWM201',
    severity: 'error',
    otherwise: ['warning'],
    title: 'a namespace of its own',
    why: 'A pod here runs whatever the holders of the signing secret order. What shares its namespace shares that exposure.',
    when: 'the pool is in default or a system namespace (error), names no namespace, or shares its namespace with other workloads of the input (warning)',
    fix: 'give the workers a namespace of their own',
    page: PAGE.secrets,
    find: forPoolsWith(workloadsBeside, function* ({ resource }, beside): Iterable<Found> {
      const at = resource.root.at('metadata', 'namespace');
      if (resource.namespace === undefined)
        yield { at, severity: 'warning', message: 'no namespace: the pool goes wherever it is applied, often default' };
      else if (SHARED_NAMESPACES.has(resource.namespace))
        yield { at, message: `the namespace ${resource.namespace} is everybody's` };
      const others = beside.get(resource.namespace) ?? [];
      if (others.length > 0)
        yield { at, severity: 'warning', message: `the pool shares its namespace with ${someOf(others.map(nameOf))}` };
    }),
  },
  {
    id: 'DWM202',
    severity: 'error',
    title: 'no identity in the cluster',
    why: 'A build must not hold a token that speaks to the cluster.',
    when: 'automountServiceAccountToken is not false on the pod, or false only on a ServiceAccount the pod overrules; or a volume projects a token',
    fix: 'set automountServiceAccountToken: false on the pod',
    page: PAGE.secrets,
    find: forPools(function* (pool, facts): Iterable<Found> {
      const at = pool.pod.at('automountServiceAccountToken');
      const account = pool.pod.at('serviceAccountName').source ?? pool.pod.at('serviceAccount').source ?? 'default';
      const byAccount = facts.resources
        .near(pool.resource, 'ServiceAccount')
        .some((each) => each.name === account && each.root.at('automountServiceAccountToken').boolean === false);
      if (at.exists ? at.boolean !== false : !byAccount)
        yield { at, message: `the pod gets a token of the service account ${account}` };
      for (const source of pool.pod.at('volumes').items.flatMap((volume) => volume.at('projected', 'sources').items)) {
        const token = source.at('serviceAccountToken');
        if (token.exists) yield { at: token, message: 'a volume projects a service account token' };
      }
    }),
  },
  {
    id: 'DWM203',
    severity: 'error',
    title: 'not as root',
    why: 'What runs in the pod comes from a mailbox.',
    when: 'runAsNonRoot is not true for a container, or a user is 0',
    fix: "set runAsNonRoot: true and a runAsUser above 0 in the pod's securityContext",
    page: PAGE.secrets,
    find: forPools(function* ({ pod }): Iterable<Found> {
      for (const container of allContainers(pod)) {
        const user = effective(pod, container, 'runAsUser');
        const nonRoot = effective(pod, container, 'runAsNonRoot');
        if (user.number === 0) yield { at: user, message: `container ${nameIn(container)} runs as user 0` };
        else if (nonRoot.boolean !== true)
          yield { at: nonRoot, message: `container ${nameIn(container)} may run as root` };
      }
    }),
  },
  {
    id: 'DWM218',
    severity: 'error',
    title: 'nothing of the machine',
    why: 'A pod that reaches into its machine is not isolated from it.',
    when: "hostNetwork, hostPID, hostIPC, a host path, a host port, a privileged container, an added capability or a container runtime's socket is used",
    fix: 'take it away; build images with a builder that needs no daemon',
    page: PAGE.secrets,
    find: forPools(function* ({ pod }): Iterable<Found> {
      yield* machineShared(pod);
    }),
  },
  {
    id: 'DWM219',
    severity: 'warning',
    title: 'the restricted profile',
    why: 'A namespace that enforces the restricted pod security profile refuses the pod; one that does not leaves it more than it needs.',
    when: 'a field that profile asks for is missing; all of them in one finding',
    fix: 'add the fields named; the generator writes them',
    page: PAGE.secrets,
    find: forPools(function* ({ pod }): Iterable<Found> {
      const missing = missingOfRestricted(pod);
      if (missing.length > 0)
        yield { at: pod.at('securityContext'), message: `missing for the restricted profile: ${missing.join('; ')}` };
    }),
  },
  {
    id: 'DWM223',
    severity: 'error',
    title: 'somewhere to write',
    why: 'With a read-only root file system git and builds still write to the temporary folder and to HOME.',
    when: 'readOnlyRootFilesystem is true and no writable volume holds /tmp (or TMPDIR) and HOME',
    fix: 'mount an emptyDir at /tmp and one that holds HOME',
    page: PAGE.secrets,
    find: forPools(function* (pool): Iterable<Found> {
      const at = pool.worker.at('securityContext', 'readOnlyRootFilesystem');
      if (at.boolean !== true) return;
      const variables = pool.settings.run?.variables;
      const folders = [
        ['the temporary folder', variables?.get('TMPDIR') ?? '/tmp'],
        ['HOME', variables?.get('HOME')],
      ] as const;
      const unwritable = folders.flatMap(([label, path]) =>
        path !== undefined && isWritable(pool, path)
          ? []
          : [path === undefined ? `${label} (not set)` : `${label} (${path})`],
      );
      if (unwritable.length > 0)
        yield {
          at,
          message: `the root file system is read-only and no writable volume holds ${unwritable.join(' and ')}`,
        };
    }),
  },
];

function nameIn(container: KubeValue): string {
  return container.at('name').source ?? '(no name)';
}

/** The kubelet mounts these read-only, whatever the mount says. */
const READ_ONLY_VOLUMES = ['secret', 'configMap', 'projected', 'downwardAPI'];

function isWritable({ mounts }: PoolFacts, path: string): boolean {
  const mount = mountOf(mounts, path);
  return (
    mount !== undefined &&
    mount.mount.at('readOnly').boolean !== true &&
    READ_ONLY_VOLUMES.every((kind) => !mount.volume.at(kind).exists)
  );
}

function* machineShared(pod: KubeValue): Iterable<Hit> {
  for (const key of ['hostNetwork', 'hostPID', 'hostIPC']) {
    const at = pod.at(key);
    if (at.boolean === true) yield { at, message: `${key} is true` };
  }
  for (const volume of pod.at('volumes').items) {
    const at = volume.at('hostPath');
    const path = at.at('path').source ?? '';
    if (at.exists)
      yield {
        at,
        message: RUNTIME_SOCKET.test(path)
          ? `the container runtime's socket ${path} is mounted: whoever has it has the machine`
          : `the machine's path ${path} is mounted`,
      };
  }
  for (const container of allContainers(pod)) {
    const security = container.at('securityContext');
    const added = security.at('capabilities', 'add');
    if (security.at('privileged').boolean === true)
      yield { at: security.at('privileged'), message: `container ${nameIn(container)} is privileged` };
    if (added.items.length > 0)
      yield { at: added, message: `container ${nameIn(container)} adds the capabilities ${added.texts.join(', ')}` };
    for (const port of container.at('ports').items) {
      const at = port.at('hostPort');
      if (at.exists && at.number !== 0)
        yield { at, message: `container ${nameIn(container)} takes the machine's port ${at.source}` };
    }
  }
}

function missingOfRestricted(pod: KubeValue): readonly string[] {
  const missing: string[] = [];
  for (const container of allContainers(pod)) {
    const lacks: string[] = [];
    const security = container.at('securityContext');
    if (security.at('allowPrivilegeEscalation').boolean !== false) lacks.push('allowPrivilegeEscalation: false');
    if (!security.at('capabilities', 'drop').texts.includes('ALL')) lacks.push('capabilities.drop: [ALL]');
    const profile = effective(pod, container, 'seccompProfile', 'type').source;
    if (profile !== 'RuntimeDefault' && profile !== 'Localhost') lacks.push('seccompProfile.type: RuntimeDefault');
    if (effective(pod, container, 'runAsNonRoot').boolean !== true) lacks.push('runAsNonRoot: true');
    if (effective(pod, container, 'runAsUser').number === 0) lacks.push('a runAsUser above 0');
    if (lacks.length > 0) missing.push(`container ${nameIn(container)} ${lacks.join(', ')}`);
  }
  for (const volume of pod.at('volumes').items) {
    const kind = volume.entries.map(([key]) => key).find((key) => key !== 'name');
    if (kind !== undefined && !RESTRICTED_VOLUMES.has(kind))
      missing.push(`volume ${nameIn(volume)} of an allowed kind, not ${kind}`);
  }
  return missing;
}
