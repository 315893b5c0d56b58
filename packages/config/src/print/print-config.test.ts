import { awsType } from '@rungar/providers/aws';
import { describe, expect, test } from 'vitest';
import { boxType } from '../../test/box-type.js';
import { checked } from '../../test/checked.js';
import { printConfig } from './print-config.js';

const types = [boxType, awsType];

/** The revisions of a `box` are its blocks in clear. */
function withoutRevisions(printed: string): string {
  return printed.replace(/(revision"?:) .*$/gm, '$1 R');
}

const FINE = `# ours
github:
  url: https://github.com/acme
  app_client_id: Iv1.0123456789abcdef
  app_installation_id: 4242
  app_private_key: |
    -----BEGIN RSA PRIVATE KEY-----
    MIIB
    -----END RSA PRIVATE KEY-----
providers:
  - &host
    name: host1
    type: box
    address: 10.0.0.1:7443
    password: hunter2
    runner: &runner
      image: registry.example.com/runner:2 # with tools
      env: {A: "1", B: 0x10, C: null}
  - <<: *host
    name: host2
    address: 10.0.0.2:7443
    weight: 1.5
    max_runners: 8
    disabled: yes
    runner: {}
scale_sets:
  - name: linux-small
    labels: [gpu, Linux-Small, GPU]
    max_runners: 12
    placement: pack
    priority: -2
    max_age: 36h
    paused: on
    schedule:
      timezone: Europe/Vilnius
      windows:
        - {days: [fri-mon, wed], from: 22:00, to: 06:00, min_runners: 4}
        - {days: sun-sat, from: 09:30, to: 24:00}
    providers:
      - host1
      - name: host2
        runner:
          <<: *runner
          cpus: 2
  - {name: bare, max_runners: 1, schedule: {}, providers: [host1, {name: host2, runner: {image: i}}]}
`;
const PRINTED = `version: 1
github:
  url: https://github.com/acme
  app_client_id: Iv1.0123456789abcdef
  app_installation_id: 4242
  app_private_key: REDACTED
installation: gh-47a00949ae7d
providers:
  - name: host1
    type: box
    weight: 1
    address: "10.0.0.1:7443"
    password: REDACTED
    runner:
      image: registry.example.com/runner:2
      env:
        A: "1"
        B: 0x10
        C: null
  - name: host2
    type: box
    weight: 1.5
    max_runners: 8
    disabled: true
    address: "10.0.0.2:7443"
    password: REDACTED
scale_sets:
  - name: linux-small
    labels:
      - gpu
    runner_group: Default
    min_runners: 0
    max_runners: 12
    schedule:
      timezone: Europe/Vilnius
      windows:
        - days: [mon, wed, fri-sun]
          from: "22:00"
          to: "06:00"
          min_runners: 4
        - days: [mon-sun]
          from: "09:30"
          to: "24:00"
          min_runners: 0
    priority: -2
    providers:
      - name: host1
      - name: host2
        runner:
          cpus: 2
          image: registry.example.com/runner:2
          env:
            A: "1"
            B: 0x10
            C: null
    placement: pack
    start_timeout: 5m0s
    max_age: 36h0m0s
    paused: true
  - name: bare
    runner_group: Default
    min_runners: 0
    max_runners: 1
    providers:
      - name: host1
      - name: host2
        runner:
          image: i
    placement: spread
    start_timeout: 5m0s
reconcile_interval: 30s
metrics:
  enable: false
  listen: "127.0.0.1:9102"
events:
  file: /var/log/rungar/events.jsonl
  max_count: 10000
socket: /run/rungar/rungar.sock
log_level: info
log_format: text
`;

describe('a printed configuration', () => {
  test('has every default, the keys in their order, and neither anchors, comments nor secrets', () => {
    expect(printConfig(checked(FINE, types))).toBe(PRINTED);
  });

  test('loads again, and printing that gives the same text', () => {
    expect(printConfig(checked(PRINTED, types))).toBe(PRINTED);
  });

  test('means the same: every runner keeps its revision', () => {
    const revisions = (text: string): unknown =>
      checked(text, types).settings.scaleSets.map(({ providers }) => providers.map(({ revision }) => revision));
    expect(revisions(PRINTED)).toEqual(revisions(FINE));
  });

  test('keeps what clears a block, and leaves out what says nothing', () => {
    const text = `
version: 1
github: {url: https://github.com/acme/site, token: ghs_x}
providers: [{name: p, type: box, address: a, runner: null}]
scale_sets: [{name: s, max_runners: 1, labels: [], providers: [{name: p, runner: {image: i, env: null, cpus: ~}}]}]
metrics: {enable: true, listen: "[::1]:9102"}
events: {max_age: 72h, max_count: 0}
`;
    const printed = printConfig(checked(text, types));
    expect(printed).toContain(`
github:
  url: https://github.com/acme/site
  token: REDACTED
`);
    expect(printed).toContain(`
      - name: p
        runner:
          image: i
          env: null
          cpus: null
`);
    expect(printed).toContain('\n  listen: "[::1]:9102"\n');
    expect(printed).toContain('\n  max_count: 10000\n  max_age: 72h0m0s\n');
    expect(printed).not.toContain('labels');
    expect(printConfig(checked(printed, types))).toBe(printed);
  });

  test('keeps a null that clears the whole block of the provider', () => {
    const text = `
version: 1
github: {url: https://github.com/acme, token_path: /t}
providers: [{name: p, type: plain, runner: {image: i}}]
scale_sets: [{name: s, max_runners: 1, providers: [{name: p, runner: null}]}]
`;
    const plain = {
      ...boxType,
      type: 'plain',
      configure: (...[, , sink]: Parameters<typeof boxType.configure>) => ({
        ...boxType.configure({ kind: 'map', entries: [], place: { file: 'f', line: 1, column: 1 } }, '', {
          add: () => sink,
        }),
        endpoint: 'plain',
        secretFiles: [],
        effective: {},
        parseRunner: (block: unknown) => ({
          spec: undefined as never,
          revision: block === undefined ? 'cleared' : 'set',
          size: 's',
        }),
        checkRunnerName: () => undefined,
        async checkFiles() {},
        async open(): Promise<never> {
          throw new Error('it has nothing to open');
        },
      }),
    };
    const printed = printConfig(checked(text, [plain]));
    expect(printed).toContain('      - name: p\n        runner: null\n');
    expect(checked(printed, [plain]).settings.scaleSets[0]?.providers[0]?.revision).toBe('cleared');
  });

  test('says that there are no scale sets', () => {
    const text =
      'version: 1\ngithub: {url: https://github.com/acme, token: x}\nproviders: [{name: p, type: box, address: a}]\n';
    expect(printConfig(checked(text, types))).toContain('\nscale_sets: []\n');
  });
});

const SECRETIVE = `version: 1
github: {url: https://github.com/acme, token: ghs_inline}
providers:
  - name: p
    type: aws
    region: eu-central-1
    subnets: [subnet-0a1b2c3d]
    runner:
      instance_type: m7i.large
      image: ami-0a1b2c3d
      tags: {team: builds}
      user_data: |
        #!/bin/sh
        export DB_PASSWORD=hunter2
        exec ./run.sh
  - {name: q, type: box, address: a, runner: {image: i, env: {DB_PASSWORD: hunter2, LEVEL: 3, PIN_TOKEN: 12345678}}}
scale_sets:
  - {name: s, max_runners: 1, providers: [p, {name: q, runner: {env: {API_KEY: hunter3}}}]}
`;

describe('what looks like a credential', () => {
  test.each(['hunter2', 'hunter3', '12345678', 'ghs_inline'])('%s is nowhere in what is printed', (secret) => {
    for (const as of ['yaml', 'json'] as const) {
      const printed = printConfig(checked(SECRETIVE, types), { as, effective: true });
      expect(withoutRevisions(printed)).not.toContain(secret);
    }
  });

  test('leaves what stands around it', () => {
    const printed = printConfig(checked(SECRETIVE, types));
    expect(printed).toContain(
      '      user_data: |\n        #!/bin/sh\n        export REDACTED\n        exec ./run.sh\n',
    );
    expect(printed).toContain('        DB_PASSWORD: REDACTED\n        LEVEL: 3\n        PIN_TOKEN: REDACTED\n');
    expect(printConfig(checked(printed, types))).toBe(printed);
  });

  test('is shown on request, but no secret of the configuration itself', () => {
    const printed = printConfig(checked(SECRETIVE, types), { showValues: true, effective: true });
    for (const shown of [
      'export DB_PASSWORD=hunter2',
      'DB_PASSWORD: hunter2',
      'API_KEY: hunter3',
      'PIN_TOKEN: 12345678',
    ]) {
      expect(printed).toContain(shown);
    }
    expect(printed).not.toContain('ghs_inline');
  });
});

describe('with what is effective', () => {
  test('a list says what each runner is in the end, defaults and cleared keys included', () => {
    const text = `
version: 1
github: {url: https://github.com/acme, token: x}
providers:
  - {name: p, type: box, address: a, runner: {image: i, cpus: 4, env: {A: 1}}}
  - name: q
    type: aws
    region: eu-central-1
    subnets: [subnet-0a1b2c3d]
    runner: {instance_type: [m7i.large], image: ami-0a1b2c3d, user_data: "#!/bin/sh\\nexec run\\n"}
scale_sets:
  - {name: s, max_runners: 1, providers: [{name: p, runner: {cpus: null, env: {B: 2}}}, q]}
`;
    const printed = printConfig(checked(text, types), { effective: true });
    expect(withoutRevisions(printed.slice(printed.indexOf('effective:')))).toBe(`effective:
  - scale_set: s
    provider: p
    endpoint: box:a
    size: "1 CPU"
    revision: R
    runner:
      image: i
      env:
        A: 1
        B: 2
  - scale_set: s
    provider: q
    endpoint: aws:eu-central-1
    size: m7i.large
    revision: R
    runner:
      instance_type: m7i.large
      image: ami-0a1b2c3d
      disk_size: 50GiB
      disk_type: gp3
      spot: false
      user_data: |
        #!/bin/sh
        exec run
`);
  });
});

test('as JSON it has the same keys, with numbers and booleans as such', () => {
  const { scale_sets: scaleSets, ...rest } = JSON.parse(printConfig(checked(FINE, types), { as: 'json' }));
  expect(rest).toMatchObject({
    version: 1,
    github: { app_installation_id: 4242, app_private_key: 'REDACTED' },
    providers: [
      { name: 'host1', weight: 1, runner: { env: { A: '1', B: '0x10', C: null } } },
      { name: 'host2', weight: 1.5, disabled: true },
    ],
    metrics: { enable: false },
    reconcile_interval: '30s',
  });
  expect(scaleSets[0].schedule.windows[0]).toEqual({
    days: ['mon', 'wed', 'fri-sun'],
    from: '22:00',
    to: '06:00',
    min_runners: 4,
  });
});
