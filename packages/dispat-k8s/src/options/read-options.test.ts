import { describe, expect, test } from 'vitest';
import { MINIMAL } from '../../test/documented.js';
import { allProblemsOf, noticesOf, problemsOf } from '../../test/problems.js';
import { isInputError } from '../problems.js';
import { readPoolOptions } from './read-options.js';
import { OPTIONS, type PoolInput } from './table.js';

const POLICY: PoolInput = { ...MINIMAL, policyKind: 'standard', egress: ['192.0.2.0/24:22'] };

const codesOf = (more: Readonly<Record<string, unknown>>): string[] =>
  problemsOf({ ...MINIMAL, ...more }).map(({ code }) => code);
const noticeOf = (more: PoolInput): string[] =>
  noticesOf({ ...MINIMAL, ...more })
    .filter(({ at }) => at !== 'policyKind')
    .map(({ code, severity, at }) => `${severity} ${code} ${at}`);
const textOf = (more: Readonly<Record<string, unknown>>): string => JSON.stringify(problemsOf({ ...MINIMAL, ...more }));

describe('defaults', () => {
  test('are the documented ones', () => {
    expect(readPoolOptions({ flags: MINIMAL }).options).toMatchObject({
      variation: 'job',
      name: 'dispat-workers',
      pools: [
        {
          name: 'dispat-workers',
          objectName: 'dispat-workers',
          prefix: 'w-',
          count: 4,
          platform: { os: 'linux', arch: 'amd64' },
        },
      ],
      namespace: 'release',
      createNamespace: true,
      mailbox: 'endpoint',
      cpu: '7',
      memory: '24Gi',
      concurrency: 1,
      idleTimeout: 900,
      preflight: 600,
      taskTimeout: 3600,
      cancel: 60,
      gracePeriod: 3600,
      ttl: 600,
      failureScope: 'job',
      secretEnv: 'DISPAT_EXECUTION_SECRET',
      secretName: 'dispat-execution',
      secretKey: 'secret',
      ssh: { secret: 'mailbox-deploy-key', keyFile: 'id_ed25519', mount: '/home/worker/.ssh', mode: 256 },
      user: { uid: 1001, gid: 1001, fsGroup: 1001 },
      home: '/home/worker',
      workDir: '/work',
      stateDir: '/state',
      storage: '50Gi',
      podSecurity: 'restricted',
      extras: true,
      karpenter: true,
      pdb: false,
      script: 'safe',
      init: 'none',
      logFormat: 'json',
    });
  });

  test('every default of the table is one that may be written', () => {
    for (const [key, row] of Object.entries(OPTIONS)) {
      if (!('default' in row)) continue;
      const found = allProblemsOf({ flags: { ...MINIMAL, [key]: row.default } }).filter(
        ({ at, severity }) => at === key && severity === 'error',
      );
      // The policy's default asks for egress, which is another option.
      expect({ key, found }).toEqual({ key, found: [] });
    }
  });
});

describe('sources', () => {
  test('a flag overrides the file, the file overrides the default', () => {
    const file = { name: 'pool.yaml', text: 'endpoint: git@h:r\nimage: x:1\npolicyKind: none\ncount: 7\nttl: 700\n' };
    const { options } = readPoolOptions({ file, flags: { ttl: '800' } });
    expect([options.pools[0].count, options.ttl, options.cancel]).toEqual([7, 800, 60]);
  });

  test('JSON is read as YAML is', () => {
    const text = JSON.stringify({ $schema: 'options.schema.json', ...MINIMAL, sshMode: '0440' });
    expect(readPoolOptions({ file: { name: 'pool.json', text } }).options.ssh?.mode).toBe(0o440);
  });

  test('texts keep their spelling: a run id of 1e3 is no number', () => {
    const file = {
      name: 'pool.yaml',
      text: 'endpoint: git@h:r\nimage: x:1\npolicyKind: none\nrunId: 1e3\nsshMode: 0400\n',
    };
    const { options } = readPoolOptions({ file });
    expect([options.runId, options.ssh?.mode]).toEqual(['1e3', 256]);
  });

  test.each([
    [
      'a key twice',
      'endpoint: git@h:r\nendpoint: git@h:s\nimage: x:1\negress: [192.0.2.0/24:22]\n',
      'YAML_DUPLICATE_KEY',
    ],
    ['what is no YAML', '"endpoint: git@h:r\n', 'YAML_INVALID'],
    ['a list', '- endpoint: git@h:r\n', 'DOCUMENT_NOT_OBJECT'],
  ])('a file with %s is not said to lack what it may say', (_, text, code) => {
    const problems = allProblemsOf({ file: { name: 'pool.yaml', text }, flags: { count: '0' } });
    expect(problems.map((problem) => problem.code)).toEqual([code, 'COUNT_INVALID']);
  });

  test('every problem of a file has its place, and all are told at once', () => {
    const text = [
      'endpoint: http://h/r',
      'image: x:1',
      'cuont: 4',
      'policyKind: none',
      'ttl: -1',
      'preflight: 10m',
      '',
    ].join('\n');
    expect(
      allProblemsOf({ file: { name: 'pool.yaml', text } })
        .filter(({ severity }) => severity === 'error')
        .map(({ code, at, place, fix }) => [code, at, place && `${place.file}:${place.line}:${place.column}`, fix]),
    ).toEqual([
      ['CONFIG_UNKNOWN_KEY', 'cuont', 'pool.yaml:3:1', 'did you mean count?'],
      ['DURATION_INVALID', 'ttl', 'pool.yaml:5:6', 'write 600, or leave it out'],
      ['DURATION_INVALID', 'preflight', 'pool.yaml:6:12', 'write 600, or leave it out'],
      ['ENDPOINT_INVALID', 'endpoint', 'pool.yaml:1:11', expect.any(String)],
    ]);
  });

  test.each([
    ['a: 1\na: 2\n', 'YAML_DUPLICATE_KEY'],
    ['a: [\n', 'YAML_INVALID'],
    ['- a\n', 'DOCUMENT_NOT_OBJECT'],
  ])('%j is %s', (text, code) => {
    expect(allProblemsOf({ file: { name: 'pool.yaml', text } })[0]).toMatchObject({
      code,
      place: { file: 'pool.yaml' },
    });
  });

  test('an error is an InputError with a line for each problem', () => {
    try {
      readPoolOptions({ flags: { ...MINIMAL, image: 'X', name: 'Y' } });
      expect.unreachable();
    } catch (error) {
      expect(isInputError(error)).toBe(true);
      expect((error as Error).message.split('\n')).toHaveLength(2);
    }
  });
});

describe('what is refused', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['A05: a grace period below the task timeout', { taskTimeout: 7200, gracePeriod: 600 }, 'GRACE_TOO_SHORT'],
    ['A07: an idle timeout for a StatefulSet', { variation: 'statefulset', idleTimeout: 900 }, 'IDLE_FOR_STATEFULSET'],
    ['A07: none for a Job', { idleTimeout: 0 }, 'IDLE_ZERO_FOR_JOB'],
    ['A09: a password in the endpoint', { endpoint: 'https://user:tok@h/r.git' }, 'ENDPOINT_INVALID'],
    ['A11: a command in the endpoint', { endpoint: 'git@h:$(id)`x`.git' }, 'ENDPOINT_INVALID'],
    ['A12: a prefix with two dots', { prefix: 'w..' }, 'PREFIX_INVALID'],
    ['A12: a prefix with a slash', { prefix: 'w/' }, 'PREFIX_INVALID'],
    ['A12: a prefix with a blank', { prefix: 'w ' }, 'PREFIX_INVALID'],
    ['A12: an empty prefix', { prefix: '' }, 'PREFIX_INVALID'],
    ['a prefix that a command line takes for a flag', { prefix: '-w-' }, 'PREFIX_INVALID'],
    ['a bare prefix', { prefix: 'w1' }, 'PREFIX_INVALID'],
    ['a prefix too long for the file of a branch', { prefix: `${'w'.repeat(184)}-` }, 'PREFIX_INVALID'],
    ['one too long for ten indexes', { prefix: `${'w'.repeat(183)}-`, count: 11 }, 'PREFIX_INVALID'],
    ['A14: a mode without its zero', { sshMode: '400' }, 'MODE_AMBIGUOUS'],
    ['A14: a mode as a number', { sshMode: 256 }, 'MODE_AMBIGUOUS'],
    ['another mode', { sshMode: '0600' }, 'OPTION_INVALID'],
    ['A17: a credential as text', { env: ['NPM_TOKEN=abc'] }, 'SECRET_LITERAL'],
    ['A18: a limit per index on an older cluster', { failureScope: 'index', kube: '1.27' }, 'FEATURE_NEEDS_KUBE'],
    ['A19: a namespace of others', { namespace: 'default' }, 'NAMESPACE_SHARED'],
    ['a namespace of the system', { namespace: 'kube-system' }, 'NAMESPACE_SHARED'],
    ['a namespace that is no label', { namespace: 'Release' }, 'NAME_INVALID'],
    ['a name that is no label', { name: 'dispat_workers' }, 'NAME_INVALID'],
    ['no worker', { count: 0 }, 'COUNT_INVALID'],
    ['too many workers', { count: 1001 }, 'COUNT_INVALID'],
    ['a number with a fraction', { count: '1.5' }, 'COUNT_INVALID'],
    ['another operating system', { platform: ['windows/amd64'] }, 'PLATFORM_INVALID'],
    ['an architecture nobody knows', { platform: ['linux/x86_64'] }, 'PLATFORM_INVALID'],
    ['one platform twice', { platform: ['linux/amd64=1', 'linux/amd64=2'] }, 'POOLS_OVERLAP'],
    ['a platform of none', { platform: ['linux/amd64=0'] }, 'COUNT_INVALID'],
    ['a run id with a dot', { runId: '1.2' }, 'RUN_ID_INVALID'],
    ['a run id from a variable that is not set', { runIdFrom: '' }, 'RUN_ID_INVALID'],
    ['a run id of 21 characters', { runId: 'a'.repeat(21) }, 'RUN_ID_INVALID'],
    ['a name per run without a run', { namePerRun: true }, 'OPTIONS_CONFLICT'],
    ['an image that is none', { image: 'Registry/Worker' }, 'OPTION_INVALID'],
    ['a quantity of nothing', { cpu: '0' }, 'QUANTITY_INVALID'],
    ['a quantity of another unit', { memory: '24GB' }, 'QUANTITY_INVALID'],
    ['a negative quantity', { cpu: '-1' }, 'QUANTITY_INVALID'],
    ['a pod larger than its machine', { cpu: '9', machineCpu: '8' }, 'OPTIONS_CONFLICT'],
    ['a limit below its request', { cpuLimit: '2' }, 'OPTIONS_CONFLICT'],
    ['a variable that is none', { secretEnv: '1X' }, 'OPTION_INVALID'],
    ['a variable of the pod', { secretEnv: 'JOB_COMPLETION_INDEX' }, 'ENV_RESERVED'],
    ['an extra variable of ours', { env: { DWM_HEAD: 'x' } }, 'ENV_RESERVED'],
    ['the index as an extra variable', { env: { JOB_COMPLETION_INDEX: '1' } }, 'ENV_RESERVED'],
    ['the secret as an extra variable', { env: { DISPAT_EXECUTION_SECRET: 'x' } }, 'ENV_RESERVED'],
    ['a Secret nobody listed', { envFromSecret: { NPM_TOKEN: 'release/npm' } }, 'OPTION_INVALID'],
    ['a reference without a key', { envFromSecret: { NPM_TOKEN: 'release' } }, 'OPTION_INVALID'],
    ['a folder of the host', { volumes: [{ name: 'v', hostPath: { path: '/' } }] }, 'MOUNT_FORBIDDEN'],
    ['a volume of our name', { volumes: [{ name: 'work', emptyDir: {} }] }, 'NAME_INVALID'],
    [
      'a token of the cluster',
      { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
      'MOUNT_FORBIDDEN',
    ],
    [
      'a Secret in a projected volume',
      { volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 'release' } }] } }] },
      'OPTION_INVALID',
    ],
    [
      'a mount inside the work folder',
      { volumes: [{ name: 'v', emptyDir: {} }], volumeMounts: [{ name: 'v', mountPath: '/work/cache' }] },
      'MOUNT_FORBIDDEN',
    ],
    [
      'a mount over the key',
      { volumes: [{ name: 'v', emptyDir: {} }], volumeMounts: [{ name: 'v', mountPath: '/home/worker/.ssh/' }] },
      'MOUNT_FORBIDDEN',
    ],
    [
      'a mount inside the work folder, written otherwise',
      { volumes: [{ name: 'v', emptyDir: {} }], volumeMounts: [{ name: 'v', mountPath: '//work/./cache' }] },
      'MOUNT_FORBIDDEN',
    ],
    ['a mount of no volume', { volumeMounts: [{ name: 'v', mountPath: '/cache' }] }, 'MOUNT_FORBIDDEN'],
    ['a policy without destinations', { policyKind: 'standard' }, 'EGRESS_MISSING'],
    ['a name in the standard policy', { policyKind: 'standard', egress: ['github.com:22'] }, 'EGRESS_INVALID'],
    ['an address without a length', { policyKind: 'standard', egress: ['192.0.2.7'] }, 'EGRESS_INVALID'],
    ['a range that is none', { policyKind: 'standard', egress: ['192.0.2.0/33'] }, 'EGRESS_INVALID'],
    ['a port that is none', { policyKind: 'standard', egress: ['192.0.2.0/24:70000'] }, 'EGRESS_INVALID'],
    ['a DNS server that is no range', { dnsCidr: ['169.254.20.10'] }, 'EGRESS_INVALID'],
    ['a work folder that is the root', { workDir: '/' }, 'OPTION_INVALID'],
    ['a work folder that goes up', { workDir: '/a/../b' }, 'OPTION_INVALID'],
    ['a relative work folder', { workDir: 'work' }, 'OPTION_INVALID'],
    ['a state folder in the work folder', { stateDir: '/work/state' }, 'OPTIONS_CONFLICT'],
    ['one folder for both', { stateDir: '/work' }, 'OPTIONS_CONFLICT'],
    ['the key in the work folder', { sshMount: '/work/.ssh' }, 'MOUNT_FORBIDDEN'],
    ['ssh without a key', { sshSecret: 'none' }, 'OPTIONS_CONFLICT'],
    ['a token for an ssh mailbox', { gitCredentialSecret: 'token' }, 'OPTIONS_CONFLICT'],
    ['a key file that leaves its folder', { sshKeyFile: '..' }, 'OPTION_INVALID'],
    ['root as the user', { runAsUser: 0 }, 'OPTION_INVALID'],
    ['a user beside OpenShift', { openshift: true, runAsUser: 5 }, 'OPTIONS_CONFLICT'],
    ['an identity that is none', { gitIdentity: 'me' }, 'OPTION_INVALID'],
    ['the architecture as a selector', { nodeSelector: { 'kubernetes.io/arch': 'arm64' } }, 'OPTIONS_CONFLICT'],
    ['a toleration that is none', { tolerations: ['a:Never'] }, 'OPTION_INVALID'],
    ['replicas for a Job', { replicas: 4 }, 'OPTIONS_CONFLICT'],
    ['a claim for a Job', { storage: '80Gi' }, 'OPTIONS_CONFLICT'],
    ["a claim's class for a Job", { storageClass: 'fast' }, 'OPTIONS_CONFLICT'],
    ['a time to live for a StatefulSet', { variation: 'statefulset', ttl: 60 }, 'OPTIONS_CONFLICT'],
    ['other replicas than workers', { variation: 'statefulset', replicas: 3 }, 'OPTIONS_CONFLICT'],
    ['a limit per index for a StatefulSet', { variation: 'statefulset', failureScope: 'index' }, 'OPTIONS_CONFLICT'],
    [
      'a policy without labels to find pods by',
      { policyKind: 'standard', egress: ['192.0.2.0/24:22'], extras: false },
      'OPTIONS_CONFLICT',
    ],
    ['an unknown ceiling', { transfer: { maxFile: 1 } }, 'CONFIG_UNKNOWN_KEY'],
    ['a ceiling of nothing', { transfer: { maxFiles: 0 } }, 'OPTION_INVALID'],
    ['a cluster version that is none', { kube: 'new' }, 'KUBE_VERSION_INVALID'],
    [
      'a bracket in the documented script',
      { endpoint: 'ssh://git@[2001:db8:0:0:0:0:0:1]/r', script: 'documented' },
      'HEREDOC_UNSAFE',
    ],
  ])('%s', (_, more, code) => expect(codesOf(more)).toEqual([code]));

  test('A11: a command in the endpoint, in the documented script too', () => {
    expect(codesOf({ endpoint: 'git@h:$(id)`x`.git', script: 'documented' })).toEqual([
      'ENDPOINT_INVALID',
      'HEREDOC_UNSAFE',
    ]);
  });

  test('the endpoint and the image, when they are missing', () => {
    expect(problemsOf({ policyKind: 'none' }).map(({ code, at }) => [code, at])).toEqual([
      ['ENDPOINT_MISSING', 'endpoint'],
      ['OPTION_MISSING', 'image'],
    ]);
  });

  test('A09, A17: no secret is in what is said', () => {
    expect(textOf({ endpoint: 'https://user:tok@h/r.git' })).not.toContain('tok');
    expect(textOf({ env: ['NPM_TOKEN=abc'] })).not.toContain('abc');
  });

  test.each([
    [62, 4, 'at most 61'],
    [62, 11, 'at most 60'],
  ])('A13: a name of %i characters for %i workers is too long', (length, count, allowed) => {
    const [problem] = problemsOf({ ...MINIMAL, name: 'a'.repeat(length), count });
    expect(problem).toMatchObject({ code: 'NAME_TOO_LONG', found: expect.stringContaining(`${length} characters`) });
    expect(problem?.allowed).toContain(allowed);
  });

  test('every problem says what was found, what is allowed and how to put it right', () => {
    for (const problem of problemsOf({
      ...MINIMAL,
      image: 'X',
      count: 0,
      env: { DWM_X: '' },
      sshMode: '4',
      nodeSelector: { '/': 'x' },
    })) {
      expect(Object.values(problem).every((part) => part !== '')).toBe(true);
    }
  });
});

describe('what is accepted', () => {
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['A12: a prefix that ends in an underscore', { prefix: 'W_' }],
    // dispat-worker-, the name, -20260820-snapshot-, 32 digits and git's own .lock: 255.
    ['the longest prefix git has room for', { prefix: `${'w'.repeat(183)}-` }],
    ['A12: a prefix that ends in a dot', { prefix: 'w.' }],
    ['A12: a prefix with hyphens', { prefix: 'build-a-' }],
    ['a bare prefix when asked for', { prefix: 'w', allowBarePrefix: true }],
    ['A13: a name of 61 characters for 4 workers', { name: 'a'.repeat(61) }],
    ['A10: a mailbox over https without a key', { endpoint: 'https://h/r.git' }],
    ['A10: a mailbox in a folder', { endpoint: '/srv/m.git', sshSecret: 'none' }],
    ['a mode with 0o', { sshMode: '0o444' }],
    ['a limit per index on a newer cluster', { failureScope: 'index', kube: 'v1.29.3-gke.100' }],
    ['an image with a digest and a port', { image: `localhost:5000/a/b@sha256:${'0'.repeat(64)}` }],
    ['a quantity with a fraction', { cpu: '0.5', memory: '1.5Gi' }],
    ['a variable from a listed Secret', { envFromSecret: { NPM_TOKEN: 'npm/read' }, buildSecrets: ['npm'] }],
    ['a toleration as a mapping', { tolerations: [{ key: 'a', operator: 'Exists' }] }],
    ['a toleration as JSON text', { tolerations: ['{"key":"a","operator":"Exists"}'] }],
    ['no identity', { gitIdentity: 'none' }],
  ])('%s', (_, more) => expect(codesOf(more)).toEqual([]));
});

describe('what is only said', () => {
  test.each<[string, PoolInput, string[]]>([
    ['nothing of the defaults', {}, []],
    ['an image without a tag', { image: 'x' }, ['warning IMAGE_FLOATING image']],
    ['an image of the day', { image: 'x:latest' }, ['warning IMAGE_FLOATING image']],
    ['fifty workers are not many', { count: 50 }, []],
    ['fifty-one are', { count: 51 }, ['warning OPTION_QUESTIONABLE count']],
    ['a limit on the CPU', { cpuLimit: '8' }, ['warning OPTION_QUESTIONABLE cpuLimit']],
    ['two tasks on a whole machine', { concurrency: 2, cpu: '4' }, ['warning OPTION_QUESTIONABLE concurrency']],
    ['two tasks on a part of one', { concurrency: 2, cpu: '3' }, []],
    [
      'four tasks on a small part of a large one',
      { concurrency: 4, cpu: '16', machineCpu: '32' },
      ['warning OPTION_QUESTIONABLE concurrency'],
    ],
    ['several pods on one machine', { cpu: '3', machineCpu: '8' }, ['warning OPTION_QUESTIONABLE cpu']],
    ['half a machine is one pod on it', { cpu: '4', machineCpu: '8' }, []],
    ['workers that leave before the last one came', { idleTimeout: 599 }, ['warning OPTION_QUESTIONABLE idleTimeout']],
    ['as long as the preflight is enough', { idleTimeout: 600 }, []],
    ['logs that are gone within a minute', { ttl: 59 }, ['warning OPTION_QUESTIONABLE ttl']],
    ['a minute is enough', { ttl: 60 }, []],
    [
      'machines that may be taken away, asked for',
      { nodeSelector: { 'karpenter.sh/capacity-type': 'spot' } },
      ['warning OPTION_QUESTIONABLE nodeSelector'],
    ],
    ['the others, asked for', { nodeSelector: { 'karpenter.sh/capacity-type': 'on-demand' } }, []],
    [
      'machines that may be taken away, permitted',
      { tolerations: ['cloud.google.com/gke-spot=true:NoSchedule'] },
      ['warning OPTION_QUESTIONABLE tolerations'],
    ],
    ['a key nobody can read', { podSecurity: 'documented' }, ['warning OPTION_QUESTIONABLE podSecurity']],
    ['a key everybody can read', { podSecurity: 'documented', sshMode: '0444' }, []],
    ['a name that begins with another', { prefix: 'w-', platform: ['linux/386=1', 'linux/arm=1'] }, []],
  ])('%s', (_, more, want) => expect(noticeOf(more)).toEqual(want));

  test('no policy, a policy open to all, one that forgets the Git host', () => {
    const said = (input: PoolInput): string[] => noticesOf(input).map(({ at, found }) => `${at}: ${found}`);
    expect(said(MINIMAL)).toEqual(['policyKind: none']);
    expect(said(POLICY)).toEqual([]);
    expect(said({ ...POLICY, egress: ['0.0.0.0/0:22'] })).toEqual(['egress: 0.0.0.0/0']);
    expect(said({ ...POLICY, egress: ['192.0.2.0/24:443'] })).toEqual(['egress: nothing for port 22']);
    expect(said({ ...POLICY, egress: ['192.0.2.0/24'] })).toEqual([]);
  });
});

describe('a run id made from a version', () => {
  const runIdOf = (runIdFrom: string): string | undefined =>
    readPoolOptions({ flags: { ...MINIMAL, runIdFrom } }).options.runId;

  test('keeps what names allow and adds a hash', () => {
    // printf 1.2.3+build | sha256sum
    expect(runIdOf('1.2.3+build')).toBe('123buildc0cd83');
    expect(runIdOf('1.2.3+build')).not.toBe(runIdOf('1.2.3-build'));
    expect(runIdOf('...')).toMatch(/^[0-9a-f]{6}$/);
    expect(runIdOf('x'.repeat(99))).toMatch(/^x{14}[0-9a-f]{6}$/);
  });
});

describe('a run id by flag', () => {
  const runIdOf = (file: PoolInput, flags: PoolInput): string | undefined =>
    readPoolOptions({
      file: { name: 'pool.yaml', text: JSON.stringify({ ...MINIMAL, ...file }) },
      flags: { ...flags },
    }).options.runId;

  test('stands in place of the one in the file, however either is told', () => {
    expect(runIdOf({ runIdFrom: '1.2.3+build' }, { runId: 'r7' })).toBe('r7');
    expect(runIdOf({ runId: 'r7' }, { runIdFrom: '1.2.3+build' })).toBe('123buildc0cd83');
    expect(runIdOf({ runId: 'r7' }, {})).toBe('r7');
    expect(() => runIdOf({}, { runId: 'r7', runIdFrom: '1' })).toThrow(/OPTIONS_CONFLICT/);
    expect(() => runIdOf({ runId: 'r7', runIdFrom: '1' }, {})).toThrow(/OPTIONS_CONFLICT/);
  });
});
