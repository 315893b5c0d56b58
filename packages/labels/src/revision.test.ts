import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.js';
import { revisionOf } from './revision.js';

const SCRIPT = '#!/bin/sh\nexec /opt/run\n';

/** Runner specifications of every provider type, the JSON they must become, and its revision. */
const VECTORS: readonly (readonly [what: string, spec: unknown, json: string, revision: string])[] = [
  ['nothing', {}, '{}', '44136fa355b3'],
  [
    'a record',
    { Image: 'ghcr.io/actions/actions-runner:latest', VCPUs: 2, Memory: 4294967296 },
    '{"Image":"ghcr.io/actions/actions-runner:latest","VCPUs":2,"Memory":4294967296}',
    '6ae095ad0f58',
  ],
  [
    'escapes, a map, an unset list',
    {
      Image: 'a<b>&c\u2028d',
      Env: new Map([
        ['B', 'é😀'],
        ['A', '1'],
      ]),
      Mounts: null,
    },
    '{"Image":"a\\u003cb\\u003e\\u0026c\\u2028d","Env":{"A":"1","B":"é😀"},"Mounts":null}',
    'cd126546af34',
  ],
  [
    'dicer, defaults',
    {
      ImageRef: 'ghcr.io/actions/actions-runner:latest',
      Command: ['/home/runner/run.sh'],
      VCPUs: 2,
      Memory: 4294967296n,
      Disk: 21474836480n,
      KernelName: '',
      NetworkName: '',
      Env: null,
      Mounts: null,
    },
    '{"ImageRef":"ghcr.io/actions/actions-runner:latest","Command":["/home/runner/run.sh"],"VCPUs":2,"Memory":4294967296,"Disk":21474836480,"KernelName":"","NetworkName":"","Env":null,"Mounts":null}',
    'e9c27d469392',
  ],
  [
    'dicer, every setting',
    {
      ImageRef: 'ghcr.io/actions/actions-runner:latest',
      Command: ['/home/runner/run.sh'],
      VCPUs: 4,
      Memory: 8589934592,
      Disk: 21474836480,
      KernelName: 'vmlinux-6.12',
      NetworkName: 'isolated',
      Env: new Map([['HTTPS_PROXY', 'http://proxy:3128']]),
      Mounts: [{ Type: 'volume', Source: 'cache', Target: '/cache', ReadOnly: false }],
    },
    '{"ImageRef":"ghcr.io/actions/actions-runner:latest","Command":["/home/runner/run.sh"],"VCPUs":4,"Memory":8589934592,"Disk":21474836480,"KernelName":"vmlinux-6.12","NetworkName":"isolated","Env":{"HTTPS_PROXY":"http://proxy:3128"},"Mounts":[{"Type":"volume","Source":"cache","Target":"/cache","ReadOnly":false}]}',
    'dae34f7f0a68',
  ],
  [
    'dicer, escaped characters',
    {
      ImageRef: 'runner:1',
      Command: ['/bin/sh', '-c', 'echo a && run.sh <in >out'],
      VCPUs: 1,
      Memory: 1610612736,
      Disk: 10737418240,
      KernelName: '',
      NetworkName: '',
      Env: new Map([
        ['b', '2'],
        ['a&b', '<x>'],
        ['B', '1'],
      ]),
      Mounts: [
        { Type: 'file', Source: '/etc/ssl/ca.crt', Target: '/etc/ssl/ca.crt', ReadOnly: true },
        { Type: 'tmpfs', Source: '', Target: '/var/lib/docker', ReadOnly: false },
      ],
    },
    '{"ImageRef":"runner:1","Command":["/bin/sh","-c","echo a \\u0026\\u0026 run.sh \\u003cin \\u003eout"],"VCPUs":1,"Memory":1610612736,"Disk":10737418240,"KernelName":"","NetworkName":"","Env":{"B":"1","a\\u0026b":"\\u003cx\\u003e","b":"2"},"Mounts":[{"Type":"file","Source":"/etc/ssl/ca.crt","Target":"/etc/ssl/ca.crt","ReadOnly":true},{"Type":"tmpfs","Source":"","Target":"/var/lib/docker","ReadOnly":false}]}',
    'c3421232f5f8',
  ],
  [
    'proxmox, defaults',
    {
      Template: 9000,
      Cores: 2,
      Memory: 4294967296,
      FullClone: false,
      Storage: '',
      Pool: '',
      JITPath: '/run/rungar/jitconfig',
    },
    '{"Template":9000,"Cores":2,"Memory":4294967296,"FullClone":false,"Storage":"","Pool":"","JITPath":"/run/rungar/jitconfig"}',
    'a0895bd4f55a',
  ],
  [
    'proxmox, every setting',
    {
      Template: 9001,
      Cores: 8,
      Memory: 17179869184,
      FullClone: true,
      Storage: 'local-lvm',
      Pool: 'ci',
      JITPath: '/var/lib/rungar/jit',
    },
    '{"Template":9001,"Cores":8,"Memory":17179869184,"FullClone":true,"Storage":"local-lvm","Pool":"ci","JITPath":"/var/lib/rungar/jit"}',
    '29399a14afd0',
  ],
  [
    'gcp, one type',
    {
      MachineType: 'e2-standard-4',
      Image: 'runner-image',
      DiskSize: 53687091200,
      DiskType: 'pd-balanced',
      InstanceTemplate: undefined,
      Spot: false,
      NetworkTags: null,
      Labels: null,
      Metadata: null,
      StartupScript: SCRIPT,
    },
    '{"MachineType":"e2-standard-4","Image":"runner-image","DiskSize":53687091200,"DiskType":"pd-balanced","Spot":false,"NetworkTags":null,"Labels":null,"Metadata":null,"StartupScript":"#!/bin/sh\\nexec /opt/run\\n"}',
    'c8641158c70e',
  ],
  [
    'gcp, a list of types, spot, tags, labels and metadata',
    {
      MachineType: ['c3-standard-4', 'n2-standard-4'],
      Image: 'projects/my-ci/global/images/family/runner',
      DiskSize: 107374182400,
      DiskType: 'pd-ssd',
      Spot: true,
      NetworkTags: ['runners'],
      Labels: new Map([
        ['team', 'ci'],
        ['cost-centre', '42'],
      ]),
      Metadata: new Map([['enable-oslogin', 'true']]),
      StartupScript: '#!/bin/bash\ncd /home/runner && ./run.sh 2>&1 | tee /var/log/runner.log\n',
    },
    '{"MachineType":["c3-standard-4","n2-standard-4"],"Image":"projects/my-ci/global/images/family/runner","DiskSize":107374182400,"DiskType":"pd-ssd","Spot":true,"NetworkTags":["runners"],"Labels":{"cost-centre":"42","team":"ci"},"Metadata":{"enable-oslogin":"true"},"StartupScript":"#!/bin/bash\\ncd /home/runner \\u0026\\u0026 ./run.sh 2\\u003e\\u00261 | tee /var/log/runner.log\\n"}',
    '44dff2e18ca1',
  ],
  [
    'gcp, a template alone',
    {
      MachineType: '',
      Image: '',
      DiskSize: 0,
      DiskType: '',
      InstanceTemplate: 'runner-gpu',
      Spot: false,
      NetworkTags: null,
      Labels: null,
      Metadata: null,
      StartupScript: SCRIPT,
    },
    '{"MachineType":"","Image":"","DiskSize":0,"DiskType":"","InstanceTemplate":"runner-gpu","Spot":false,"NetworkTags":null,"Labels":null,"Metadata":null,"StartupScript":"#!/bin/sh\\nexec /opt/run\\n"}',
    'fddb37fab6ce',
  ],
  [
    'aws, one type',
    {
      InstanceType: 'm7i.xlarge',
      Image: 'ami-0a1b2c3d4e5f60718',
      DiskSize: 53687091200,
      DiskType: 'gp3',
      Spot: false,
      Tags: null,
      UserData: SCRIPT,
    },
    '{"InstanceType":"m7i.xlarge","Image":"ami-0a1b2c3d4e5f60718","DiskSize":53687091200,"DiskType":"gp3","Spot":false,"Tags":null,"UserData":"#!/bin/sh\\nexec /opt/run\\n"}',
    'a77297f56884',
  ],
  [
    'aws, two types, a faster disk, spot and tags',
    {
      InstanceType: ['m7i.xlarge', 'm6i.xlarge'],
      Image: 'ami-0a1b2c3d4e5f60718',
      DiskSize: 107374182400n,
      DiskType: 'gp3',
      DiskIOPS: 6000,
      DiskThroughput: 500,
      LaunchTemplate: undefined,
      Spot: true,
      Tags: new Map([
        ['team', 'ci'],
        ['Owner', 'R&D <build>'],
      ]),
      UserData: '#!/bin/bash\ncd /home/runner && ./run.sh\n',
    },
    '{"InstanceType":["m7i.xlarge","m6i.xlarge"],"Image":"ami-0a1b2c3d4e5f60718","DiskSize":107374182400,"DiskType":"gp3","DiskIOPS":6000,"DiskThroughput":500,"Spot":true,"Tags":{"Owner":"R\\u0026D \\u003cbuild\\u003e","team":"ci"},"UserData":"#!/bin/bash\\ncd /home/runner \\u0026\\u0026 ./run.sh\\n"}',
    '9df4cd5aaa38',
  ],
  [
    'aws, a template alone',
    {
      InstanceType: '',
      Image: '',
      DiskSize: 0,
      DiskType: '',
      LaunchTemplate: 'runner-gpu:$Latest',
      Spot: false,
      Tags: null,
      UserData: SCRIPT,
    },
    '{"InstanceType":"","Image":"","DiskSize":0,"DiskType":"","LaunchTemplate":"runner-gpu:$Latest","Spot":false,"Tags":null,"UserData":"#!/bin/sh\\nexec /opt/run\\n"}',
    'f2b0cf2119a8',
  ],
];

describe.each(VECTORS)('%s', (_, spec, json, revision) => {
  test('has its JSON', () => {
    expect(canonicalJson(spec)).toBe(json);
  });

  test('has its revision', () => {
    expect(revisionOf(spec)).toBe(revision);
  });

  test('the written-out revision is the hash of the written-out JSON', () => {
    expect(createHash('sha256').update(json).digest('hex').slice(0, 12)).toBe(revision);
  });
});

test('unset, empty and filled are three revisions', () => {
  const revisions = [null, new Map(), new Map([['a', '']])].map((Tags) => revisionOf({ Tags }));
  expect(new Set(revisions).size).toBe(3);
});
