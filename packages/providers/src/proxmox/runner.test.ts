import type { Problem } from '@rungar/model';
import { locatedMap, type Written } from '@rungar/model/testing';
import { expect, test } from 'vitest';
import { parseProxmoxRunner } from './runner.js';

const AT = { file: 'test.yaml', line: 99, column: 1 };
const PLAIN = { template: '9000', cores: '2', memory: '4GiB' };
const FULL = {
  template: '9001',
  cores: '8',
  memory: '16GiB',
  full_clone: 'true',
  storage: 'local-lvm',
  pool: 'ci',
  jit_path: '/var/lib/rungar/jit',
};

type Block = { readonly [key: string]: Written };

function read(block: Block | undefined): { runner: ReturnType<typeof parseProxmoxRunner>; problems: Problem[] } {
  const problems: Problem[] = [];
  const map = block === undefined ? undefined : locatedMap(block);
  return { runner: parseProxmoxRunner(map, AT, 'runner', { add: (problem) => problems.push(problem) }), problems };
}

function said(block: Block | undefined): string[] {
  const { runner, problems } = read(block);
  expect(runner === undefined).toBe(problems.length > 0);
  return problems.map(({ path, message }) => `${path} ${message}`);
}

test.each<[string, string, Block]>([
  ['of the three required keys', 'a0895bd4f55a', PLAIN],
  [
    'with the defaults written out',
    'a0895bd4f55a',
    { ...PLAIN, memory: '4096 MB', full_clone: 'no', storage: null, pool: '', jit_path: '/run/rungar/jitconfig' },
  ],
  ['of everything', '29399a14afd0', FULL],
])('the revision %s is %s', (_, want, block) => {
  const { runner, problems } = read(block);
  expect(problems).toEqual([]);
  expect(runner?.revision).toBe(want);
});

test('defaults are filled in', () => {
  expect(read(PLAIN).runner?.spec).toEqual({
    template: 9000,
    cores: 2,
    memory: 4_294_967_296n,
    fullClone: false,
    storage: '',
    pool: '',
    jitPath: '/run/rungar/jitconfig',
  });
});

test.each([
  ['2 vCPU, 4 GiB', PLAIN],
  ['1 vCPU, 512 MiB', { ...PLAIN, cores: '1', memory: '512MiB' }],
  ['4 vCPU, 1.5 GiB', { ...PLAIN, cores: '4', memory: '1536MiB' }],
])('describes its size as %s', (size, block) => expect(read(block).runner?.size).toBe(size));

test.each<[string, Block]>([
  ['the lowest VMID', { ...PLAIN, template: '100' }],
  ['one core', { ...PLAIN, cores: '1' }],
  ['128 MiB', { ...PLAIN, memory: '128MiB' }],
  ['storage with a full clone', { ...PLAIN, full_clone: 'yes', storage: 'local-lvm' }],
  ['a pool with a linked clone', { ...PLAIN, pool: 'ci' }],
])('accepts %s', (_, block) => expect(said(block)).toEqual([]));

test.each<[string, string, Block | undefined]>([
  ['nothing at all', 'runner.template is missing', undefined],
  ['no cores', 'runner.cores is missing', { template: '9000', memory: '4GiB' }],
  ['no memory', 'runner.memory is missing', { template: '9000', cores: '2' }],
  ['VMID 99', 'runner.template must be at least 100', { ...PLAIN, template: '99' }],
  ['a template by name', 'runner.template must be a whole number', { ...PLAIN, template: 'ubuntu' }],
  ['no core', 'runner.cores must be at least 1', { ...PLAIN, cores: '0' }],
  ['half a core', 'runner.cores must be a whole number', { ...PLAIN, cores: '0.5' }],
  ['127 MiB', 'runner.memory must be at least 128MiB', { ...PLAIN, memory: '127MiB' }],
  ['a byte more than 128 MiB', 'runner.memory must be whole MiB', { ...PLAIN, memory: '134217729' }],
  ['storage of a linked clone', 'runner.storage needs full_clone', { ...PLAIN, storage: 'local-lvm' }],
  ['a relative path', 'runner.jit_path must be an absolute path', { ...PLAIN, jit_path: 'run/jit' }],
  ['a misspelled key', 'runner.core is not a known key', { ...PLAIN, core: '2' }],
])('refuses %s', (_, want, block) => expect(said(block)).toContainEqual(expect.stringContaining(want)));

test('an unknown key is told beside a rule that is broken', () => {
  expect(said({ ...PLAIN, storage: 'local-lvm', x: '1' })).toHaveLength(2);
});
