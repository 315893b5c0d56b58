import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { DOCUMENTED, documentedPoolText, MINIMAL, readAsYaml11 } from '../../test/documented.js';
import { problemsOf } from '../../test/problems.js';
import type { PoolInput } from '../options/table.js';
import type { KubeObject } from '../pool.js';
import { generate } from './generate.js';
import { manifestFiles, manifestsJson, manifestsYaml, secretStub } from './manifests.js';

// What the tests look at, without repeating every type of Kubernetes.
interface Workload {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly annotations: Record<string, string>;
  };
  readonly spec: Record<string, unknown> & {
    readonly template: {
      readonly metadata: { readonly labels: Record<string, string>; readonly annotations: Record<string, string> };
      readonly spec: Record<string, unknown> & {
        readonly nodeSelector: Record<string, string>;
        readonly securityContext: Record<string, unknown>;
        readonly containers: readonly [
          {
            readonly args: readonly [string];
            readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
            readonly resources: Record<string, Record<string, string>>;
            readonly volumeMounts: readonly { readonly name: string }[];
          },
        ];
        readonly volumes: readonly { readonly name: string; readonly secret?: Record<string, unknown> }[];
      };
    };
  };
}

function workloads(input: PoolInput): Workload[] {
  return generate(input).objects.filter(
    ({ kind }) => kind === 'Job' || kind === 'StatefulSet',
  ) as unknown as Workload[];
}

function workload(input: PoolInput): Workload {
  const [first] = workloads(input);
  if (first === undefined) throw new Error('nothing was generated');
  return first;
}

function objectOf(kind: string, input: PoolInput): KubeObject & { readonly spec: Record<string, unknown> } {
  const object = generate(input).objects.find((each) => each.kind === kind);
  if (object === undefined) throw new Error(`there is no ${kind}`);
  return object as KubeObject & { readonly spec: Record<string, unknown> };
}

describe('the Job', () => {
  test('A01: with documented parts and no extras it is the documented one, field for field', () => {
    expect(generate(DOCUMENTED).objects).toStrictEqual([readAsYaml11(documentedPoolText)]);
  });

  test('A01: its YAML reads back as the documented one in YAML 1.1 and in YAML 1.2', () => {
    const text = manifestsYaml(generate(DOCUMENTED).objects);
    expect(readAsYaml11(text)).toStrictEqual(readAsYaml11(documentedPoolText));
    expect(parse(text)).toStrictEqual(readAsYaml11(documentedPoolText));
  });

  test('A01: its keys stand in the documented order', () => {
    const keysOf = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(keysOf)
        : typeof value === 'object' && value !== null
          ? Object.entries(value).map(([key, member]) => [key, keysOf(member)])
          : null;
    expect(keysOf(generate(DOCUMENTED).objects[0])).toStrictEqual(keysOf(readAsYaml11(documentedPoolText)));
  });

  test('A03: eleven workers', () => {
    const { objects, links } = generate({ ...DOCUMENTED, count: 11 });
    expect(objects[0]?.spec).toMatchObject({ completions: 11, parallelism: 11 });
    expect(links.map(({ name }) => name)).toEqual([
      'w-0',
      'w-1',
      'w-2',
      'w-3',
      'w-4',
      'w-5',
      'w-6',
      'w-7',
      'w-8',
      'w-9',
      'w-10',
    ]);
  });

  test('A04: equal inputs give equal bytes, whatever the order they were written in', () => {
    const input: PoolInput = { ...MINIMAL, count: 3, nodeSelector: { a: '1' } };
    const turned = Object.fromEntries(Object.entries(input).reverse());
    expect(manifestsYaml(generate(turned).objects)).toBe(manifestsYaml(generate(input).objects));
  });

  test('A04: YAML and JSON hold the same data', () => {
    const { objects } = generate({ ...MINIMAL, pdb: true, runId: '1e3', env: { ODD: '\t"x"\u0085', Y: 'yes' } });
    const fromYaml = parseAllDocuments(manifestsYaml(objects)).map((document) => document.toJS());
    expect(JSON.parse(manifestsJson(objects))).toStrictEqual({ apiVersion: 'v1', kind: 'List', items: fromYaml });
  });

  test('A05: the grace period is the task timeout', () => {
    expect(workload({ ...MINIMAL, taskTimeout: 7200 }).spec.template.spec.terminationGracePeriodSeconds).toBe(7200);
  });

  test('A08: a Job for each platform', () => {
    const input: PoolInput = { ...MINIMAL, platform: ['linux/amd64=3', 'linux/arm64=2'] };
    const jobs = workloads(input);
    expect(
      jobs.map(({ metadata, spec }) => [
        metadata.name,
        spec.completions,
        spec.template.spec.nodeSelector['kubernetes.io/arch'],
      ]),
    ).toEqual([
      ['dispat-workers-amd64', 3, 'amd64'],
      ['dispat-workers-arm64', 2, 'arm64'],
    ]);
    expect(generate(input).links.map(({ name }) => name)).toEqual([
      'w-amd64-0',
      'w-amd64-1',
      'w-amd64-2',
      'w-arm64-0',
      'w-arm64-1',
    ]);
  });

  test('A14: the key file has mode 256, in YAML 1.1, YAML 1.2 and JSON', () => {
    const { objects } = generate({ ...DOCUMENTED, sshMode: '0400' });
    const text = manifestsYaml(objects);
    expect(text).toContain('defaultMode: 256  # octal 0400\n');
    for (const read of [readAsYaml11(text), parse(text), JSON.parse(manifestsJson(objects)).items[0]] as Workload[]) {
      expect(read.spec.template.spec.volumes.at(-1)?.secret?.defaultMode).toBe(256);
    }
  });

  test('A15: what a dialect could read as something else stands in quotes', () => {
    const text = manifestsYaml(generate({ ...MINIMAL, runId: '1e3', nodeSelector: { fast: 'yes' } }).objects);
    expect(text).toContain('dispat.dev/run: "1e3"\n');
    expect(text).toContain('fast: "yes"\n');
  });

  test('A16: what the kubelet would expand is escaped', () => {
    const { env } = workload({ ...MINIMAL, env: { FOO: 'a$(BAR)b', PRICE: '$$5 $x' } }).spec.template.spec
      .containers[0];
    expect(env).toContainEqual({ name: 'FOO', value: 'a$$(BAR)b' });
    expect(env).toContainEqual({ name: 'PRICE', value: '$$$5 $x' });
  });

  test('A18: a failure can be confined to its index', () => {
    const { spec } = workload({ ...MINIMAL, failureScope: 'index' });
    expect(spec).toMatchObject({ backoffLimitPerIndex: 0 });
    expect(Object.keys(spec)).not.toContain('backoffLimit');
    expect(Object.keys(spec)).not.toContain('maxFailedIndexes');
  });

  test('opts out of service meshes, and of both common autoscalers', () => {
    const { metadata } = workload(MINIMAL).spec.template;
    expect(metadata.annotations).toEqual({
      'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
      'karpenter.sh/do-not-disrupt': 'true',
      'sidecar.istio.io/inject': 'false',
      'linkerd.io/inject': 'disabled',
    });
    expect(metadata.labels['sidecar.istio.io/inject']).toBe('false');
  });

  test('carries what the checker and the cluster commands read', () => {
    const { labels, annotations } = workload({ ...MINIMAL, runId: 'r7' }).metadata;
    expect(labels).toEqual({
      'app.kubernetes.io/name': 'dispat-worker',
      'app.kubernetes.io/managed-by': 'dispat-worker-manifest',
      'dispat.dev/pool': 'dispat-workers',
      'dispat.dev/run': 'r7',
    });
    expect(annotations).toEqual({
      'dispat.dev/input-hash': expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      'dispat.dev/nodes': 'w-{0..3}',
      // printf git@github.com:acme/release-mailbox.git | sha256sum
      'dispat.dev/endpoint-sha256': 'sha256:68b37843c7848570b8c66513d028258aa1d192f1d25e479f8729fc041aa37b56',
      'dispat.dev/preflight-seconds': '600',
      'dispat.dev/task-timeout-seconds': '3600',
    });
  });

  test('has another hash for every other decision', () => {
    const hashes = [{}, { count: 5 }, { ttl: 601 }, { env: { A: 'b' } }].map(
      (more) => generate({ ...MINIMAL, ...more }).inputHash,
    );
    expect(new Set(hashes).size).toBe(4);
  });

  test('is readable by its user: the group of the files is the user', () => {
    expect(workload({ ...MINIMAL, runAsUser: 2000 }).spec.template.spec.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 2000,
      runAsGroup: 1001,
      fsGroup: 2000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
  });

  test('on OpenShift names no user and no group', () => {
    expect(workload({ ...MINIMAL, openshift: true }).spec.template.spec.securityContext).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
  });

  test('bounds the disk where that was asked for', () => {
    const { containers, volumes } = workload({ ...MINIMAL, ephemeralStorage: '40Gi' }).spec.template.spec;
    expect(containers[0].resources.limits).toEqual({ memory: '24Gi', 'ephemeral-storage': '40Gi' });
    expect(volumes[0]).toEqual({ name: 'work', emptyDir: { sizeLimit: '40Gi' } });
  });

  test('gets its release in its name, and in the names of its nodes when asked', () => {
    const { links, objects } = generate({ ...MINIMAL, runId: 'r7', namePerRun: true, count: 1 });
    expect(objects.at(-1)?.metadata.name).toBe('dispat-workers-r7');
    expect(links).toEqual([{ name: 'w-r7-0', endpoint: MINIMAL.endpoint }]);
  });

  test('can leave the end of its name to the cluster', () => {
    const { metadata } = generate({ ...MINIMAL, generateName: true }).objects.at(-1) ?? {};
    expect(metadata).toMatchObject({ generateName: 'dispat-workers-' });
    expect(metadata).not.toHaveProperty('name');
  });

  test('asks git to identify itself with a mounted token where the mailbox is https', () => {
    const { spec } = workload({ ...MINIMAL, endpoint: 'https://git.example.com/m.git', gitCredentialSecret: 'token' })
      .spec.template;
    expect(spec.containers[0].volumeMounts).toContainEqual({
      name: 'git-credentials',
      mountPath: '/run/dispat-git',
      readOnly: true,
    });
    expect(spec.containers[0].env).toContainEqual({ name: 'GIT_CONFIG_KEY_0', value: 'credential.helper' });
    expect(spec.volumes.map(({ name }) => name)).toEqual(['work', 'state', 'git-credentials']);
  });

  test('has one value for each variable: a given one stands in place of ours', () => {
    const { env } = workload({ ...MINIMAL, env: { HOME: '/root2' } }).spec.template.spec.containers[0];
    expect(env.filter(({ name }) => name === 'HOME')).toEqual([{ name: 'HOME', value: '/root2' }]);
    const names = env.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the StatefulSet', () => {
  const input: PoolInput = { ...MINIMAL, variation: 'statefulset', kube: '1.30' };

  test('A06: starts all at once, keeps its claims, restarts what exits, and never leaves by itself', () => {
    const { spec } = workload(input);
    expect(spec).toMatchObject({
      replicas: 4,
      serviceName: 'dispat-workers',
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'OnDelete' },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      volumeClaimTemplates: [{ metadata: { name: 'state' }, spec: { resources: { requests: { storage: '50Gi' } } } }],
      template: { spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 3600 } },
    });
    for (const absent of [
      'ttlSecondsAfterFinished',
      'backoffLimit',
      'backoffLimitPerIndex',
      'ordinals',
      'completions',
    ]) {
      expect(Object.keys(spec)).not.toContain(absent);
    }
    expect(spec.template.spec.containers[0].env).toContainEqual({ name: 'DWM_IDLE_TIMEOUT', value: '0' });
    expect(spec.template.spec.volumes.map(({ name }) => name)).toEqual(['work', 'git-ssh']);
    expect(generate(input).objects.map(({ kind }) => kind)).toEqual(['Namespace', 'StatefulSet']);
  });

  test('reads its index from a label where the cluster has it, else from the name of the pod', () => {
    const field = (kube: string | undefined): unknown =>
      workload({ ...MINIMAL, variation: 'statefulset', ...(kube !== undefined && { kube }) }).spec.template.spec
        .containers[0].env[1];
    expect(field('1.28')).toEqual({
      name: 'DWM_INDEX',
      valueFrom: { fieldRef: { fieldPath: "metadata.labels['apps.kubernetes.io/pod-index']" } },
    });
    expect(field('1.27')).toEqual({ name: 'DWM_POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } });
    expect(field(undefined)).toEqual(field('1.27'));
  });

  test('selects its pods by labels they carry, also without extras', () => {
    for (const extras of [true, false]) {
      const { spec } = workload({ ...input, extras });
      const { matchLabels } = spec.selector as { matchLabels: Record<string, string> };
      expect(spec.template.metadata.labels).toMatchObject(matchLabels);
    }
  });

  test('can rest at 0', () => expect(workload({ ...input, replicas: 0 }).spec.replicas).toBe(0));
});

describe('what stands around the workload', () => {
  const policy: PoolInput = { ...MINIMAL, policyKind: 'standard', egress: ['192.0.2.0/24:22'] };

  test('comes in the order to apply it', () => {
    const kinds = generate({ ...policy, pdb: true, serviceAccount: 'worker', configFrom: 'configmap' }).objects.map(
      ({ kind }) => kind,
    );
    expect(kinds).toEqual(['Namespace', 'ServiceAccount', 'NetworkPolicy', 'PodDisruptionBudget', 'ConfigMap', 'Job']);
  });

  test('the namespace enforces the level that the pods meet', () => {
    const labelsOf = (podSecurity: 'restricted' | 'documented'): unknown =>
      generate({ ...MINIMAL, podSecurity, enforceVersion: 'v1.30' }).objects[0]?.metadata.labels;
    expect(labelsOf('restricted')).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
      'pod-security.kubernetes.io/enforce-version': 'v1.30',
      'pod-security.kubernetes.io/audit': 'restricted',
      'pod-security.kubernetes.io/warn': 'restricted',
    });
    expect(labelsOf('documented')).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'baseline' });
  });

  test('the policy lets nothing in, and DNS and the listed destinations out', () => {
    const { spec } = objectOf('NetworkPolicy', { ...policy, dnsCidr: ['169.254.20.10/32'] });
    expect(spec).toEqual({
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'dispat-worker', 'dispat.dev/pool': 'dispat-workers' } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [],
      egress: [
        {
          to: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
              podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
            },
            { ipBlock: { cidr: '169.254.20.10/32' } },
          ],
          ports: [
            { port: 53, protocol: 'UDP' },
            { port: 53, protocol: 'TCP' },
          ],
        },
        { to: [{ ipBlock: { cidr: '192.0.2.0/24' } }], ports: [{ port: 22, protocol: 'TCP' }] },
      ],
    });
  });

  test.each<[string, string[] | undefined]>([
    ['0.0.0.0/0:443', ['169.254.0.0/16']],
    ['128.0.0.0/1:443', ['169.254.0.0/16']],
    ['169.0.0.0/8:443', ['169.254.0.0/16']],
    ['0.0.0.0/1:443', undefined],
    ['170.0.0.0/8:443', undefined],
    ['169.254.169.254/32:80', undefined],
    ['::/0:443', ['fe80::/10']],
    ['2001:db8::/32:443', undefined],
  ])('no wide range reaches the metadata addresses: %s', (target, except) => {
    const { spec } = objectOf('NetworkPolicy', { ...policy, egress: [target] });
    const [, rule] = spec.egress as { to: { ipBlock: { except?: string[] } }[] }[];
    expect(rule?.to[0]?.ipBlock.except).toEqual(except);
  });

  test('the policy selects the pods of every pool and of this run alone', () => {
    const { spec } = objectOf('NetworkPolicy', { ...policy, platform: ['linux/amd64', 'linux/arm64'], runId: 'r7' });
    const { podSelector } = spec as { podSelector: { matchLabels: Record<string, string>; matchExpressions: unknown } };
    expect(podSelector).toEqual({
      matchLabels: { 'app.kubernetes.io/name': 'dispat-worker', 'dispat.dev/run': 'r7' },
      matchExpressions: [
        { key: 'dispat.dev/pool', operator: 'In', values: ['dispat-workers-amd64', 'dispat-workers-arm64'] },
      ],
    });
    for (const { spec: own } of workloads({ ...policy, platform: ['linux/amd64', 'linux/arm64'], runId: 'r7' })) {
      expect(own.template.metadata.labels).toMatchObject(podSelector.matchLabels);
    }
  });

  test("Cilium's policy knows names", () => {
    const { spec } = objectOf('CiliumNetworkPolicy', {
      ...policy,
      policyKind: 'cilium',
      egress: ['Git.example.com:22', '*.npmjs.org:443', '10.0.0.0/8'],
    });
    expect(spec.egress).toEqual([
      {
        toEndpoints: [{ matchLabels: { 'k8s:io.kubernetes.pod.namespace': 'kube-system', 'k8s:k8s-app': 'kube-dns' } }],
        toPorts: [{ ports: [{ port: '53', protocol: 'ANY' }], rules: { dns: [{ matchPattern: '*' }] } }],
      },
      { toFQDNs: [{ matchName: 'git.example.com' }], toPorts: [{ ports: [{ port: '22', protocol: 'TCP' }] }] },
      { toFQDNs: [{ matchPattern: '*.npmjs.org' }], toPorts: [{ ports: [{ port: '443', protocol: 'TCP' }] }] },
      { toCIDR: ['10.0.0.0/8'] },
    ]);
  });

  test('a budget over a Job has a whole number, one over a StatefulSet allows nothing', () => {
    expect(objectOf('PodDisruptionBudget', { ...MINIMAL, pdb: true }).spec).toMatchObject({ minAvailable: 4 });
    expect(objectOf('PodDisruptionBudget', { ...MINIMAL, pdb: true, variation: 'statefulset' }).spec).toMatchObject({
      maxUnavailable: 0,
    });
  });

  test('a ServiceAccount has no token', () => {
    expect(objectOf('ServiceAccount', { ...MINIMAL, serviceAccount: 'worker' })).toMatchObject({
      metadata: { name: 'worker', namespace: 'release' },
      automountServiceAccountToken: false,
    });
    expect(workload({ ...MINIMAL, serviceAccount: 'worker' }).spec.template.spec.serviceAccountName).toBe('worker');
  });

  test('the worker file can come from a ConfigMap', () => {
    const { data } = objectOf('ConfigMap', { ...MINIMAL, configFrom: 'configmap' }) as unknown as {
      data: Record<string, string>;
    };
    expect(JSON.parse(`${data.head}7${data.tail}`)).toMatchObject({ execution: { name: 'w-7' } });
    const { env } = workload({ ...MINIMAL, configFrom: 'configmap' }).spec.template.spec.containers[0];
    expect(env).toContainEqual({
      name: 'DWM_HEAD',
      valueFrom: { configMapKeyRef: { name: 'dispat-workers', key: 'head' } },
    });
  });

  test('no Secret is ever among the objects', () => {
    const { objects } = generate({ ...policy, envFromSecret: { A: 'b/c' }, buildSecrets: ['b'] });
    expect(objects.map(({ kind }) => kind)).not.toContain('Secret');
  });
});

describe('files', () => {
  test('one for each object, and a kustomization that lists them', () => {
    const files = manifestFiles(generate({ ...MINIMAL, platform: ['linux/amd64', 'linux/arm64'] }).objects);
    expect(files.map(({ name }) => name)).toEqual([
      'namespace-release.yaml',
      'job-dispat-workers-amd64.yaml',
      'job-dispat-workers-arm64.yaml',
      'kustomization.yaml',
    ]);
    expect(parse(files.at(-1)?.text ?? '')).toEqual({
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: ['namespace-release.yaml', 'job-dispat-workers-amd64.yaml', 'job-dispat-workers-arm64.yaml'],
    });
  });

  test('a stub names the keys of both Secrets and holds no value', () => {
    const stub = secretStub(generate(MINIMAL).options);
    expect(parseAllDocuments(stub).map((document) => document.toJS())).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'dispat-execution', namespace: 'release' },
        type: 'Opaque',
        stringData: { secret: '' },
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'mailbox-deploy-key', namespace: 'release' },
        type: 'Opaque',
        stringData: { id_ed25519: '', known_hosts: '' },
      },
    ]);
    expect(stub).toContain('# Do not apply this file');
  });
});

describe('what was added', () => {
  test('has a comment in the YAML, and none without extras', () => {
    const text = manifestsYaml(generate(MINIMAL).objects);
    for (const key of [
      'enableServiceLinks',
      'fsGroup',
      'seccompProfile',
      'karpenter.sh/do-not-disrupt',
      '- name: GIT_TERMINAL_PROMPT',
      '- name: GIT_AUTHOR_NAME',
      '- name: GIT_SSH_COMMAND',
      '- name: HOME',
      'kubernetes.io/os',
    ]) {
      expect(text).toMatch(new RegExp(`# Added: [^\\n]+\\n *${key.replace(/[./]/g, '\\$&')}`));
    }
    expect(manifestsYaml(generate(DOCUMENTED).objects)).not.toContain('Added');
  });
});

test('the StatefulSet takes no name too long for its revisions', () => {
  expect(problemsOf({ ...MINIMAL, variation: 'statefulset', name: 'a'.repeat(53) })).toMatchObject([
    { code: 'NAME_TOO_LONG' },
  ]);
  expect(problemsOf({ ...MINIMAL, variation: 'statefulset', name: 'a'.repeat(52) })).toEqual([]);
});
