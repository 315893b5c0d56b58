import { describe, expect, test } from 'vitest';
import {
  block,
  checked,
  DNS_RULE,
  edited,
  FS_GROUP,
  GIT_RULE,
  governed,
  pool,
  statefulSet,
} from '../../test/checked.js';
import { documentedPoolText } from '../../test/documented.js';
import { check, reaches } from './check.js';

const JOB_ONLY = ['DWM216', 'DWM204'];

/** Errors beyond the two the documented pool has. */
function errorsOf(result: ReturnType<typeof checked>): readonly string[] {
  return result.ids('error').filter((id) => !JOB_ONLY.includes(id));
}

describe('A21: the documented pool', () => {
  test('has two errors, four warnings and the expected notes', () => {
    const result = checked();
    expect(result.ids('error')).toEqual(['DWM204', 'DWM216']);
    expect(result.report.summary.error).toBe(2);
    expect(result.ids('warning')).toEqual(['DWM219', 'DWM222', 'DWM319', 'DWM611']);
    expect(result.ids('info')).toEqual(expect.arrayContaining(['DWM122', 'DWM214', 'DWM308', 'DWM312', 'DWM608']));
    expect(result.ids('info')).not.toContain('DWM001');
  });

  test('has none left with fsGroup and a policy for DNS and the host', () => {
    const { report } = checked({ manifest: governed([DNS_RULE, GIT_RULE]) });
    expect(report.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(reaches(report, 'error')).toBe(false);
    expect(reaches(report, 'warning')).toBe(true);
    expect(reaches(report, 'never')).toBe(false);
  });

  test('says where each finding stands, why, and what to do', () => {
    const [finding] = checked().of('DWM216');
    expect(finding).toMatchObject({
      severity: 'error',
      object: { apiVersion: 'batch/v1', kind: 'Job', namespace: 'release', name: 'dispat-workers' },
      pointer: '/spec/template/spec/volumes/2/secret/defaultMode',
      file: 'pool.yaml',
      line: 61,
      message: 'the files in /home/worker/.ssh belong to root with mode 0400: user 1001 cannot read them',
      reference: 'Secrets and isolation',
    });
    expect(finding?.reason).not.toBe('');
    expect(finding?.fix).toContain('fsGroup');
  });

  test('names its nodes', () => {
    expect(checked().report.pools).toMatchObject([{ name: 'dispat-workers', nodes: ['w-0', 'w-1', 'w-2', 'w-3'] }]);
  });
});

describe('names and numbers', () => {
  test('A22: three completions for four links', () => {
    const result = checked({
      manifest: pool([
        ['completions: 4', 'completions: 3'],
        ['parallelism: 4', 'parallelism: 3'],
      ]),
    });
    expect(errorsOf(result)).toEqual(['DWM101']);
    expect(result.of('DWM101')[0]?.message).toContain('w-3');
  });

  test('A23: no parallelism', () => {
    expect(errorsOf(checked({ manifest: pool([['  parallelism: 4\n', '']]) }))).toEqual(['DWM102']);
  });

  test('A24: not Indexed', () => {
    expect(errorsOf(checked({ manifest: pool([['Indexed', 'NonIndexed']]) }))).toEqual(['DWM103']);
  });

  test('A25: names that differ in case', () => {
    const result = checked({ manifest: pool([['"w-$', '"W-$']]) });
    expect(errorsOf(result)).toEqual(['DWM104']);
    expect(result.of('DWM104')[0]?.message).toContain('differs only in case');
  });

  test('another prefix is told from both sides', () => {
    const result = checked({ manifest: pool([['"w-$', '"x-$']]) });
    expect(errorsOf(result)).toEqual(['DWM104']);
    expect(result.of('DWM104').map(({ message }) => message)).toEqual([
      'nobody lists x-0, x-1, x-2, x-3',
      'no pod becomes w-0, w-1, w-2, w-3, which the orchestrator lists',
    ]);
  });

  test('names on the command line count as the list', () => {
    const links = [0, 1, 2, 3, 4].map((index) => `w-${index}=git@github.com:acme/release-mailbox.git`);
    const config = 'execution: {secretEnv: S, timeouts: {preflight: 600}}\n';
    expect(errorsOf(checked({ config, workers: links.slice(0, 4) }))).toEqual([]);
    expect(checked({ config, workers: links }).of('DWM101')[0]?.message).toContain('w-4');
  });

  test('without any list their number is unknown', () => {
    const result = checked({ config: 'execution: {secretEnv: S}\n' });
    expect(errorsOf(result)).toEqual([]);
    expect(result.of('DWM001')[0]?.message).toMatch(/list of workers.*DWM101, DWM104/);
  });

  test('A41: a quoted heredoc leaves the index as it is', () => {
    const result = checked({ manifest: pool([['<<EOF', "<<'EOF'"]]) });
    expect(result.of('DWM128')[0]?.message).toContain('w-${JOB_COMPLETION_INDEX}');
    expect(result.of('DWM104')[0]?.message).toBe('nobody lists w-${JOB_COMPLETION_INDEX}');
  });
});

describe('life and death of a pod', () => {
  test('A26: a grace period of ten minutes for tasks of an hour', () => {
    const result = checked({
      manifest: pool([['Seconds: 3600', 'Seconds: 600']]),
      config: block(['    task: 3600\n', '']),
    });
    expect(errorsOf(result)).toEqual(['DWM110']);
    expect(result.of('DWM110')[0]?.message).toBe('a grace period of 600 s, and a task may take 3600 s');
  });

  test("A27: the annotation on the Job's metadata, or without quotes", () => {
    const annotation = '      annotations:\n        cluster-autoscaler.kubernetes.io/safe-to-evict: "false"\n';
    const moved = pool([
      [annotation, '      labels: {}\n'],
      ['  namespace: release\n', `  namespace: release\n${annotation.replace(/^ {4}/gm, '')}`],
    ]);
    expect(checked({ manifest: moved }).of('DWM109')[0]?.message).toContain("reads the pod template's annotations");
    const unquoted = checked({ manifest: pool([['safe-to-evict: "false"', 'safe-to-evict: false']]) });
    expect(errorsOf(unquoted)).toEqual(['DWM109']);
  });

  test('A28: no backoff limit, and one per index', () => {
    expect(errorsOf(checked({ manifest: pool([['  backoffLimit: 0\n', '']]) }))).toEqual(['DWM111']);
    expect(errorsOf(checked({ manifest: pool([['backoffLimit: 0', 'backoffLimitPerIndex: 0']]) }))).toEqual([]);
  });

  test('A29: restarts in place', () => {
    expect(errorsOf(checked({ manifest: pool([['restartPolicy: Never', 'restartPolicy: OnFailure']]) }))).toEqual([
      'DWM112',
    ]);
  });

  test('A43: an idle timeout below the preflight, or below the longest wait of the plan', () => {
    expect(errorsOf(checked({ manifest: pool([['--idle-timeout 900', '--idle-timeout 300']]) }))).toEqual(['DWM121']);
    const plan = [
      '{"package":"core","message":"● changed"}',
      ...['a', 'b', 'c', 'd'].map((name) => `{"package":"${name}","dependsOn":["core"],"message":"● changed"}`),
    ].join('\n');
    const durations = '{"defaults":{"build":"10m","publish":0},"packages":{"core":{"build":"40m"}}}';
    const [finding] = checked({ plan, durations }).of('DWM122');
    expect(finding).toMatchObject({ severity: 'error', message: expect.stringContaining('idle for 40 min') });
    const shorter = checked({ plan, durations: durations.replace('40m', '15m') });
    expect(shorter.of('DWM122')).toEqual([]);
  });

  test('A44: suspended, early success, ignored failures', () => {
    const suspended = [['  parallelism: 4\n', '  parallelism: 4\n  suspend: true\n']] as const;
    expect(errorsOf(checked({ manifest: pool(suspended) }))).toEqual(['DWM304']);
    const queued = checked({
      manifest: pool([
        ...suspended,
        ['  namespace: release\n', '  namespace: release\n  labels: {kueue.x-k8s.io/queue-name: q}\n'],
      ]),
    });
    expect(errorsOf(queued)).toEqual([]);
    expect(queued.ids('info')).toEqual(expect.arrayContaining(['DWM304', 'DWM309']));
    const early = '  parallelism: 4\n  successPolicy: {rules: [{succeededCount: 1}]}\n';
    expect(errorsOf(checked({ manifest: pool([['  parallelism: 4\n', early]]) }))).toEqual(['DWM306']);
    const ignoring =
      '  parallelism: 4\n  podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}\n';
    expect(errorsOf(checked({ manifest: pool([['  parallelism: 4\n', ignoring]]) }))).toEqual(['DWM307']);
  });
});

describe('machines', () => {
  const arm = pool([['arch: amd64', 'arch: arm64']]);

  test('A30: an architecture no package builds on', () => {
    const config = `buildPlatforms: [linux/amd64]\n${block()}`;
    expect(errorsOf(checked({ manifest: arm, config }))).toEqual(['DWM113', 'DWM114']);
    const inSpaces = checked({ manifest: arm, config: `spaces: {libs: {}, apps: {}}\n${config}` });
    expect(inSpaces.of('DWM114').map(({ message }) => message)).toEqual([
      'no pool is linux/amd64, as builds of every package want',
    ]);
    const amd = pool([
      ['name: dispat-workers', 'name: amd'],
      ['"w-$', '"a-$'],
    ]);
    const both = block([
      '  workers:\n',
      `  workers:\n${[0, 1, 2, 3].map((index) => `    - {name: a-${index}, endpoint: git@github.com:acme/release-mailbox.git}\n`).join('')}`,
    ]);
    expect(
      errorsOf(checked({ manifest: `${arm}\n---\n${amd}`, config: `buildPlatforms: [linux/amd64]\n${both}` })),
    ).toEqual([]);
  });

  test('A32: several builds on a whole machine, and on a slice of one', () => {
    const two = pool([['"concurrency": 1', '"concurrency": 2']]);
    expect(checked({ manifest: two, machineCpu: '8' }).ids('warning')).toContain('DWM105');
    const slice = pool([
      ['"concurrency": 1', '"concurrency": 4'],
      ['cpu: "7"', 'cpu: "2"'],
    ]);
    expect(checked({ manifest: slice, machineCpu: '32' }).ids('warning')).not.toContain('DWM105');
  });

  test('A33: a toleration for machines that may be taken away', () => {
    const spot = pool([
      [
        '      nodeSelector:\n',
        '      tolerations: [{key: cloud.google.com/gke-spot, operator: Exists}]\n      nodeSelector:\n',
      ],
    ]);
    expect(checked({ manifest: spot }).of('DWM214')).toMatchObject([{ severity: 'warning' }]);
    const config = `runOnly: [both, worker]\n${block()}`;
    expect(checked({ manifest: spot, config }).of('DWM214')).toMatchObject([{ severity: 'error' }]);
  });

  test('A42: more slots than builds in flight', () => {
    const [finding] = checked({ config: `concurrency: [2, 1]\n${block()}` }).of('DWM312');
    expect(finding).toMatchObject({
      severity: 'warning',
      file: 'dispat.yaml',
      line: 1,
      message: expect.stringContaining('2 builds'),
    });
  });

  test('A50: a budget that cannot be computed, and a quota too small', () => {
    const budget =
      'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, namespace: release}\nspec: {maxUnavailable: 0, selector: {}}\n';
    expect(errorsOf(checked({ manifest: pool([], budget) }))).toEqual(['DWM313']);
    for (const label of ['batch.kubernetes.io/job-name', 'job-name']) {
      const byName = (name: string): string =>
        edited(budget, ['selector: {}', `selector: {matchLabels: {${label}: ${name}}}`]);
      expect(errorsOf(checked({ manifest: pool([], byName('dispat-workers')) }))).toEqual(['DWM313']);
      expect(errorsOf(checked({ manifest: pool([], byName('other')) }))).toEqual([]);
    }
    const quota =
      'apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: release}\nspec: {hard: {requests.cpu: "20"}}\n';
    const result = checked({ manifest: pool([], quota) });
    expect(errorsOf(result)).toEqual(['DWM320']);
    expect(result.of('DWM320')[0]?.message).toContain('4 pods take 28');
  });
});

describe('autoscalers', () => {
  const hpa = (kind: string, name: string): string =>
    `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: release}\nspec: {scaleTargetRef: {kind: ${kind}, name: ${name}}}\n`;

  test('A31: one on the pool, with the four reasons, and one on something else', () => {
    const [finding] = checked({ manifest: `${statefulSet()}\n---\n${hpa('StatefulSet', 'dispat-workers')}` }).of(
      'DWM301',
    );
    expect(finding?.message).toMatch(
      /fixed before any task.*CPU is the wrong signal.*slower than the work.*destructive/,
    );
    expect(finding?.object).toMatchObject({ kind: 'HorizontalPodAutoscaler', name: 'h' });
    expect(checked({ manifest: `${statefulSet()}\n---\n${hpa('Deployment', 'web')}` }).of('DWM301')).toEqual([]);
  });

  test('A38: a StatefulSet that restarts, starts in order, or counts from 1', () => {
    expect(errorsOf(checked({ manifest: statefulSet() }))).toEqual([]);
    expect(errorsOf(checked({ manifest: statefulSet(['--idle-timeout 0', '--idle-timeout 900']) }))).toEqual([
      'DWM117',
    ]);
    expect(errorsOf(checked({ manifest: statefulSet(['Parallel', 'OrderedReady']) }))).toEqual(['DWM316']);
    const shifted = statefulSet(['  replicas: 4\n', '  replicas: 4\n  ordinals: {start: 1}\n']);
    expect(errorsOf(checked({ manifest: shifted }))).toContain('DWM317');
  });
});

describe('secrets and isolation', () => {
  test("A34: the token of the pod's account", () => {
    const account =
      'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: default, namespace: release}\nautomountServiceAccountToken: false\n';
    const absent = [['      automountServiceAccountToken: false\n', '']] as const;
    expect(errorsOf(checked({ manifest: pool(absent, account) }))).toEqual([]);
    expect(errorsOf(checked({ manifest: pool(absent) }))).toEqual(['DWM202']);
    const overruled = pool([['automountServiceAccountToken: false', 'automountServiceAccountToken: true']], account);
    expect(errorsOf(checked({ manifest: overruled }))).toEqual(['DWM202']);
  });

  test('A35: names without DNS, and an address', () => {
    expect(checked({ manifest: governed([GIT_RULE]) }).ids('error')).toEqual(['DWM206']);
    const address = ['git@github.com:acme/release-mailbox.git', 'ssh://git@192.0.2.5/m.git'] as const;
    const config = block().replaceAll(...address);
    expect(checked({ manifest: governed([GIT_RULE], address), config }).ids('error')).toEqual([]);
  });

  test('A36: rules that let too much out', () => {
    const errors = (...rules: string[]) => checked({ manifest: governed([DNS_RULE, ...rules]) }).ids('error');
    expect(errors('{}')).toEqual(['DWM205']);
    const open = '{to: [{ipBlock: {cidr: 0.0.0.0/0}}], ports: [{port: 443}]}';
    expect(errors(GIT_RULE, open)).toEqual(['DWM205']);
    const result = checked({
      manifest: governed([DNS_RULE, GIT_RULE, open.replace('0/0}', '0/0, except: [169.254.0.0/16]}')]),
    });
    expect(result.ids('error')).toEqual([]);
    expect(result.ids('warning')).toContain('DWM205');
  });

  test('A37: one mailbox for two namespaces, and two platforms in one', () => {
    const other = pool([['namespace: release', 'namespace: other']]);
    expect(errorsOf(checked({ manifest: `${documentedPoolText}\n---\n${other}` }))).toContain('DWM211');
    const third = pool([['namespace: release', 'namespace: third']]);
    const three = checked({ manifest: [documentedPoolText, other, third].join('\n---\n') }).of('DWM211');
    expect(three.map(({ object, message }) => `${object?.namespace}: ${message.replace(/^.* that of /, '')}`)).toEqual([
      'other: Job release/dispat-workers, in another namespace',
      'third: Job release/dispat-workers, Job other/dispat-workers, in other namespaces',
    ]);
    const arm = pool([
      ['name: dispat-workers', 'name: arm'],
      ['arch: amd64', 'arch: arm64'],
    ]);
    expect(checked({ manifest: `${documentedPoolText}\n---\n${arm}` }).of('DWM211')).toEqual([]);
  });

  test('A40: a mode in decimal that was meant in octal', () => {
    const result = checked({ manifest: pool([['defaultMode: 0400', 'defaultMode: 400']]) });
    expect(result.of('DWM217')[0]?.fix).toContain('256');
    expect(checked().of('DWM217')).toEqual([]);
    expect(checked({ manifest: pool([['defaultMode: 0400', 'defaultMode: "0400"']]) }).of('DWM217')[0]?.fix).toContain(
      '256',
    );
  });

  test("A45: the release's Secret in the environment", () => {
    const manifest = pool([
      ['          env:\n', '          envFrom: [{secretRef: {name: npm-publish}}]\n          env:\n'],
    ]);
    expect(errorsOf(checked({ manifest, releaseSecrets: ['npm-publish'] }))).toEqual(['DWM210']);
    expect(errorsOf(checked({ manifest }))).toEqual([]);
  });

  test('A46: workers without the release lock', () => {
    const result = checked({ config: `unsafeDisableLock: true\n${block()}` });
    expect(errorsOf(result)).toEqual(['DWM321']);
    expect(result.of('DWM321')[0]).toMatchObject({ file: 'dispat.yaml', line: 1 });
  });

  test('A49: a Deployment', () => {
    const deployment = edited(
      pool([['Seconds: 3600', 'Seconds: 3600\n      hostNetwork: true']]),
      ['apiVersion: batch/v1\nkind: Job', 'apiVersion: apps/v1\nkind: Deployment'],
      [
        '  completionMode: Indexed\n  completions: 4\n  parallelism: 4\n  backoffLimit: 0\n  ttlSecondsAfterFinished: 600\n',
        '  replicas: 4\n',
      ],
    );
    const result = checked({ manifest: deployment });
    expect(errorsOf(result)).toEqual(['DWM103', 'DWM218']);
    expect(result.ids('error')).toEqual(expect.arrayContaining(JOB_ONLY));
  });
});

describe('agreement with the orchestrator', () => {
  test('A39: another mailbox, and another spelling of one', () => {
    const link = (to: string) => block().replaceAll('git@github.com:acme/release-mailbox.git', to);
    const result = checked({ config: link('git@github.com:acme/other.git') });
    expect(errorsOf(result)).toEqual(['DWM123']);
    const same = checked({ config: link('ssh://git@github.com/acme/release-mailbox.git') });
    expect(same.of('DWM123')).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('probably the same') },
    ]);
  });

  test('A41: a shell that stays', () => {
    expect(errorsOf(checked({ manifest: pool([['exec dispat', 'dispat']]) }))).toEqual(['DWM601']);
  });

  test('reads a worker file and a configuration that are TOML', () => {
    const manifest = documentedPoolText.replace(
      /cat > [\s\S]*? EOF\n/,
      `cat > /work/dispat.toml <<EOF
              [execution]
              role = "worker"
              name = "v-\${JOB_COMPLETION_INDEX}"
              endpoint = "git@github.com:acme/other.git"
              secretEnv = "DISPAT_EXECUTION_SECRET"
              EOF
`,
    );
    const report = check({
      manifests: [{ name: 'pool.yaml', text: manifest }],
      dispatConfig: {
        name: 'dispat.toml',
        text: 'concurrency = [2, 1]\n[execution]\nrole = "orchestrator"\nsecretEnv = "S"\ntimeouts = {preflight = 600}\nworkers = [{name = "v-0", endpoint = "git@github.com:acme/mailbox.git"}]\n',
      },
    });
    expect(report.pools).toMatchObject([{ nodes: ['v-0', 'v-1', 'v-2', 'v-3'] }]);
    const messages = report.findings.map(({ rule, message }) => `${rule} ${message}`).join('\n');
    expect(messages).toMatch(/DWM101 .*nobody lists v-1, v-2, v-3/);
    expect(messages).toMatch(/DWM123 .*other.git.*mailbox.git/);
    expect(report.findings.find(({ rule }) => rule === 'DWM312')).toMatchObject({ file: 'dispat.toml', line: 1 });
  });

  test('A47: a program the image decides', () => {
    const start = documentedPoolText.indexOf('          command:');
    const end = documentedPoolText.indexOf('          env:');
    const manifest = (documentedPoolText.slice(0, start) + documentedPoolText.slice(end)).replace(
      '      annotations:\n',
      '      labels: {app.kubernetes.io/name: dispat-worker}\n      annotations:\n',
    );
    const result = checked({ manifest: edited(manifest, FS_GROUP), policyElsewhere: true });
    expect(result.ids('error')).toEqual([]);
    expect(result.ids('info')).toContain('DWM001');
    expect(result.of('DWM001').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^could not read the nodes' names: unknown to .*DWM104/),
      expect.stringMatching(/^could not read the program, which the image decides: unknown to .*DWM116.*DWM123/),
    ]);
  });
});

describe('what is left out on purpose', () => {
  const annotated = (text: string): string =>
    pool([['  namespace: release\n', `  namespace: release\n  annotations: {${text}}\n`]]);

  test('needs a reason', () => {
    const manifest = annotated(
      'dispat.dev/ignore: "DWM216, DWM611", dispat.dev/ignore-reason: "the image maps the key"',
    );
    const { report } = checked({ manifest });
    expect(report.findings.map(({ rule }) => rule)).not.toContain('DWM216');
    expect(report.ignored).toMatchObject([
      { rule: 'DWM216', ignoredBecause: 'the image maps the key' },
      { rule: 'DWM611', ignoredBecause: 'the image maps the key' },
    ]);
    expect(report.summary.ignored).toBe(2);
  });

  test('A48: is an error without one, and leaves nothing out', () => {
    const result = checked({ manifest: annotated('dispat.dev/ignore: "DWM216"') });
    expect(result.ids('error')).toEqual(['DWM000', 'DWM204', 'DWM216']);
  });

  test('must be a rule', () => {
    const result = checked({ manifest: annotated('dispat.dev/ignore: "all", dispat.dev/ignore-reason: "x"') });
    expect(result.ids('error')).toContain('DWM000');
  });

  test('can also be said for the whole check', () => {
    expect(checked({ disable: ['DWM216'] }).ids('error')).toEqual(['DWM204']);
    expect(checked({ severity: { DWM216: 'info' } }).ids('error')).toEqual(['DWM204']);
  });
});

describe('an input that cannot be checked', () => {
  test('has no pool', () => {
    expect(() =>
      checked({ manifest: 'kind: Job\nspec: {template: {spec: {containers: [{command: [make]}]}}}\n' }),
    ).toThrow(/NO_POOL/);
    expect(() => checked({ manifest: '' })).toThrow(/NO_POOL/);
  });

  test('tells everything that is wrong with it at once', () => {
    expect(() => checked({ manifest: 'a: 1\na: 2\n', config: '- x\n', workers: ['='], machineCpu: 'many' })).toThrow(
      /YAML_DUPLICATE_KEY[\s\S]*DOCUMENT_NOT_OBJECT[\s\S]*OPTION_INVALID[\s\S]*QUANTITY_INVALID/,
    );
  });
});
