import type { Problem } from '@rungar/model';
import { inQuotes, locatedMap, type Written } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { parseAwsRunner } from './runner.js';

const AT = { file: 'test.yaml', line: 99, column: 1 };
const IMAGE = 'ami-0a1b2c3d4e5f60718';
const SCRIPT = inQuotes('#!/bin/sh\nexec /opt/run\n');
const PLAIN = { instance_type: 'm7i.xlarge', image: IMAGE };

type Block = { readonly [key: string]: Written };

function read(block: Block | undefined): { runner: ReturnType<typeof parseAwsRunner>; problems: Problem[] } {
  const problems: Problem[] = [];
  const map = block === undefined ? undefined : locatedMap(block);
  return { runner: parseAwsRunner(map, AT, 'runner', { add: (problem) => problems.push(problem) }), problems };
}

function said(block: Block | undefined): string[] {
  const { runner, problems } = read(block);
  expect(runner === undefined).toBe(problems.length > 0);
  return problems.map(({ path, message }) => `${path} ${message}`);
}

describe('the revision', () => {
  test.each<[string, string, Block]>([
    ['of one type', 'a77297f56884', { ...PLAIN, user_data: SCRIPT }],
    ['of one type in a list', 'a77297f56884', { ...PLAIN, instance_type: ['m7i.xlarge'], user_data: SCRIPT }],
    [
      'with the defaults written out',
      'a77297f56884',
      {
        user_data: SCRIPT,
        disk_type: 'gp3',
        disk_size: '53687091200',
        spot: 'off',
        tags: null,
        disk_iops: '0',
        ...PLAIN,
      },
    ],
    [
      'of everything',
      '9df4cd5aaa38',
      {
        instance_type: ['m7i.xlarge', 'm6i.xlarge'],
        image: IMAGE,
        disk_size: '100GiB',
        disk_iops: '6000',
        disk_throughput: '500',
        spot: 'true',
        tags: { team: 'ci', Owner: 'R&D <build>' },
        user_data: inQuotes('#!/bin/bash\ncd /home/runner && ./run.sh\n'),
      },
    ],
    ['of a template alone', 'f2b0cf2119a8', { launch_template: 'runner-gpu:$Latest', user_data: SCRIPT }],
    [
      'of a template beside empty keys',
      'f2b0cf2119a8',
      {
        launch_template: 'runner-gpu:$Latest',
        instance_type: [],
        image: '',
        user_data: SCRIPT,
      },
    ],
  ])('%s is %s', (_, want, block) => {
    const { runner, problems } = read(block);
    expect(problems).toEqual([]);
    expect(runner?.revision).toBe(want);
  });

  test('tells no tags from empty tags', () => {
    expect(read({ ...PLAIN, tags: {} }).runner?.revision).not.toBe(read(PLAIN).runner?.revision);
  });
});

test('defaults are filled in', () => {
  expect(read(PLAIN).runner?.spec).toMatchObject({
    instanceTypes: ['m7i.xlarge'],
    image: IMAGE,
    diskSize: 53_687_091_200n,
    diskType: 'gp3',
    diskIops: 0,
    diskThroughput: 0,
    launchTemplate: '',
    spot: false,
    tags: undefined,
    userData: expect.stringMatching(/^#!\/bin\/bash\n/),
  });
});

test('the default script runs the runner as its user and switches the machine off', () => {
  const script = read(PLAIN).runner?.spec.userData ?? '';
  for (const part of ['set -u', 'EXIT', 'export HOME=/home/runner', 'cd /home/runner', './run.sh']) {
    expect(script).toContain(part);
  }
  expect(script.endsWith('\n')).toBe(true);
});

test('a null value of a tag is an empty one', () => {
  expect(read({ ...PLAIN, tags: { team: null } }).runner?.spec.tags).toEqual(new Map([['team', '']]));
});

test.each<[string, Block]>([
  ['m7i.xlarge', PLAIN],
  ['m7i.xlarge or m6i.xlarge', { ...PLAIN, instance_type: ['m7i.xlarge', 'm6i.xlarge'] }],
  ['m7i.xlarge (spot)', { ...PLAIN, spot: 'yes' }],
  ['template runner-gpu:3', { launch_template: 'runner-gpu:3' }],
  ['template lt-0a1b2c3d (spot)', { launch_template: 'lt-0a1b2c3d', spot: 'true' }],
  ['m7i.xlarge from template runners', { instance_type: 'm7i.xlarge', launch_template: 'runners' }],
])('describes its size as %s', (size, block) => expect(read(block).runner?.size).toBe(size));

test.each<[string, Block]>([
  ['a metal type', { ...PLAIN, instance_type: 'u-6tb1.metal' }],
  ['the shortest image', { ...PLAIN, image: 'ami-0a1b2c3d' }],
  ['1 GiB', { ...PLAIN, disk_size: '1GiB' }],
  ['64 TiB', { ...PLAIN, disk_size: '64TiB' }],
  ['16 TiB of gp2', { ...PLAIN, disk_size: '16TiB', disk_type: 'gp2' }],
  ['3000 IOPS on the smallest disk', { ...PLAIN, disk_size: '1GiB', disk_iops: '3000' }],
  ['500 IOPS for each GiB', { ...PLAIN, disk_size: '10GiB', disk_iops: '5000' }],
  ['80000 IOPS', { ...PLAIN, disk_size: '160GiB', disk_iops: '80000' }],
  ['500 IOPS for each GiB of the default', { ...PLAIN, disk_iops: '25000' }],
  ['125 MiB/s', { ...PLAIN, disk_throughput: '125' }],
  ['a quarter of the usual IOPS', { ...PLAIN, disk_throughput: '750' }],
  ['2000 MiB/s of 8000 IOPS', { ...PLAIN, disk_iops: '8000', disk_throughput: '2000' }],
  [
    'any throughput where a template may give the IOPS',
    { launch_template: 'abc', image: IMAGE, disk_throughput: '2000' },
  ],
  ['any IOPS where a template may give the size', { launch_template: 'abc', image: IMAGE, disk_iops: '80000' }],
  ['a template by its shortest name', { launch_template: 'a-b' }],
  ['a template by its longest name', { launch_template: 'a'.repeat(128) }],
  ['a template with a version', { launch_template: 'lt-0a1b2c3d:12' }],
  ['a template with its default version', { launch_template: 'a(b).c/_:$Default' }],
  ['the longest tag', { ...PLAIN, tags: { ['😀'.repeat(128)]: '😀'.repeat(256) } }],
  ['a tag that is Name in other letters', { ...PLAIN, tags: { name: 'x' } }],
  ['a script of 10240 bytes', { ...PLAIN, user_data: `#!${'x'.repeat(10_238)}` }],
])('accepts %s', (_, block) => expect(said(block)).toEqual([]));

test.each<[string, string, Block]>([
  ['nothing at all', 'runner.instance_type is missing', {}],
  ['no image', 'runner.image is missing', { instance_type: 'm7i.xlarge' }],
  ['an upper-case type', 'runner.instance_type must be an instance type', { ...PLAIN, instance_type: 'M7i.xlarge' }],
  ['a type without a dot', 'runner.instance_type must be an instance type', { ...PLAIN, instance_type: 'm7i' }],
  [
    'a type twice',
    'runner.instance_type[1] must not repeat item 1',
    { ...PLAIN, instance_type: ['m7i.large', 'm7i.large'] },
  ],
  ['an empty item', 'runner.instance_type[0] must not be empty', { ...PLAIN, instance_type: [null] }],
  ['a short image', 'runner.image must be an image', { ...PLAIN, image: 'ami-0a1b2c3' }],
  ['a long image', 'runner.image must be an image', { ...PLAIN, image: `ami-${'0'.repeat(18)}` }],
  ['less than 1 GiB', 'runner.disk_size must be from 1GiB to 64TiB', { ...PLAIN, disk_size: '1023MiB' }],
  ['more than 64 TiB', 'runner.disk_size must be from 1GiB to 64TiB', { ...PLAIN, disk_size: '65TiB' }],
  ['half a GiB', 'runner.disk_size must be whole GiB', { ...PLAIN, disk_size: '1.5GiB' }],
  [
    '17 TiB of gp2',
    'runner.disk_size must be at most 16TiB on gp2',
    { ...PLAIN, disk_size: '17TiB', disk_type: 'gp2' },
  ],
  ['another disk', 'runner.disk_type must be gp3 or gp2', { ...PLAIN, disk_type: 'io2' }],
  ['2999 IOPS', 'runner.disk_iops must be at least 3000', { ...PLAIN, disk_iops: '2999' }],
  ['80001 IOPS', 'runner.disk_iops must be at most 80000', { ...PLAIN, disk_iops: '80001' }],
  [
    '501 IOPS for a GiB',
    'runner.disk_iops must be at most 500 for each GiB: 5000 for 10GiB, not 5001',
    { ...PLAIN, disk_size: '10GiB', disk_iops: '5001' },
  ],
  ['IOPS on gp2', 'runner.disk_iops cannot be set on gp2', { ...PLAIN, disk_type: 'gp2', disk_iops: '3000' }],
  [
    'throughput on gp2',
    'runner.disk_throughput cannot be set on gp2',
    { ...PLAIN, disk_type: 'gp2', disk_throughput: '125' },
  ],
  ['124 MiB/s', 'runner.disk_throughput must be at least 125', { ...PLAIN, disk_throughput: '124' }],
  [
    '2001 MiB/s',
    'runner.disk_throughput must be at most 2000',
    { ...PLAIN, disk_iops: '9000', disk_throughput: '2001' },
  ],
  [
    '751 MiB/s of the usual IOPS',
    'runner.disk_throughput must be at most a quarter of disk_iops: 750 for 3000, not 751',
    { ...PLAIN, disk_throughput: '751' },
  ],
  ['a template name of two letters', 'runner.launch_template must be a launch template', { launch_template: 'ab' }],
  ['a template name of 129', 'runner.launch_template must be a launch template', { launch_template: 'a'.repeat(129) }],
  ['version 0', 'runner.launch_template must be a launch template', { launch_template: 'abc:0' }],
  ['another version word', 'runner.launch_template must be a launch template', { launch_template: 'abc:$latest' }],
  [
    'a disk key beside a template without an image',
    'runner.disk_size needs image',
    { launch_template: 'abc', disk_size: '10GiB' },
  ],
  ['the tag Name', 'runner.tags.Name is a tag of', { ...PLAIN, tags: { Name: 'x' } }],
  [
    'a tag of ours',
    'runner.tags["RunGar.sh/x"] must not begin with rungar.sh/',
    { ...PLAIN, tags: { 'RunGar.sh/x': 'x' } },
  ],
  ["a tag of AWS's", 'runner.tags["AwS:x"] must not begin with aws:', { ...PLAIN, tags: { 'AwS:x': 'x' } }],
  ['a tag of 129', 'must have a name of 1 to 128 characters', { ...PLAIN, tags: { ['x'.repeat(129)]: '' } }],
  ['a tag value of 257', 'runner.tags.a must have at most 256 characters', { ...PLAIN, tags: { a: 'x'.repeat(257) } }],
  [
    'a script without #!',
    'runner.user_data must be a script that begins with "#!"',
    { ...PLAIN, user_data: 'exec run' },
  ],
  [
    'a script of 10241 bytes',
    'runner.user_data must have at most 10240 bytes (10KiB), and has 10241',
    { ...PLAIN, user_data: `#!${'x'.repeat(10_239)}` },
  ],
  ['an unknown key', 'runner.instance_typ is not a known key', { ...PLAIN, instance_typ: 'm7i.large' }],
])('refuses %s', (_, want, block) => expect(said(block)).toContainEqual(expect.stringContaining(want)));

test('finds everything wrong at once, and nothing that only follows from it', () => {
  const wrong = said({ instance_type: 'm7i', image: 'x', disk_size: 'big', disk_iops: '60000', spot: 'maybe' });
  expect(wrong.map((text) => text.split(' ')[0])).toEqual([
    'runner.instance_type',
    'runner.image',
    'runner.disk_size',
    'runner.spot',
  ]);
});

test('an absent block points to where one was expected', () => {
  const { problems } = read(undefined);
  expect(problems.map(({ path, place }) => [path, place.line])).toEqual([
    ['runner.instance_type', 99],
    ['runner.image', 99],
  ]);
});

test('a script is never shown', () => {
  const { problems } = read({ ...PLAIN, user_data: 'export TOKEN=hunter2' });
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});
