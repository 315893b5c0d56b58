import { beforeAll, describe, expect, test } from 'vitest';
import { MINIMAL } from '../../test/documented.js';
import { type StrictSchema, strictKubernetesSchema } from '../../test/kubernetes-schema.js';
import type { PoolInput } from '../options/table.js';
import type { KubeObject } from '../pool.js';
import { generate } from './generate.js';

/** Options that between them use every field the generator knows. */
const POOLS: Readonly<Record<string, PoolInput>> = {
  'the least': MINIMAL,
  'the documented pod': { ...MINIMAL, podSecurity: 'documented', script: 'documented', extras: false },
  'a policy, a budget, an account and a run': {
    ...MINIMAL,
    policyKind: 'standard',
    egress: ['0.0.0.0/0:443', '192.0.2.0/24:22', '2001:db8::/32', '10.0.0.0/8:53/UDP'],
    dnsCidr: ['169.254.20.10/32'],
    pdb: true,
    serviceAccount: 'worker',
    runId: '1e3',
    namePerRun: true,
    enforceVersion: 'v1.32',
  },
  'two platforms, one lost pod at a time': {
    ...MINIMAL,
    platform: ['linux/amd64=3', 'linux/arm64=2'],
    failureScope: 'index',
    kube: '1.32',
    configFrom: 'configmap',
    init: 'share-process',
  },
  'a StatefulSet': {
    ...MINIMAL,
    variation: 'statefulset',
    storageClass: 'fast',
    kube: '1.30',
    pdb: true,
    policyKind: 'standard',
    egress: ['192.0.2.7/32:22'],
  },
  'a StatefulSet of an older cluster that rests': { ...MINIMAL, variation: 'statefulset', replicas: 0, extras: false },
  'everything a pod can be given': {
    ...MINIMAL,
    endpoint: 'https://git.example.com/acme/mailbox.git',
    gitCredentialSecret: 'mailbox-token',
    imagePullSecrets: ['registry'],
    cpuLimit: '8',
    ephemeralStorage: '40Gi',
    env: { CI: 'true', ODD: 'a$(B)"\n' },
    envFromSecret: { NPM_TOKEN: 'npm-read/token' },
    buildSecrets: ['npm-read'],
    volumes: [{ name: 'cache', emptyDir: { sizeLimit: '1Gi' } }],
    volumeMounts: [{ name: 'cache', mountPath: '/cache' }],
    kueueQueue: 'release',
    priorityClass: 'high',
    tolerations: ['dedicated=release:NoSchedule', { key: 'x', operator: 'Exists' }],
    nodeSelector: { pool: 'release' },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
        },
      },
    },
    transfer: { maxFiles: 10 },
    init: 'tini',
    generateName: true,
    openshift: true,
  },
};

let schema: StrictSchema;

beforeAll(() => {
  schema = strictKubernetesSchema();
}, 120_000);

/** A deep copy of an object, with a change. */
function changed(
  object: KubeObject,
  change: (copy: { spec: { template: { spec: Record<string, unknown> } } }) => void,
): unknown {
  const copy = structuredClone(object) as never;
  change(copy);
  return copy;
}

function jobOf(input: PoolInput): KubeObject {
  const job = generate(input).objects.find(({ kind }) => kind === 'Job');
  if (job === undefined) throw new Error('no Job was generated');
  return job;
}

describe('the schema itself', () => {
  test('knows every kind that is generated or deployed', () => {
    expect([...schema.kinds].sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'Job',
      'Namespace',
      'NetworkPolicy',
      'PersistentVolumeClaim',
      'PodDisruptionBudget',
      'Secret',
      'Service',
      'ServiceAccount',
      'StatefulSet',
    ]);
  });

  test.each<[string, (copy: { spec: { template: { spec: Record<string, unknown> } } }) => void]>([
    ['a misspelt field', (job) => Object.assign(job.spec.template.spec, { terminationGracePeriodSecond: 1 })],
    ['a wrong type', (job) => Object.assign(job.spec.template.spec, { terminationGracePeriodSeconds: '1' })],
    ['an unknown word', (job) => Object.assign(job.spec.template.spec, { restartPolicy: 'Nevr' })],
    ['a missing member', (job) => Object.assign(job.spec.template.spec, { containers: [{}] })],
  ])('refuses %s', (_, change) => {
    expect(schema.faultsOf(changed(jobOf(MINIMAL), change))).not.toEqual([]);
  });
});

describe('every generated object', () => {
  test.each(Object.entries(POOLS))('has fields of Kubernetes alone: %s', (_, input) => {
    for (const object of generate(input).objects)
      expect({ kind: object.kind, faults: schema.faultsOf(object) }).toEqual({ kind: object.kind, faults: [] });
  });

  test.each(Object.entries(POOLS).filter(([, input]) => input.podSecurity !== 'documented'))(
    'meets the restricted pod security profile: %s',
    (_, input) => {
      for (const pod of podsOf(generate(input).objects)) expect(restrictedFaults(pod)).toEqual([]);
    },
  );

  test('the documented pod does not meet it, so that the check above can fail', () => {
    const [pod] = podsOf(generate(POOLS['the documented pod'] ?? MINIMAL).objects);
    expect(restrictedFaults(pod)).toEqual(['seccompProfile', 'allowPrivilegeEscalation', 'capabilities']);
  });
});

interface Pod {
  readonly hostNetwork?: boolean;
  readonly securityContext: {
    readonly runAsNonRoot?: boolean;
    readonly runAsUser?: number;
    readonly seccompProfile?: { readonly type: string };
  };
  readonly containers: readonly {
    readonly securityContext?: {
      readonly allowPrivilegeEscalation?: boolean;
      readonly capabilities?: { readonly drop?: readonly string[] };
    };
  }[];
  readonly volumes: readonly Readonly<Record<string, unknown>>[];
}

function podsOf(objects: readonly KubeObject[]): Pod[] {
  return objects
    .filter(({ kind }) => kind === 'Job' || kind === 'StatefulSet')
    .map(({ spec }) => (spec as { template: { spec: Pod } }).template.spec);
}

const RESTRICTED_VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** What the restricted level of the Pod Security Standards would refuse of a pod. */
function restrictedFaults(pod: Pod | undefined): string[] {
  if (pod === undefined) return ['no pod'];
  const { securityContext: own } = pod;
  return [
    ...(own.runAsNonRoot === true ? [] : ['runAsNonRoot']),
    ...(own.runAsUser === 0 ? ['runAsUser'] : []),
    ...(own.seccompProfile?.type === 'RuntimeDefault' ? [] : ['seccompProfile']),
    ...pod.containers.flatMap(({ securityContext }) => [
      ...(securityContext?.allowPrivilegeEscalation === false ? [] : ['allowPrivilegeEscalation']),
      ...(securityContext?.capabilities?.drop?.includes('ALL') === true ? [] : ['capabilities']),
    ]),
    ...(pod.hostNetwork === true ? ['hostNetwork'] : []),
    ...pod.volumes.flatMap((volume) =>
      Object.keys(volume).filter((key) => key !== 'name' && !RESTRICTED_VOLUMES.includes(key)),
    ),
  ];
}
