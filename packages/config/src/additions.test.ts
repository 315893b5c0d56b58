import { type Fields, field, type ProviderType } from '@rungar/model';
import { providerTypes } from '@rungar/providers';
import { describe, expect, test } from 'vitest';
import { additionsIn } from './additions.js';
import * as tables from './fields.js';
import { parseConfig } from './parse.js';

const extra = { describe: 'an addition', addition: true } as const;

/** A type with an addition at every depth. */
const tinType: ProviderType = {
  type: 'tin',
  secretKeys: [],
  fields: {
    entry: {
      address: field.text({ describe: 'where it is' }),
      finger: field.text(extra),
      tls: field.mapping({ finger: field.text(extra) }, { describe: 'how it is secured' }),
    },
    runner: {
      image: field.text({ describe: 'the image' }),
      bonus: field.text(extra),
      disks: field.list(field.mapping({ bonus: field.text(extra) }, { describe: 'a disk' }), { describe: 'disks' }),
    },
  },
  configure: () => undefined,
};

const found = (text: string): string[] =>
  additionsIn(parseConfig(text, { file: 'c.yaml', types: [tinType] }).root, [tinType]).map(
    ({ place, path, severity }) => `${place.line}:${place.column} ${severity} ${path}`,
  );

test('a file without additions has none', () => {
  expect(found('providers: [{name: p, type: tin, address: a, tls: {}, runner: {image: i}}]')).toEqual([]);
});

test('additions are found at every depth, with a null too, and once each', () => {
  expect(
    found(`providers:
  - &p
    name: p
    type: tin
    finger: ab
    tls: {finger: null}
    runner: {bonus: x, disks: [{}, {bonus: y}]}
  - {<<: *p, name: q}
scale_sets:
  - name: s
    providers: [q, {name: p, runner: {image: i, bonus: z}}]
`),
  ).toEqual([
    '5:5 error providers[0].finger',
    '6:11 error providers[0].tls.finger',
    '7:14 error providers[0].runner.bonus',
    '7:37 error providers[0].runner.disks[1].bonus',
    '11:49 error scale_sets[0].providers[1].runner.bonus',
  ]);
});

test('the page is one, as a whole', () => {
  expect(found('page: {enable: true, listen: ":9103"}')).toEqual(['1:1 error page']);
});

test('a file that is not understood has none', () => {
  for (const text of ['', '[]', 'providers: 7', 'providers: [7, {runner: x}]', 'scale_sets: [{providers: [[]]}]', '{'])
    expect(found(text)).toEqual([]);
});

/** Every key the Go daemon knows of a provider's entry and of a runner block, less those all types have. */
const GO: Readonly<Record<string, { readonly entry: string; readonly runner: string }>> = {
  aws: {
    entry: 'region subnets security_groups public_ip instance_profile profile credentials_file timeout',
    runner: 'instance_type image disk_size disk_type disk_iops disk_throughput launch_template spot tags user_data',
  },
  dicer: {
    entry: 'address tls tls.cert_file tls.key_file tls.ca_file tls.server_name timeout',
    runner:
      'image command vcpus memory disk kernel network env mounts mounts.type mounts.target mounts.source mounts.read_only',
  },
  gcp: {
    entry:
      'project zones network subnetwork external_ip service_account scopes credentials_file impersonate_service_account timeout',
    runner: 'machine_type image disk_size disk_type instance_template spot network_tags labels metadata startup_script',
  },
  proxmox: {
    entry: 'url token_id token_secret token_secret_path tls tls.ca_file tls.insecure_skip_verify nodes timeout',
    runner: 'template cores memory full_clone storage pool jit_path',
  },
};

describe('every key that the Go daemon does not know is marked', () => {
  test.each(providerTypes.map((type) => [type.type, type] as const))('of %s', (name, { fields }) => {
    const known = GO[name] ?? { entry: '', runner: '' };
    expect(keysWithoutMark(fields?.entry ?? {}).sort()).toEqual(known.entry.split(' ').sort());
    expect(keysWithoutMark(fields?.runner ?? {}).sort()).toEqual(known.runner.split(' ').sort());
  });

  test('elsewhere, where `page` is all there is so far', () => {
    const marked = Object.values(tables).flatMap((fields: Fields) => {
      const unmarked = new Set(keysWithoutMark(fields));
      return Object.keys(fields).filter((key) => !unmarked.has(key));
    });
    expect(marked).toEqual(['page']);
  });
});

function keysWithoutMark(fields: Fields, path = ''): string[] {
  return Object.entries(fields).flatMap(([key, { addition, shape }]) => {
    if (addition) return [];
    const inner = shape.kind === 'list' ? shape.of.shape : shape;
    const below = inner.kind === 'mapping' ? keysWithoutMark(inner.fields, `${path}${key}.`) : [];
    return [`${path}${key}`, ...below];
  });
}
