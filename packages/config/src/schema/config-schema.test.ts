import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { providerTypes } from '@rungar/providers';
import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { boxType } from '../../test/box-type.js';
import { EVERY_TYPE } from '../../test/every-type.js';
import { mutate, type Tree, writeTree } from '../../test/tree.js';
import { parseConfig } from '../parse.js';
import { configSchema } from './config-schema.js';

/** Strict about the schema itself; to an editor `.inf` is a number too. */
const compile = (...types: Parameters<typeof configSchema>): ValidateFunction =>
  new Ajv({ strict: true, strictRequired: false, strictNumbers: false, allowUnionTypes: true }).compile(
    configSchema(...types),
  );

let validate: ValidateFunction;
beforeAll(() => {
  validate = compile(providerTypes);
});

/** What an editor hands to the schema: YAML 1.2 as data, merge keys resolved. */
function dataOf(text: string): unknown {
  return parse(text, { merge: true });
}

/** Where the schema finds fault, each place once. */
function faults(text: string): string[] {
  return validate(dataOf(text)) ? [] : [...new Set((validate.errors ?? []).map(({ instancePath }) => instancePath))];
}

const isFine = (text: string): boolean =>
  parseConfig(text, { file: 'f.yaml', types: providerTypes }).settings !== undefined;

const FINE = writeTree(EVERY_TYPE);

const folder = fileURLToPath(new URL('../../../../examples/configurations/', import.meta.url));
const VALID = fileURLToPath(new URL('../../fixtures/valid/', import.meta.url));

test.each(readdirSync(folder).filter((name) => name.endsWith('.yaml')))(
  'the example %s is fine by the schema',
  (name) => {
    expect(faults(readFileSync(`${folder}${name}`, 'utf8'))).toEqual([]);
  },
);

test('a file with every key is fine by the schema, and by the reader', () => {
  expect(faults(FINE)).toEqual([]);
  expect(isFine(FINE)).toBe(true);
});

describe('what the reader takes, the schema takes', () => {
  const WORDS = [
    'null',
    '~',
    "''",
    '0',
    '"0"',
    '1',
    '+7',
    '0x10',
    '0X10',
    '-0b101',
    '1_000',
    '1.5',
    '.5',
    '1_0.5',
    '.inf',
    'true',
    'True',
    'yes',
    'Y',
    'OFF',
    '0s',
    '-0s',
    '1h30m',
    '+1.5h',
    '100h',
    '1e3',
    '4 gib',
    '1.5TiB',
    '2147483648',
    '08:00',
    '"24:00"',
    'Fri-Mon',
    '[sat, SUN]',
    '"mon - tue"',
    'WARNING',
    'Json',
    'gp2',
    'spread',
    'UTC',
    'x',
    '"12"',
    '12',
    '1234567',
    '/abs',
    'false',
    '{}',
    '[]',
    '[null]',
    "['']",
    '[x, x]',
    '{x: null}',
    '{x: 1}',
    '!!str 7',
    '[1, true]',
  ];

  test('at any place of a file', () => {
    const at = fc.nat({ max: placesOf(EVERY_TYPE) - 1 });
    fc.assert(
      fc.property(at, fc.constantFrom(...WORDS), (place, word) => {
        const text = writeTree(mutate(EVERY_TYPE, { kind: 'replace', at: place, other: 0, word }));
        if (isFine(text)) expect(faults(text)).toEqual([]);
      }),
      { numRuns: 120 },
    );
  });

  test.each([
    ['version: 1', 'version: null'],
    ['weight: 0.5', 'weight: 1_0.5'],
    ['weight: 0.5', 'weight: 0'],
    ['max_runners: 8, disabled', 'max_runners: 0x10, disabled'],
    ['max_runners: 8, disabled', 'max_runners: 1_000, disabled'],
    ['max_runners: 8, disabled', 'max_runners: +0B11, disabled'],
    ['disabled: false', 'disabled: On'],
    ['disabled: false', 'disabled: null'],
    ['name: ec2', 'name: &name ec2'],
    ['instance_profile: runner', 'instance_profile: 12'],
    ['instance_profile: runner', 'instance_profile: true'],
    ['instance_profile: runner', "instance_profile: ''"],
    ['timeout: 30s', 'timeout: "0"'],
    ['timeout: 30s', 'timeout: -0s'],
    ['timeout: 30s', 'timeout: +1.5h1m'],
    ['instance_type: [m7i.large]', 'instance_type: m7i.large'],
    ['disk_size: 20GiB', 'disk_size: 21474836480'],
    ['disk_size: 20GiB', 'disk_size: 2e1 gb'],
    ['disk_size: 20GiB', 'disk_size: null'],
    ['disk_iops: 3000', 'disk_iops: 0'],
    ['tags: {team: a}', 'tags: {team: null, other: 1.5}'],
    ['env: {B: 2}', 'env: {}'],
    ['command: [/run.sh, x]', "command: [/run.sh, '', 1]"],
    ['labels: [gpu, x]', "labels: [gpu, null, '', 7]"],
    ['days: [mon-fri]', 'days: "Fri - MON"'],
    ['from: 08:00', 'from: "08:00"'],
    ['to: 19:00', 'to: 24:00'],
    ['events: {', 'events: null #'],
    ['log_level: info', 'log_level: WARNING'],
    ['socket: /run/rungar.sock', 'socket: null'],
  ])('%s as %s', (from, to) => {
    const text = FINE.replace(from, to);
    expect(FINE).toContain(from);
    expect(isFine(text)).toBe(true);
    expect(faults(text)).toEqual([]);
  });

  test('without any key that may be missing', () => {
    const at = fc.nat({ max: placesOf(EVERY_TYPE) - 1 });
    fc.assert(
      fc.property(at, (place) => {
        const text = writeTree(mutate(EVERY_TYPE, { kind: 'remove', at: place, other: 0, word: '' }));
        if (isFine(text)) expect(faults(text)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test('written with anchors and merge keys, and in every other way that is kept as a fixture', () => {
    const ours = readdirSync(VALID).map((name) => readFileSync(`${VALID}${name}`, 'utf8').replace(/^\ufeff/, ''));
    // By its own word, an editor reads such a file by the rules of 1.1, in which 22:00 is 1320.
    const fine = ours.filter((text) => isFine(text) && !text.startsWith('%YAML 1.1'));
    expect(fine.length).toBeGreaterThan(1);
    expect(fine.flatMap(faults)).toEqual([]);
  });
});

function placesOf(tree: Tree): number {
  return typeof tree === 'string' ? 1 : Object.values(tree).reduce((sum: number, each) => sum + placesOf(each), 1);
}

describe('what is wrong', () => {
  test('a key misspelt at any level', () => {
    const keys = [...FINE.matchAll(/(?<=^|[{ ])([a-z_]+)(?=: )/gm)].filter(
      ({ index }) => !/(?:env|tags|labels|metadata): \{$/.test(FINE.slice(0, index)),
    );
    expect(keys.length).toBeGreaterThan(100);
    const taken = keys.filter(({ index, 1: key = '' }) => {
      const text = `${FINE.slice(0, index)}${key}x${FINE.slice(index + key.length)}`;
      return faults(text).length === 0;
    });
    expect(taken.map(({ 1: key }) => key)).toEqual([]);
  });

  test.each(['[[x]]', '{nobody: {knows: this}}'])('%s in place of any value', (word) => {
    const taken: number[] = [];
    for (let at = 0; at < placesOf(EVERY_TYPE); at++)
      if (faults(writeTree(mutate(EVERY_TYPE, { kind: 'replace', at, other: 0, word }))).length === 0) taken.push(at);
    expect(taken).toEqual([]);
  });

  test.each([
    ['version: 1', 'version: 2', '/version'],
    ['version: 1', 'version: "1"', '/version'],
    ['weight: 0.5', 'weight: heavy', '/providers/0/weight'],
    ['disabled: false', 'disabled: 1', '/providers/0/disabled'],
    ['disabled: false', 'disabled: "maybe"', '/providers/0/disabled'],
    ['type: aws', 'type: azure', '/providers/0/type'],
    ['region: eu-central-1', 'region: frankfurt', '/providers/0/region'],
    ['region: eu-central-1', 'region: null', '/providers/0/region'],
    ['region: eu-central-1, ', '', '/providers/0'],
    ['subnets: [subnet-0a1b2c3d]', 'subnets: []', '/providers/0/subnets'],
    ['subnets: [subnet-0a1b2c3d]', 'subnets: subnet-0a1b2c3d', '/providers/0/subnets'],
    ['disk_iops: 3000', 'disk_iops: 2999', '/providers/0/runner/disk_iops'],
    ['disk_type: gp3', 'disk_type: gp1', '/providers/0/runner/disk_type'],
    ['disk_size: 20GiB', 'disk_size: 20XB', '/providers/0/runner/disk_size'],
    ['disk_size: 20GiB', 'disk_size: -1', '/providers/0/runner/disk_size'],
    ['type: volume', 'type: disk', '/providers/2/runner/mounts/0/type'],
    ['target: /cache, ', '', '/providers/2/runner/mounts/0'],
    ['vcpus: 2', 'vcpus: 0', '/providers/2/runner/vcpus'],
    ['max_runners: 8, priority', 'max_runners: 0, priority', '/scale_sets/0/max_runners'],
    ['max_runners: 8, priority', 'max_runners: 1.5, priority', '/scale_sets/0/max_runners'],
    ['max_runners: 8, priority', 'max_runners: "8", priority', '/scale_sets/0/max_runners'],
    ['placement: pack', 'placement: Pack', '/scale_sets/0/placement'],
    ['start_timeout: 2m', 'start_timeout: 120', '/scale_sets/0/start_timeout'],
    ['start_timeout: 2m', 'start_timeout: 2d', '/scale_sets/0/start_timeout'],
    ['start_timeout: 2m', 'start_timeout: -2m', '/scale_sets/0/start_timeout'],
    ['days: [mon-fri]', 'days: [monday]', '/scale_sets/0/schedule/windows/0/days'],
    ['from: 08:00', 'from: 8:00', '/scale_sets/0/schedule/windows/0/from'],
    ['from: 08:00', 'from: 24:01', '/scale_sets/0/schedule/windows/0/from'],
    ['log_level: info', 'log_level: loud', '/log_level'],
  ])('%s written as %s', (from, to, place) => {
    expect(FINE).toContain(from);
    expect(faults(FINE.replace(from, to))).toContain(place);
  });

  test('a file without github, without credentials or without a provider', () => {
    const { github: _, ...without } = EVERY_TYPE as { readonly [key: string]: Tree };
    expect(faults(writeTree(without))).toContain('');
    expect(faults(writeTree({ ...without, github: { url: 'https://github.com/acme' } }))).toContain('/github');
    expect(faults(writeTree({ ...(EVERY_TYPE as object), providers: [] }))).toContain('/providers');
  });
});

describe('what is said of a key', () => {
  const schema = configSchema(providerTypes);
  const entry = (type: string) => schema.definitions?.[`provider_${type}`]?.properties ?? {};

  test('its default and its rule', () => {
    expect(schema.properties?.socket).toMatchObject({
      description: 'The control socket. It must be an absolute path of at most 103 bytes.',
      default: '/run/rungar/rungar.sock',
    });
    expect(schema.properties?.reconcile_interval).toMatchObject({
      description: 'How often everything is looked at afresh. At least 5s.',
      default: '30s',
    });
    expect(schema.definitions?.runner_dicer?.properties?.disk).toMatchObject({ default: '20GiB' });
  });

  test('that it is an addition of ours', () => {
    const additions = ['aws', 'gcp'].map((type) => entry(type).endpoint_url?.description);
    for (const each of [...additions, entry('proxmox').tls?.properties?.fingerprint?.description])
      expect(each).toMatch(/An addition of Rungar for Node: the Go daemon refuses a file with this key\.$/);
    expect(entry('aws').region?.description).not.toContain('addition');
  });
});

test('a type that declares no keys may have any', () => {
  const anyKeys = compile([boxType]);
  const provider = { name: 'b', type: 'box', address: 'a', runner: { image: 'i' } };
  const config = { github: { url: 'https://github.com/acme', token: 't' }, providers: [provider] };
  expect(anyKeys(config)).toBe(true);
  expect(anyKeys({ ...config, providers: [{ ...provider, weight: 'heavy' }] })).toBe(false);
});
