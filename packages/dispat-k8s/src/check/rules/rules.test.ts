import { describe, expect, test } from 'vitest';
import {
  type Asked,
  block,
  checked,
  DNS_RULE,
  FS_GROUP,
  GIT_RULE,
  governed,
  policy,
  pool,
  statefulSet,
} from '../../../test/checked.js';
import { documentedPoolText } from '../../../test/documented.js';
import { PAGE, SEVERITIES } from '../rule.js';
import { rules } from './index.js';

type Edit = readonly [from: string, to: string];

/** Adds lines to a place of the documented pool. */
const spec = (text: string): Edit => ['  parallelism: 4\n', `  parallelism: 4\n  ${text}\n`];
const pod = (text: string): Edit => ['      restartPolicy: Never\n', `      restartPolicy: Never\n      ${text}\n`];
const worker = (text: string): Edit => ['          env:\n', `          ${text}\n          env:\n`];
const variable = (text: string): Edit => ['          env:\n', `          env:\n            - ${text}\n`];
const metadata = (text: string): Edit => ['  namespace: release\n', `  namespace: release\n  ${text}\n`];
const podLabels: Edit = ['      annotations:\n', '      labels: {app: workers}\n      annotations:\n'];
const object = (apiVersion: string, kind: string, body: string, namespace = 'release'): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: o, namespace: ${namespace}}\n${body}\n`;
const one = (...edits: Edit[]): Asked => ({ manifest: pool(edits) });
const withObject = (text: string, ...edits: Edit[]): Asked => ({ manifest: pool(edits, text) });

/** A case in which a rule speaks, what it says, and how loudly. */
const CASES: readonly (readonly [rule: string, severity: string, says: RegExp, asked: Asked])[] = [
  ['DWM102', 'error', /parallelism is 2, for 4/, one(['parallelism: 4', 'parallelism: 2'])],
  ['DWM101', 'error', /completions is missing/, one(['  completions: 4\n', ''])],
  [
    'DWM101',
    'error',
    /nobody lists w-4, w-5/,
    one(['completions: 4', 'completions: 6'], ['parallelism: 4', 'parallelism: 6']),
  ],
  ['DWM106', 'warning', /no CPU request/, one(['cpu: "7", ', ''])],
  ['DWM106', 'warning', /request of 7 of 16 cores/, { machineCpu: '16' }],
  ['DWM106', 'error', /fits on no machine of 4/, { machineCpu: '4' }],
  ['DWM107', 'warning', /no memory limit/, one(['limits: {memory: 24Gi}', 'limits: {}'])],
  ['DWM107', 'warning', /request 24Gi, limit 32Gi/, one(['limits: {memory: 24Gi}', 'limits: {memory: 32Gi}'])],
  ['DWM108', 'info', /CPU limit of 8/, one(['limits: {memory: 24Gi}', 'limits: {memory: 24Gi, cpu: 8}'])],
  ['DWM110', 'error', /no grace period, which means 30 s/, one(['      terminationGracePeriodSeconds: 3600\n', ''])],
  ['DWM110', 'info', /equals the task timeout/, {}],
  ['DWM111', 'error', /backoffLimit is 3/, one(['backoffLimit: 0', 'backoffLimit: 3'])],
  ['DWM111', 'error', /backoffLimitPerIndex is 2/, one(['backoffLimit: 0', 'backoffLimitPerIndex: 2'])],
  ['DWM111', 'warning', /maxFailedIndexes/, one(['backoffLimit: 0', 'backoffLimitPerIndex: 0\n  maxFailedIndexes: 1'])],
  [
    'DWM111',
    'error',
    /Kubernetes 1.27 leaves backoffLimitPerIndex out, and backoffLimit is then 6/,
    { ...one(['backoffLimit: 0', 'backoffLimitPerIndex: 0']), kube: 'v1.27.3-eks-1a2b' },
  ],
  [
    'DWM128',
    'error',
    /since Kubernetes 1.28, and this is 1.27/,
    {
      manifest: statefulSet(
        ['w-${HOSTNAME##*-}', 'w-${INDEX}'],
        variable(
          '{name: INDEX, valueFrom: {fieldRef: {fieldPath: "metadata.labels[\'apps.kubernetes.io/pod-index\']"}}}',
        ),
      ),
      kube: '1.27',
    },
  ],
  ['DWM113', 'warning', /any architecture/, one(['        kubernetes.io/arch: amd64\n', '        disk: fast\n'])],
  ['DWM115', 'warning', /stay/, one(['  ttlSecondsAfterFinished: 600\n', ''])],
  ['DWM115', 'warning', /30 s/, one(['Finished: 600', 'Finished: 30'])],
  ['DWM115', 'info', /takes the logs/, one(['Finished: 600', 'Finished: 0'])],
  ['DWM116', 'error', /never end/, one([' --idle-timeout 900', ''])],
  [
    'DWM118',
    'warning',
    /no claim template/,
    {
      manifest: statefulSet(
        ['  volumeClaimTemplates:\n    - metadata: {name: state}\n      spec: {accessModes: [ReadWriteOnce]}\n', ''],
        ['      volumes:\n', '      volumes:\n        - {name: state, emptyDir: {}}\n'],
      ),
    },
  ],
  ['DWM118', 'warning', /not on a claim/, { manifest: statefulSet(['--state-dir /state', '--state-dir /work/state']) }],
  ['DWM119', 'warning', /on no volume/, one(['--state-dir /state', '--state-dir /elsewhere'])],
  ['DWM119', 'error', /read-only/, one(['mountPath: /state}', 'mountPath: /state, readOnly: true}'])],
  [
    'DWM119',
    'error',
    /shared by nodes of the same name/,
    {
      manifest: [documentedPoolText, pool([['name: dispat-workers', 'name: again']])]
        .map((text) =>
          text.replace(
            'name: state\n          emptyDir: {}',
            'name: state\n          persistentVolumeClaim: {claimName: o}',
          ),
        )
        .concat(object('v1', 'PersistentVolumeClaim', 'spec: {accessModes: [ReadWriteMany]}'))
        .join('\n---\n'),
    },
  ],
  ['DWM120', 'warning', /preflight of 120 s/, { config: block(['preflight: 600', 'preflight: 120']) }],
  [
    'DWM120',
    'warning',
    /absent, which means 60/,
    { config: block(['    preflight: 600   # covers image pulls and new machines\n', '']) },
  ],
  ['DWM122', 'warning', /15 min|600|10 min/, one(['--idle-timeout 900', '--idle-timeout 600'])],
  [
    'DWM123',
    'error',
    /names no endpoint/,
    one(['                  "endpoint": "git@github.com:acme/release-mailbox.git",\n', '']),
  ],
  ['DWM124', 'error', /no secretEnv/, one(['                  "secretEnv": "DISPAT_EXECUTION_SECRET",\n', ''])],
  ['DWM124', 'error', /no variable OTHER/, one(['"secretEnv": "DISPAT_EXECUTION_SECRET"', '"secretEnv": "OTHER"'])],
  ['DWM124', 'error', /optional/, one(['key: secret}', 'key: secret, optional: true}'])],
  [
    'DWM125',
    'error',
    /maxFiles is 10 .* 20000/,
    one(['"concurrency": 1', '"concurrency": 1, "transfer": {"maxFiles": 10}']),
  ],
  [
    'DWM126',
    'warning',
    /Service release\/o leads/,
    withObject(object('v1', 'Service', 'spec: {selector: {app: workers}}'), podLabels),
  ],
  [
    'DWM126',
    'warning',
    /Ingress release\/i leads/,
    withObject(
      `${object('v1', 'Service', 'spec: {selector: {app: workers}}')}---\n${object('networking.k8s.io/v1', 'Ingress', 'spec: {rules: [{http: {paths: [{backend: {service: {name: o}}}]}}]}').replace('name: o,', 'name: i,')}`,
      podLabels,
    ),
  ],
  ['DWM126', 'warning', /declares ports/, one(worker('ports: [{containerPort: 80}]'))],
  ['DWM127', 'error', /role "orchestrator"/, one(['"role": "worker"', '"role": "orchestrator"'])],
  ['DWM127', 'warning', /no role/, one(['                  "role": "worker",\n', ''])],
  ['DWM127', 'error', /lists workers/, one(['"concurrency": 1', '"concurrency": 1, "workers": []'])],
  [
    'DWM129',
    'error',
    /lacks ssh, a passwd entry for user 1001/,
    { imageContents: '/usr/bin/git\n/usr/bin/dispat\nroot:x:0:0:root:/root:/bin/sh\n' },
  ],
  [
    'DWM130',
    'error',
    /container proxy stands beside/,
    one(['      containers:\n', '      containers:\n        - {name: proxy, image: p}\n']),
  ],
  [
    'DWM131',
    'error',
    /amd64, arm64/,
    {
      manifest: pool([
        [
          '      nodeSelector:\n        kubernetes.io/arch: amd64\n',
          '      affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [amd64, arm64]}]}]}}}\n',
        ],
      ]),
      config: `buildPlatforms: [linux/amd64]\n${block()}`,
    },
  ],
  ['DWM201', 'error', /everybody's/, one(['namespace: release', 'namespace: default'])],
  ['DWM201', 'warning', /no namespace/, one(['  namespace: release\n', ''])],
  [
    'DWM201',
    'warning',
    /shares its namespace with Deployment release\/o/,
    withObject(object('apps/v1', 'Deployment', 'spec: {}')),
  ],
  [
    'DWM202',
    'error',
    /projects a service account token/,
    one([
      '      volumes:\n',
      '      volumes:\n        - {name: t, projected: {sources: [{serviceAccountToken: {path: t}}]}}\n',
    ]),
  ],
  ['DWM203', 'error', /may run as root/, one(['runAsNonRoot: true', 'runAsNonRoot: false'])],
  ['DWM203', 'error', /user 0/, one(worker('securityContext: {runAsUser: 0}'))],
  ['DWM204', 'info', /no NetworkPolicy/, { policyElsewhere: true }],
  [
    'DWM205',
    'error',
    /every namespace/,
    { manifest: governed([DNS_RULE, GIT_RULE, '{to: [{namespaceSelector: {}}]}']) },
  ],
  ['DWM205', 'error', /every port/, { manifest: governed([DNS_RULE, '{to: [{ipBlock: {cidr: "::/0"}}]}']) }],
  [
    'DWM206',
    'error',
    /port 53 over TCP/,
    { manifest: governed([GIT_RULE, '{to: [{ipBlock: {cidr: 10.0.0.1/32}}], ports: [{port: 53, protocol: UDP}]}']) },
  ],
  [
    'DWM207',
    'warning',
    /not limited/,
    { manifest: governed([DNS_RULE, GIT_RULE]).replace('[Ingress, Egress]', '[Egress]') },
  ],
  ['DWM207', 'warning', /lets something in/, { manifest: `${governed([DNS_RULE, GIT_RULE])}  ingress: [{}]\n` }],
  [
    'DWM208',
    'warning',
    /adds to what workers allows/,
    {
      manifest: `${governed([DNS_RULE, GIT_RULE])}---\n${policy(GIT_RULE).replace('name: workers,', 'name: second,')}`,
    },
  ],
  [
    'DWM209',
    'error',
    /Deployment other\/o uses a Secret dispat-execution/,
    withObject(
      object(
        'apps/v1',
        'Deployment',
        'spec: {template: {spec: {containers: [{name: c, env: [{name: S, valueFrom: {secretKeyRef: {name: dispat-execution, key: s}}}]}]}}}',
        'other',
      ),
    ),
  ],
  [
    'DWM209',
    'error',
    /copies the Secret/,
    withObject(
      'apiVersion: v1\nkind: Secret\nmetadata: {name: mailbox-deploy-key, namespace: release, annotations: {replicator.v1.mittwald.de/replicate-to: "*"}}\n',
    ),
  ],
  [
    'DWM209',
    'error',
    /ClusterExternalSecret o writes the Secret into every namespace/,
    withObject(
      'apiVersion: external-secrets.io/v1\nkind: ClusterExternalSecret\nmetadata: {name: o}\nspec: {externalSecretName: dispat-execution}\n',
    ),
  ],
  [
    'DWM211',
    'error',
    /Secret dispat-execution is also/,
    {
      manifest: `${documentedPoolText}\n---\n${pool([
        ['namespace: release', 'namespace: other'],
        ['"endpoint": "git@github.com:acme/release-mailbox.git"', '"endpoint": "git@github.com:acme/x.git"'],
      ])}`,
    },
  ],
  [
    'DWM212',
    'warning',
    /NPM_TOKEN looks like/,
    one(variable('{name: NPM_TOKEN, valueFrom: {secretKeyRef: {name: npm, key: token}}}')),
  ],
  [
    'DWM212',
    'error',
    /publishes with it/,
    {
      ...one(variable('{name: NPM_TOKEN, valueFrom: {secretKeyRef: {name: npm, key: token}}}')),
      config: `publish: {run: "npm publish --token $NPM_TOKEN"}\n${block()}`,
    },
  ],
  [
    'DWM213',
    'warning',
    /core publishes on a worker/,
    { config: `packages: {core: {runOnly: [both, worker]}}\n${block()}` },
  ],
  ['DWM213', 'error', /logs in by a script/, { config: `login: ./login.sh\nrunOnly: [both, worker]\n${block()}` }],
  [
    'DWM214',
    'warning',
    /selects preemptible/,
    one([
      '        kubernetes.io/arch: amd64\n',
      '        kubernetes.io/arch: amd64\n        karpenter.sh/capacity-type: spot\n',
    ]),
  ],
  [
    'DWM214',
    'warning',
    /prefers preemptible/,
    one(
      pod(
        'affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: eks.amazonaws.com/capacityType, operator: In, values: [SPOT]}]}}]}}',
      ),
    ),
  ],
  [
    'DWM214',
    'warning',
    /cheap permits/,
    { ...one(pod('tolerations: [{key: cheap, value: "yes"}]')), spotLabels: ['cheap'] },
  ],
  ['DWM214', 'warning', /a toleration of everything permits/, one(pod('tolerations: [{operator: Exists}]'))],
  [
    'DWM214',
    'info',
    /ResourceFlavor cheap, which looks preemptible/,
    withObject(
      'apiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: {name: cheap}\nspec: {nodeLabels: {karpenter.sh/capacity-type: spot}}\n',
      metadata('labels: {kueue.x-k8s.io/queue-name: release}'),
    ),
  ],
  [
    'DWM215',
    'error',
    /the variable NPM_PASSWORD holds/,
    one(pod('initContainers: [{name: i, env: [{name: NPM_PASSWORD, value: hunter2}]}]')),
  ],
  [
    'DWM215',
    'error',
    /DISPAT_EXECUTION_SECRET holds its value/,
    one([
      '              valueFrom:\n                secretKeyRef: {name: dispat-execution, key: secret}\n',
      '              value: hunter2\n',
    ]),
  ],
  ['DWM215', 'error', /Secret release\/o holds/, withObject(object('v1', 'Secret', 'stringData: {key: hunter2}'))],
  ['DWM217', 'error', /lets others than the owner write/, one(['defaultMode: 0400', 'defaultMode: 0420'])],
  ['DWM218', 'error', /privileged/, one(worker('securityContext: {privileged: true}'))],
  [
    'DWM218',
    'error',
    /runtime's socket/,
    one(['      volumes:\n', '      volumes:\n        - {name: d, hostPath: {path: /var/run/docker.sock}}\n']),
  ],
  [
    'DWM218',
    'error',
    /adds the capabilities SYS_ADMIN/,
    one(worker('securityContext: {capabilities: {add: [SYS_ADMIN]}}')),
  ],
  ['DWM220', 'warning', /mounted writable/, one(['.ssh, readOnly: true}', '.ssh}'])],
  [
    'DWM220',
    'warning',
    /in the environment too/,
    one(variable('{name: K, valueFrom: {secretKeyRef: {name: mailbox-deploy-key, key: k}}}')),
  ],
  ['DWM221', 'info', /own repository, on github.com/, { releaseRemote: 'https://github.com/acme/release-mailbox.git' }],
  [
    'DWM223',
    'error',
    /temporary folder \(\/tmp\) and HOME/,
    one(worker('securityContext: {readOnlyRootFilesystem: true}')),
  ],
  [
    'DWM224',
    'error',
    /port 22 to github.com/,
    { manifest: governed([DNS_RULE, '{to: [{ipBlock: {cidr: 192.0.2.0/24}}], ports: [{port: 443}]}']) },
  ],
  ['DWM302', 'error', /maxReplicaCount is absent/, { manifest: scaledJob() }],
  [
    'DWM302',
    'error',
    /ScaledObject release\/o scales/,
    {
      manifest: `${statefulSet()}\n---\n${object('keda.sh/v1alpha1', 'ScaledObject', 'spec: {scaleTargetRef: {kind: StatefulSet, name: dispat-workers}}')}`,
    },
  ],
  [
    'DWM303',
    'error',
    /evicts workers/,
    withObject(
      object('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', 'spec: {targetRef: {kind: Job, name: dispat-workers}}'),
    ),
  ],
  ['DWM304', 'error', /parallelism of 0/, one(['parallelism: 4', 'parallelism: 0'])],
  ['DWM305', 'error', /may take 4200 s/, one(spec('activeDeadlineSeconds: 3600'))],
  ['DWM305', 'warning', /cuts whatever/, one(pod('activeDeadlineSeconds: 7200'))],
  ['DWM307', 'warning', /FailJob/, one(spec('podFailurePolicy: {rules: [{action: FailJob}]}'))],
  ['DWM309', 'error', /a part of the pool/, one(metadata('annotations: {kueue.x-k8s.io/job-min-parallelism: "2"}'))],
  ['DWM310', 'info', /belongs to kueue/, one(spec('managedBy: kueue.x-k8s.io/multikueue'))],
  ['DWM311', 'warning', /absent, which means Allow/, { manifest: cronJob() }],
  [
    'DWM313',
    'error',
    /50% does not work/,
    withObject(object('policy/v1', 'PodDisruptionBudget', 'spec: {minAvailable: 50%, selector: {}}')),
  ],
  ['DWM314', 'warning', /not in the input/, one(pod('priorityClassName: low'))],
  [
    'DWM314',
    'warning',
    /value -5/,
    withObject(
      'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: low}\nvalue: -5\n',
      pod('priorityClassName: low'),
    ),
  ],
  ['DWM315', 'warning', /no karpenter.sh\/do-not-disrupt/, { karpenter: true }],
  [
    'DWM315',
    'warning',
    /no karpenter.sh\/do-not-disrupt/,
    withObject('apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\n'),
  ],
  [
    'DWM318',
    'warning',
    /scaled down/,
    {
      manifest: statefulSet([
        '  replicas: 4\n',
        '  replicas: 4\n  persistentVolumeClaimRetentionPolicy: {whenScaled: Delete}\n',
      ]),
    },
  ],
  [
    'DWM320',
    'error',
    /without a CPU limit is refused/,
    withObject(object('v1', 'ResourceQuota', 'spec: {hard: {limits.cpu: "100"}}')),
  ],
  [
    'DWM320',
    'error',
    /at most 4 of cpu/,
    withObject(object('v1', 'LimitRange', 'spec: {limits: [{type: Container, max: {cpu: 4}}]}')),
  ],
  [
    'DWM320',
    'warning',
    /throttles/,
    withObject(object('v1', 'LimitRange', 'spec: {limits: [{type: Container, default: {cpu: 4}}]}')),
  ],
  ['DWM320', 'error', /pods is 3, for 4/, withObject(object('v1', 'ResourceQuota', 'spec: {hard: {pods: 3}}'))],
  ['DWM321', 'error', /listed twice, once as w-0/, { config: block(['name: w-1', 'name: W-0']) }],
  ['DWM321', 'error', /commit.verify/, { config: `commit: {verify: false}\n${block()}` }],
  ['DWM321', 'error', /no secretEnv/, { config: block(['  secretEnv: DISPAT_EXECUTION_SECRET\n', '']) }],
  ['DWM321', 'error', /none is listed/, { config: 'runOnly: worker\n' }],
  ['DWM322', 'warning', /RollingUpdate/, { manifest: statefulSet(['  updateStrategy: {type: OnDelete}\n', '']) }],
  [
    'DWM323',
    'error',
    /3 machines/,
    {
      ...one(
        pod(
          'affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname}]}}',
        ),
      ),
      machines: 3,
    },
  ],
  [
    'DWM323',
    'error',
    /one machine/,
    {
      ...one(
        pod(
          'topologySpreadConstraints: [{maxSkew: 1, whenUnsatisfiable: DoNotSchedule, topologyKey: kubernetes.io/hostname}]',
        ),
      ),
      machines: 1,
    },
  ],
  ['DWM602', 'error', /a backtick/, one(['"logFormat": "json"', '"logFormat": "`json`"'])],
  ['DWM602', 'error', /\$\(, which/, one(['"logFormat": "json"', '"logFormat": "$(hostname)"'])],
  ['DWM602', 'error', /\$HOME/, one(['"logFormat": "json"', '"logFormat": "$HOME"'])],
  ['DWM602', 'error', /a backslash/, one(['"logFormat": "json"', '"logFormat": "js\\\\u006fn"'])],
  [
    'DWM603',
    'error',
    /\$\(KIND\) is replaced/,
    one(variable('{name: KIND, value: json}'), ['"logFormat": "json"', '"logFormat": "$(KIND)"']),
  ],
  [
    'DWM604',
    'error',
    /scheme `http`/,
    one(['"endpoint": "git@github.com:acme/release-mailbox.git"', '"endpoint": "http://h/r"']),
  ],
  ['DWM604', 'warning', /a blank/, { config: block(['mailbox.git}', 'mail box.git}']) }],
  ['DWM605', 'error', /two dots/, one(['"w-$', '"w..$'])],
  ['DWM606', 'error', /dispat reads \/work\/dispat.json/, one(['> /work/dispat.json', '> /elsewhere/dispat.json'])],
  [
    'DWM606',
    'error',
    /in one folder/,
    one(['exec dispat', 'echo "{}" > /work/dispat.yaml\n              exec dispat']),
  ],
  ['DWM607', 'error', /dispat.json of index 0/, one(['"concurrency": 1', '"concurrency": 1,,'])],
  [
    'DWM609',
    'warning',
    /ssh looks in \/home\/node\/.ssh/,
    { imageContents: 'node:x:1001:1001::/home/node:/bin/sh\n/usr/bin/git\n' },
  ],
  [
    'DWM609',
    'warning',
    /HOME is \/tmp, and the home of user 1001 is \/home\/worker/,
    {
      ...one(variable('{name: HOME, value: /tmp}')),
      imageContents: 'w:x:1001:1001::/home/worker:/bin/sh\n/usr/bin/git\n',
    },
  ],
  [
    'DWM610',
    'warning',
    /does not try ssh-privatekey/,
    one([
      'secretName: mailbox-deploy-key',
      'secretName: mailbox-deploy-key, items: [{key: ssh-privatekey, path: ssh-privatekey}]',
    ]),
  ],
  [
    'DWM611',
    'error',
    /trusts whoever/,
    one(variable('{name: GIT_SSH_COMMAND, value: "ssh -o StrictHostKeyChecking=no"}')),
  ],
  ['DWM612', 'warning', /yes without quotes/, one(metadata('labels: {release: yes}'))],
  ['DWM612', 'warning', /22:30 without quotes/, one(variable('{name: AT, value: 22:30}'))],
  ['DWM613', 'error', /61 are the most/, one(['name: dispat-workers', `name: ${'a'.repeat(62)}`])],
  [
    'DWM613',
    'error',
    /52 are the most/,
    { manifest: statefulSet(['name: dispat-workers\n', `name: ${'a'.repeat(53)}\n`]) },
  ],
];

function scaledJob(): string {
  return documentedPoolText
    .replace('apiVersion: batch/v1\nkind: Job', 'apiVersion: keda.sh/v1alpha1\nkind: ScaledJob')
    .replace(/spec:\n([\s\S]*)/, (_, body: string) => `spec:\n  jobTargetRef:\n${body.replace(/^/gm, '  ')}`);
}

function cronJob(): string {
  return documentedPoolText
    .replace('kind: Job', 'kind: CronJob')
    .replace(
      /spec:\n([\s\S]*)/,
      (_, body: string) => `spec:\n  jobTemplate:\n    spec:\n${body.replace(/^/gm, '    ')}`,
    );
}

test.each(CASES)('%s, %s: %s', (rule, severity, says, asked) => {
  const found = checked(asked).of(rule);
  expect(found).toContainEqual(expect.objectContaining({ severity, message: expect.stringMatching(says) }));
});

/** Cases near the ones above in which a rule keeps quiet. */
const QUIET: readonly (readonly [rule: string, why: string, asked: Asked])[] = [
  ['DWM101', 'a StatefulSet rests', { manifest: statefulSet(['replicas: 4', 'replicas: 0']) }],
  ['DWM110', 'the grace is longer', one(['Seconds: 3600', 'Seconds: 3601'])],
  [
    'DWM111',
    'the cluster has a limit per index',
    { ...one(['backoffLimit: 0', 'backoffLimitPerIndex: 0']), kube: '1.29' },
  ],
  [
    'DWM214',
    'preemptible machines are not selected: the marker says false',
    one([
      '        kubernetes.io/arch: amd64\n',
      '        kubernetes.io/arch: amd64\n        cloud.google.com/gke-spot: "false"\n',
    ]),
  ],
  [
    'DWM609',
    'HOME is that home',
    {
      ...one(variable('{name: HOME, value: /home/worker}')),
      imageContents: 'w:x:1001:1001::/home/worker:/bin/sh\n/usr/bin/git\n',
    },
  ],
  ['DWM115', 'a minute is kept', one(['Finished: 600', 'Finished: 60'])],
  ['DWM120', 'five minutes are given', { config: block(['preflight: 600', 'preflight: 300']) }],
  ['DWM122', 'a worker waits as long as a task', one(['--idle-timeout 900', '--idle-timeout 3600'])],
  [
    'DWM129',
    'the image has it all',
    { imageContents: '/bin/git\n/bin/dispat\n/bin/ssh\nw:x:1001:1001::/home/worker:/bin/sh\n' },
  ],
  ['DWM130', 'the other container is a native sidecar', one(pod('initContainers: [{name: p, restartPolicy: Always}]'))],
  ['DWM205', 'only DNS reaches every namespace', { manifest: governed([DNS_RULE, GIT_RULE]) }],
  [
    'DWM212',
    'builds need the credential',
    {
      ...one(variable('{name: NPM_TOKEN, valueFrom: {secretKeyRef: {name: npm, key: token}}}')),
      buildSecrets: ['NPM_TOKEN'],
    },
  ],
  [
    'DWM214',
    'preemptible machines are excluded',
    one(
      pod(
        'affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: karpenter.sh/capacity-type, operator: NotIn, values: [spot]}]}]}}}',
      ),
    ),
  ],
  ['DWM216', 'others may read the key', one(['defaultMode: 0400', 'defaultMode: 0444'])],
  ['DWM222', 'the refs are protected', { refsProtected: true }],
  [
    'DWM313',
    'a whole number stays',
    withObject(object('policy/v1', 'PodDisruptionBudget', 'spec: {minAvailable: 4, selector: {}}')),
  ],
  ['DWM319', 'every Job has a run of its own', one(metadata('labels: {dispat.dev/run: "17"}'))],
  [
    'DWM601',
    'bash replaces itself by its one command',
    one(['["sh", "-c"]', '["bash", "-c"]'], ['              cat > /work', '              exec cat > /work']),
  ],
  [
    'DWM610',
    'the command names the key',
    one(
      ['secretName: mailbox-deploy-key', 'secretName: mailbox-deploy-key, items: [{key: k, path: k}]'],
      variable('{name: GIT_SSH_COMMAND, value: "ssh -i /home/worker/.ssh/k"}'),
    ),
  ],
  [
    'DWM611',
    'the hosts are known',
    one([
      'secretName: mailbox-deploy-key',
      'secretName: mailbox-deploy-key, items: [{key: known_hosts, path: known_hosts}]',
    ]),
  ],
  ['DWM613', 'the index fits', one(['name: dispat-workers', `name: ${'a'.repeat(61)}`])],
];

test.each(QUIET)('%s keeps quiet when %s', (rule, _, asked) => {
  expect(checked(asked).of(rule)).toEqual([]);
});

describe('a rule', () => {
  test('can be heard: one of the tests has it speak', () => {
    const elsewhere = [
      'DWM000',
      'DWM001',
      'DWM103',
      'DWM104',
      'DWM105',
      'DWM109',
      'DWM112',
      'DWM114',
      'DWM117',
      'DWM121',
      'DWM128',
      'DWM210',
      'DWM216',
      'DWM219',
      'DWM222',
      'DWM301',
      'DWM306',
      'DWM308',
      'DWM312',
      'DWM316',
      'DWM317',
      'DWM319',
      'DWM601',
      'DWM608',
    ];
    const heard = new Set([...CASES.map(([rule]) => rule), ...elsewhere]);
    expect(rules.map(({ id }) => id).filter((id) => !heard.has(id))).toEqual([]);
  });

  test('has an id of its own, and words for everything', () => {
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    for (const { id, title, why, when, fix, severity, page } of rules) {
      expect(id).toMatch(/^DWM[0-9]{3}$/);
      expect(SEVERITIES).toContain(severity);
      expect(Object.values(PAGE)).toContain(page);
      for (const text of [title, why, when, fix]) expect(text.length, id).toBeGreaterThan(8);
    }
  });

  test.each(CASES)('%s has %s among its severities', (id, severity) => {
    const rule = rules.find((each) => each.id === id);
    expect([rule?.severity, ...(rule?.otherwise ?? [])]).toContain(severity);
  });
});

test('no finding shows a secret', () => {
  const manifest = pool(
    [
      FS_GROUP,
      [
        '              valueFrom:\n                secretKeyRef: {name: dispat-execution, key: secret}\n',
        '              value: hunter2\n',
      ],
    ],
    object('v1', 'Secret', 'stringData: {key: hunter2}'),
  );
  const config = block().replaceAll('git@github.com', 'https://me:hunter2@github.com');
  expect(JSON.stringify(checked({ manifest, config }).report)).not.toContain('hunter2');
});
