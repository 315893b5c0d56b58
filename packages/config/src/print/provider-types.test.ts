import { providerTypes } from '@rungar/providers';
import { expect, test } from 'vitest';
import { checked } from '../../test/checked.js';
import { diffConfigs } from '../diff/diff-configs.js';
import { migrateConfig } from '../migrate/migrate-config.js';
import { memberOf, providerNode } from './checked-config.js';
import { printConfig } from './print-config.js';

const FINGERPRINT = Array.from({ length: 32 }, (_, index) => (index * 7).toString(16).padStart(2, '0')).join(':');

/** A provider of each type, with as many of its keys as go together. */
const ENTRIES: Readonly<Record<string, string>> = {
  aws: `
    region: eu-central-1
    subnets: [subnet-0a1b2c3d, subnet-0a1b2c3e]
    security_groups: [sg-0a1b2c3d]
    public_ip: no
    instance_profile: runner
    profile: ci
    credentials_file: /etc/rungar/aws
    endpoint_url: https://ec2.example.com/x/
    timeout: 1m
    runner: {instance_type: [m7i.large, m6i.large], image: ami-0a1b2c3d, disk_size: 80 GB, disk_iops: 6000, spot: on, tags: {a: 1, "yes": no}}`,
  dicer: `
    address: Host.example:7443
    tls: {cert_file: /c, key_file: /k, ca_file: /ca, server_name: dicer.example}
    timeout: 90s
    runner: {image: "ghcr.io/acme/runner:2", command: [./run.sh, ""], vcpus: 4, memory: 4096MiB, disk: 30GiB, kernel: k, network: n, env: {A: 1, B: ~}, mounts: [{type: volume, source: cache, target: /cache, read_only: y}]}`,
  gcp: `
    project: acme-ci
    zones: [europe-west1-b, europe-west1-c]
    network: ci
    subnetwork: ci-1
    external_ip: off
    service_account: runner@acme-ci.iam.gserviceaccount.com
    credentials_file: /etc/rungar/gcp.json
    timeout: 45s
    runner: {machine_type: e2-standard-4, image: runner, disk_size: 60GiB, disk_type: pd-ssd, spot: true, network_tags: [ci], labels: {team: ci}, metadata: {a: 0x10}, startup_script: "#!/bin/sh\\nexec run\\n"}`,
  proxmox: `
    url: https://PVE.example:8006
    token_id: rungar@pve!ci
    token_secret: 01234567-89ab-cdef-0123-456789abcdef
    tls: {fingerprint: "${FINGERPRINT}"}
    nodes: [pve1, pve2]
    timeout: 20s
    runner: {template: 9000, cores: 4, memory: 8GiB, full_clone: yes, storage: local-lvm, pool: ci, jit_path: /run/x}`,
};

test('there is a sample of every type', () => {
  expect(providerTypes.map(({ type }) => type).sort()).toEqual(Object.keys(ENTRIES));
});

test.each(providerTypes.map(({ type }) => type))(
  'a provider of type %s prints with all its keys, and as the same',
  (type) => {
    const text = `version: 1
github: {url: https://github.com/acme, token_path: /t}
providers:
  - name: p
    type: ${type}${ENTRIES[type]}
scale_sets: [{name: s, max_runners: 1, providers: [p]}]
`;
    const config = checked(text, providerTypes);
    const printed = printConfig(config);
    const again = checked(printed, providerTypes);
    expect(printConfig(again)).toBe(printed);
    expect(again.settings.scaleSets[0]?.providers[0]?.revision).toBe(
      config.settings.scaleSets[0]?.providers[0]?.revision,
    );

    const secret = diffConfigs(config, again).filter((change) => !('from' in change && change.from === 'REDACTED'));
    expect(secret).toEqual([]);
    const keysOf = (each: typeof config): string[] => {
      const node = providerNode(each, 0);
      return (node?.entries ?? []).map(({ key }) => key).sort();
    };
    expect(keysOf(again)).toEqual(expect.arrayContaining(keysOf(config)));
    expect(memberOf(providerNode(again, 0), 'weight')).toMatchObject({ source: '1' });
    expect(printed).not.toContain('89ab-cdef');
    expect(printConfig(config, { effective: true })).not.toContain('89ab-cdef');
    expect(migrateConfig(text, { file: 'f', types: providerTypes })).toMatchObject({ text, changes: [] });
  },
);
