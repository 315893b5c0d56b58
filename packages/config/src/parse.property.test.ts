import { awsType } from '@rungar/providers/aws';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boxType } from '../test/box-type.js';
import { formatProblem } from './format-problem.js';
import { parseConfig } from './parse.js';

const FINE = `version: 1
installation: ci
github:
  url: https://github.com/acme
  token: t
providers:
  - &p
    name: p
    type: aws
    region: eu-central-1
    subnets: [subnet-0a1b2c3d]
    runner: &r {instance_type: m7i.large, image: ami-0a1b2c3d, disk_size: 20GiB, tags: {a: b}}
  - {name: q, type: box, address: a, runner: {image: i}}
scale_sets:
  - name: s
    labels: [gpu]
    max_runners: 8
    start_timeout: 2m
    max_age: 24h
    providers: [p, {name: q, runner: {cpus: 2, env: {A: 1}}}]
    schedule:
      timezone: Europe/Vilnius
      windows: [{days: [mon-fri], from: 08:00, to: "19:00", min_runners: 4}]
metrics: {enable: true}
events: {max_age: 72h}
log_level: debug
`;

const WORDS = [
  '',
  '0',
  '-1',
  '1.5',
  '.nan',
  'null',
  '~',
  '{}',
  '[]',
  '[[]]',
  '{a: b}',
  '"',
  "'",
  '*p',
  '*r',
  '&x',
  '<<: *p',
  '<<: *r',
  '!x',
  '|',
  '010',
  '30',
  '9'.repeat(40),
  'constructor',
  '__proto__',
  '\t',
  '\n',
  ': ',
  '- ',
  '# ',
  '\u0000',
  '\u2028',
  '😀',
  '22:00',
  'yes',
  'P',
];

const types = [boxType, awsType];

/** Reads a text, and checks what every reading must keep to. */
function read(text: string): ReturnType<typeof parseConfig> {
  const config = parseConfig(text, { file: 'f.yaml', types });
  const lines = text.split(/\r\n|\r|\n/).length;
  expect(config.settings === undefined).toBe(config.problems.some(({ severity }) => severity === 'error'));
  for (const problem of config.problems) {
    expect(problem.place.line).toBeGreaterThanOrEqual(1);
    expect(problem.place.line).toBeLessThanOrEqual(lines);
    expect(problem.place.column).toBeGreaterThanOrEqual(1);
    expect(formatProblem(problem)).toMatch(/^f\.yaml:\d+:\d+: .+$/);
  }
  return config;
}

test('the text it starts from is fine', () => expect(read(FINE).problems).toEqual([]));

test('any text gives settings, or problems with their places', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(fc.constantFrom(...WORDS)).map((words) => words.join(' ')),
      ),
      (text) => {
        read(text);
      },
    ),
  );
});

test('a fine text with a part replaced gives settings, or problems with their places', () => {
  const place = fc.nat({ max: FINE.length });
  fc.assert(
    fc.property(place, fc.nat({ max: 30 }), fc.constantFrom(...WORDS), (at, length, word) => {
      read(FINE.slice(0, at) + word + FINE.slice(at + length));
    }),
    { numRuns: 200 },
  );
});

test('a fine text with a value replaced gives settings, or problems with their places', () => {
  const values = [...FINE.matchAll(/(?<=: |\[|, )[^,:[\]{}\n]+/g)].map(({ index, 0: value }) => ({
    index,
    length: value.length,
  }));
  fc.assert(
    fc.property(fc.constantFrom(...values), fc.constantFrom(...WORDS), ({ index, length }, word) => {
      read(FINE.slice(0, index) + word + FINE.slice(index + length));
    }),
    { numRuns: 200 },
  );
});

test('a key misspelled anywhere is named', () => {
  const keys = [...FINE.matchAll(/(?<=^|[\s{])([a-z_]{3,})(?=:(?: |$))/gm)].filter(({ 1: key }) => key !== 'name');
  expect(keys.length).toBeGreaterThan(25);
  for (const { index, 1: key = '' } of keys) {
    const text = `${FINE.slice(0, index)}${key}x${FINE.slice(index + key.length)}`;
    expect(read(text).problems.map(({ path, hint }) => [path.split('.').at(-1), hint])).toContainEqual([
      `${key}x`,
      `did you mean ${key}?`,
    ]);
  }
});
