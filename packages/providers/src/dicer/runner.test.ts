import type { Problem } from '@rungar/model';
import { inQuotes, locatedMap, type Written } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { parseDicerRunner } from './runner.js';

const AT = { file: 'test.yaml', line: 99, column: 1 };
const PLAIN = { image: 'ghcr.io/actions/actions-runner:latest', vcpus: '2', memory: '4GiB' };

type Block = { readonly [key: string]: Written };

function read(block: Block | undefined): { runner: ReturnType<typeof parseDicerRunner>; problems: Problem[] } {
  const problems: Problem[] = [];
  const map = block === undefined ? undefined : locatedMap(block);
  return { runner: parseDicerRunner(map, AT, 'runner', { add: (problem) => problems.push(problem) }), problems };
}

function said(block: Block | undefined): string[] {
  const { runner, problems } = read(block);
  expect(runner === undefined).toBe(problems.length > 0);
  return problems.map(({ path, message }) => `${path} ${message}`);
}

const EVERYTHING = {
  mounts: [{ type: 'volume', source: 'cache', target: '/cache' }],
  env: { HTTPS_PROXY: 'http://proxy:3128' },
  network: 'isolated',
  kernel: 'vmlinux-6.12',
  image: 'ghcr.io/actions/actions-runner:latest',
  vcpus: '4',
  memory: '8GiB',
};

const ESCAPED = {
  image: 'runner:1',
  command: ['/bin/sh', '-c', inQuotes('echo a && run.sh <in >out')],
  vcpus: '1',
  memory: '1.5GiB',
  disk: '10GiB',
  env: { b: '2', 'a&b': '<x>', B: '1' },
  mounts: [
    { type: 'file', source: '/etc/ssl/ca.crt', target: '/etc/ssl/ca.crt', read_only: 'true' },
    { type: 'tmpfs', target: '/var/lib/docker' },
  ],
};

// Also pinned by the Go daemon's own tests, or the SHA-256 of the record written out by hand.
test.each<[string, string, Block]>([
  ['the least', 'e9c27d469392', PLAIN],
  [
    'the defaults written out',
    'e9c27d469392',
    { ...PLAIN, disk: '20GiB', command: ['/home/runner/run.sh'], env: null },
  ],
  ['an empty command, which is the default', 'e9c27d469392', { ...PLAIN, command: [], mounts: null, disk: '0' }],
  ['everything', 'dae34f7f0a68', EVERYTHING],
  ['characters that are escaped', 'c3421232f5f8', ESCAPED],
])('the revision of %s is %s', (_, want, block) => expect(read(block).runner?.revision).toBe(want));

test('nothing set and set empty have different revisions', () => {
  const revisions = [PLAIN, { ...PLAIN, env: {} }, { ...PLAIN, mounts: [] }].map(
    (block) => read(block).runner?.revision,
  );
  expect(new Set(revisions).size).toBe(3);
});

test('everything is read', () => {
  expect(read(ESCAPED).runner).toEqual({
    spec: {
      image: 'runner:1',
      command: ['/bin/sh', '-c', 'echo a && run.sh <in >out'],
      vcpus: 1,
      memory: 1_610_612_736n,
      disk: 10_737_418_240n,
      kernel: '',
      network: '',
      env: new Map([
        ['b', '2'],
        ['a&b', '<x>'],
        ['B', '1'],
      ]),
      mounts: [
        { type: 'file', source: '/etc/ssl/ca.crt', target: '/etc/ssl/ca.crt', readOnly: true },
        { type: 'tmpfs', source: '', target: '/var/lib/docker', readOnly: false },
      ],
    },
    revision: 'c3421232f5f8',
    size: '1 vCPU, 1.5 GiB',
  });
});

test('the size is for people', () => {
  expect(read(EVERYTHING).runner?.size).toBe('4 vCPU, 8 GiB');
  expect(read({ ...PLAIN, memory: '512MiB' }).runner?.size).toBe('2 vCPU, 512 MiB');
});

const digest = (name: string, digits: number): string => `runner@${name}:${'0af'.repeat(64).slice(0, digits)}`;

test.each<[string, Block]>([
  ['an image by digest', { ...PLAIN, image: digest('sha256', 64) }],
  ['an image by tag and digest', { ...PLAIN, image: `runner:1@${digest('sha256', 64).slice('runner@'.length)}` }],
  ['the longer digests', { ...PLAIN, image: digest('sha384', 96) }],
  ['the longest digests', { ...PLAIN, image: digest('sha512', 128) }],
  ['the least memory', { ...PLAIN, memory: '134217728' }],
  ['a word of the command that is empty', { ...PLAIN, command: ['run', inQuotes('')] }],
  ['one CPU', { ...PLAIN, vcpus: '1' }],
  ['the most CPUs', { ...PLAIN, vcpus: '2147483647' }],
  ['a variable without a value', { ...PLAIN, env: { EMPTY: null } }],
  ['the least disk', { ...PLAIN, disk: '1' }],
])('accepts %s', (_, block) => expect(said(block)).toEqual([]));

test.each<[string, string, Block]>([
  ['a digest one digit short', 'runner.image must have a digest', { ...PLAIN, image: digest('sha256', 63) }],
  ['a digest one digit long', 'runner.image must have a digest', { ...PLAIN, image: digest('sha256', 65) }],
  ['a digest in capitals', 'runner.image must have a digest', { ...PLAIN, image: `runner@sha256:${'A'.repeat(64)}` }],
  ['an unknown digest', 'runner.image must have a digest', { ...PLAIN, image: digest('md5', 32) }],
  ['no digest after the last @', 'runner.image must have a digest', { ...PLAIN, image: `${digest('sha256', 64)}@` }],
  ['no CPU', 'runner.vcpus must be at least 1', { ...PLAIN, vcpus: '0' }],
  ['too many CPUs', 'runner.vcpus must be at most 2147483647', { ...PLAIN, vcpus: '2147483648' }],
  ['half a CPU', 'runner.vcpus must be a whole number', { ...PLAIN, vcpus: '1.5' }],
  ['too little memory', 'runner.memory must be at least 128MiB', { ...PLAIN, memory: '134217727' }],
  [
    'a bare number of GiB',
    'runner.memory must be at least 128MiB (a number without a unit is bytes)',
    { ...PLAIN, memory: '4' },
  ],
  ['a fraction of a MiB', 'runner.memory must be whole MiB', { ...PLAIN, memory: '134217729' }],
  ['a negative disk', 'runner.disk must be a size', { ...PLAIN, disk: '-1' }],
  ['a command in one text', 'runner.command must be a list', { ...PLAIN, command: '/run.sh' }],
  ['an unknown key', 'runner.cpus is not a known key', { ...PLAIN, cpus: '2' }],
])('refuses %s', (_, want, block) => expect(said(block)).toContainEqual(expect.stringContaining(want)));

test('says what is missing of no block at all', () => {
  expect(said(undefined)).toEqual(['runner.image is missing', 'runner.vcpus is missing', 'runner.memory is missing']);
  expect(read(undefined).problems[0]?.place).toEqual(AT);
});

describe('a mount', () => {
  const mounted = (mount: Block): string[] => said({ ...PLAIN, mounts: [mount] });

  test.each<[string, Block]>([
    ['a volume', { type: 'volume', source: 'cache', target: '/cache' }],
    ['a file', { type: 'file', source: '/etc/hosts', target: '/etc/hosts' }],
    ['a tmpfs', { type: 'tmpfs', target: '/tmp', read_only: 'no' }],
  ])('may be %s', (_, mount) => expect(mounted(mount)).toEqual([]));

  test.each<[string, string[], Block]>([
    ['of no type', ['type is missing'], { target: '/x' }],
    ['of another type', ['type must be volume, file or tmpfs, not bind'], { type: 'bind', source: '/a', target: '/x' }],
    ['with no target', ['target is missing'], { type: 'tmpfs' }],
    ['with a relative target', ['target must be an absolute path, not x'], { type: 'tmpfs', target: 'x' }],
    ['that is a volume without a name', ['source is missing'], { type: 'volume', target: '/x' }],
    ['that is a file without a path', ['source is missing'], { type: 'file', target: '/x' }],
    [
      'that is a file by a relative path',
      ['source must be the absolute path of a file of the host'],
      { type: 'file', source: 'a', target: '/x' },
    ],
    ['that is a tmpfs with a source', ['source does not go with tmpfs'], { type: 'tmpfs', source: 'a', target: '/x' }],
    ['with everything wrong', ['target is missing', 'source is missing'], { type: 'volume' }],
  ])('is refused %s', (_, want, mount) => {
    expect(mounted(mount)).toEqual(want.map((text) => `runner.mounts[0].${text}`));
  });
});
