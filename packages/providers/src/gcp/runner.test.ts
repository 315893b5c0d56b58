import type { Problem } from '@rungar/model';
import { inQuotes, locatedMap, type Written } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { parseGcpRunner } from './runner.js';

const AT = { file: 'test.yaml', line: 99, column: 1 };
const HOME = { project: 'my-ci-project', region: 'europe-west1' };
const SCRIPT = inQuotes('#!/bin/sh\nexec /opt/run\n');
const PLAIN = { machine_type: 'e2-standard-4', image: 'runner-image' };

type Block = { readonly [key: string]: Written };

function read(block: Block | undefined): { runner: ReturnType<typeof parseGcpRunner>; problems: Problem[] } {
  const problems: Problem[] = [];
  const map = block === undefined ? undefined : locatedMap(block);
  return { runner: parseGcpRunner(map, AT, 'runner', { add: (problem) => problems.push(problem) }, HOME), problems };
}

function said(block: Block | undefined): string[] {
  const { runner, problems } = read(block);
  expect(runner === undefined).toBe(problems.length > 0);
  return problems.map(({ path, message }) => `${path} ${message}`);
}

describe('the revision', () => {
  test.each<[string, string, Block]>([
    ['of one type', 'c8641158c70e', { ...PLAIN, startup_script: SCRIPT }],
    ['of one type in a list', 'c8641158c70e', { ...PLAIN, machine_type: ['e2-standard-4'], startup_script: SCRIPT }],
    [
      'with the defaults written out',
      'c8641158c70e',
      {
        startup_script: SCRIPT,
        disk_type: 'pd-balanced',
        disk_size: '53687091200',
        spot: 'off',
        labels: null,
        network_tags: null,
        ...PLAIN,
      },
    ],
    [
      'of everything',
      '44dff2e18ca1',
      {
        machine_type: ['c3-standard-4', 'n2-standard-4'],
        image: 'projects/my-ci/global/images/family/runner',
        disk_size: '100GiB',
        disk_type: 'pd-ssd',
        spot: 'true',
        network_tags: ['runners'],
        labels: { team: 'ci', 'cost-centre': '42' },
        metadata: { 'enable-oslogin': 'true' },
        startup_script: inQuotes('#!/bin/bash\ncd /home/runner && ./run.sh 2>&1 | tee /var/log/runner.log\n'),
      },
    ],
    ['of a template alone', 'fddb37fab6ce', { instance_template: 'runner-gpu', startup_script: SCRIPT }],
    [
      'of a template beside empty keys',
      'fddb37fab6ce',
      { instance_template: 'runner-gpu', machine_type: [], image: '', disk_type: null, startup_script: SCRIPT },
    ],
  ])('%s is %s', (_, want, block) => {
    const { runner, problems } = read(block);
    expect(problems).toEqual([]);
    expect(runner?.revision).toBe(want);
  });

  test.each([['network_tags', []] as const, ['labels', {}] as const, ['metadata', {}] as const])(
    'tells no %s from empty ones',
    (key, empty) => expect(read({ ...PLAIN, [key]: empty }).runner?.revision).not.toBe(read(PLAIN).runner?.revision),
  );

  test('tells network tags in another order apart', () => {
    const revision = (...tags: string[]) => read({ ...PLAIN, network_tags: tags }).runner?.revision;
    expect(revision('a', 'b')).not.toBe(revision('b', 'a'));
  });
});

test('defaults are filled in', () => {
  expect(read(PLAIN).runner?.spec).toEqual({
    machineTypes: ['e2-standard-4'],
    image: 'runner-image',
    diskSize: 53_687_091_200n,
    diskType: 'pd-balanced',
    instanceTemplate: '',
    spot: false,
    networkTags: undefined,
    labels: undefined,
    metadata: undefined,
    startupScript: expect.stringMatching(/^#!\/bin\/bash\n/),
  });
});

test('the default script reads its registration, runs the runner as its user and switches the machine off', () => {
  const script = read(PLAIN).runner?.spec.startupScript ?? '';
  for (const part of [
    'set -u',
    'trap poweroff EXIT',
    '/computeMetadata/v1/instance/attributes',
    '/rungar-jitconfig',
    "'Metadata-Flavor: Google'",
    '|| exit 1',
    'export ACTIONS_RUNNER_INPUT_JITCONFIG HOME=/home/runner',
    'cd /home/runner',
    '-u runner -- ./run.sh',
  ]) {
    expect(script).toContain(part);
  }
  expect(script.endsWith('\n')).toBe(true);
});

test('a null value of a label or a metadata item is an empty one', () => {
  const { spec } = read({ ...PLAIN, labels: { team: null }, metadata: { a: null } }).runner ?? {};
  expect([spec?.labels, spec?.metadata]).toEqual([new Map([['team', '']]), new Map([['a', '']])]);
});

test.each<[string, Block]>([
  ['e2-standard-4', PLAIN],
  ['c3-standard-4 or n2-standard-4', { ...PLAIN, machine_type: ['c3-standard-4', 'n2-standard-4'] }],
  ['e2-standard-4 (spot)', { ...PLAIN, spot: 'yes' }],
  ['template runner-gpu', { instance_template: 'runner-gpu' }],
  ['template runners (spot)', { instance_template: 'projects/p/global/instanceTemplates/runners', spot: 'on' }],
  ['e2-standard-4 from template runners', { machine_type: 'e2-standard-4', instance_template: 'runners' }],
])('describes its size as %s', (size, block) => expect(read(block).runner?.size).toBe(size));

test.each<[string, Block]>([
  ['a custom type', { ...PLAIN, machine_type: 'n2-custom-4-8192' }],
  ['the shortest type', { ...PLAIN, machine_type: 'a1' }],
  ['10 GiB', { ...PLAIN, disk_size: '10GiB' }],
  ['a template with a machine type', { machine_type: 'e2-small', instance_template: 'a' }],
  ['a global template by its path', { instance_template: 'projects/p/global/instanceTemplates/a' }],
  ['a template of the region', { instance_template: 'projects/p/regions/europe-west1/instanceTemplates/a' }],
  [
    'a template by its address',
    { instance_template: 'https://www.googleapis.com/compute/v1/projects/p/global/instanceTemplates/a' },
  ],
  [
    'a template by its other address',
    { instance_template: 'https://compute.googleapis.com/compute/v1/projects/p/global/instanceTemplates/a' },
  ],
  ['the longest template name', { instance_template: `a${'b'.repeat(62)}` }],
  ['the longest label', { ...PLAIN, labels: { [`a${'_'.repeat(62)}`]: '-'.repeat(63) } }],
  ['an empty label', { ...PLAIN, labels: { a: '' } }],
  ['a label that only looks like one of ours', { ...PLAIN, labels: { 'rungar-x': 'a' } }],
  ['a metadata item that only looks like one of ours', { ...PLAIN, metadata: { rungar_x: 'a' } }],
])('accepts %s', (_, block) => expect(said(block)).toEqual([]));

test.each<[string, string, Block]>([
  ['nothing at all', 'runner.machine_type is missing', {}],
  ['no image', 'runner.image is missing', { machine_type: 'e2-small' }],
  ['an upper-case type', 'runner.machine_type must be a machine type', { ...PLAIN, machine_type: 'E2-small' }],
  ['a type of one letter', 'runner.machine_type must be a machine type', { ...PLAIN, machine_type: 'a' }],
  ['a type that ends with a hyphen', 'runner.machine_type must be a machine type', { ...PLAIN, machine_type: 'e2-' }],
  [
    'a type twice',
    'runner.machine_type[1] must not repeat item 1',
    { ...PLAIN, machine_type: ['e2-small', 'e2-small'] },
  ],
  ['9 GiB', 'runner.disk_size must be whole GiB, at least 10GiB', { ...PLAIN, disk_size: '9GiB' }],
  ['half a GiB', 'runner.disk_size must be whole GiB, at least 10GiB', { ...PLAIN, disk_size: '10.5GiB' }],
  ['a template and an image', 'runner.image must not be set beside', { image: 'x', instance_template: 'a' }],
  ['a template and a size', 'runner.disk_size must not be set beside', { disk_size: '10GiB', instance_template: 'a' }],
  ['a template and a disk type', 'runner.disk_type must not be set beside', { disk_type: 'x', instance_template: 'a' }],
  ['a template in capitals', 'runner.instance_template must be an instance template', { instance_template: 'A' }],
  ['a template of 64', 'runner.instance_template must be an instance template', { instance_template: 'a'.repeat(64) }],
  [
    'another path',
    'runner.instance_template must be an instance template',
    { instance_template: 'projects/p/global/images/a' },
  ],
  [
    'a template at another address',
    'runner.instance_template must be an instance template',
    { instance_template: 'https://example.com/compute/v1/projects/p/global/instanceTemplates/a' },
  ],
  [
    'a template of another region',
    "runner.instance_template is a template of us-east1, but the provider's zones are in europe-west1",
    { instance_template: 'projects/p/regions/us-east1/instanceTemplates/a' },
  ],
  ['a label in capitals', 'runner.labels.Team must be a lower-case letter', { ...PLAIN, labels: { Team: 'x' } }],
  ['a label that begins with a digit', 'must be a lower-case letter', { ...PLAIN, labels: { '1a': 'x' } }],
  ['a label of 64', 'must be a lower-case letter', { ...PLAIN, labels: { ['a'.repeat(64)]: 'x' } }],
  ['a label of ours', 'runner.labels.rungar_x must not begin with rungar_', { ...PLAIN, labels: { rungar_x: 'x' } }],
  ['a label value in capitals', 'runner.labels.a must be at most 63', { ...PLAIN, labels: { a: 'X' } }],
  ['a label value of 64', 'runner.labels.a must be at most 63', { ...PLAIN, labels: { a: 'x'.repeat(64) } }],
  [
    'the startup script as metadata',
    'must not be set here: use startup_script',
    { ...PLAIN, metadata: { 'startup-script': 'x' } },
  ],
  ['metadata of ours', 'must not begin with rungar-', { ...PLAIN, metadata: { 'rungar-x': 'x' } }],
  ['an unknown key', 'runner.machine_types is not a known key', { ...PLAIN, machine_types: 'x' }],
])('refuses %s', (_, want, block) => expect(said(block)).toContainEqual(expect.stringContaining(want)));

test('what a template forbids is cured by clearing the key', () => {
  const { problems } = read({ image: 'x', disk_size: '10GiB', disk_type: 'pd-ssd', instance_template: 'a' });
  expect(problems.map(({ path, hint }) => [path, hint])).toEqual([
    ['runner.image', 'clear this key with null'],
    ['runner.disk_size', 'clear this key with null'],
    ['runner.disk_type', 'clear this key with null'],
  ]);
});

test('finds everything wrong at once, and nothing that only follows from it', () => {
  const wrong = said({ machine_type: 'E2', disk_size: '1GiB', spot: 'maybe' });
  expect(wrong.map((text) => text.split(' ')[0])).toEqual([
    'runner.machine_type',
    'runner.disk_size',
    'runner.spot',
    'runner.image',
  ]);
});

test('an absent block points to where one was expected', () => {
  const { problems } = read(undefined);
  expect(problems.map(({ path, place }) => [path, place.line])).toEqual([
    ['runner.machine_type', 99],
    ['runner.image', 99],
  ]);
});

test('a script is never shown', () => {
  const { problems } = read({ ...PLAIN, startup_script: { token: 'hunter2' } });
  expect(problems).not.toEqual([]);
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});
