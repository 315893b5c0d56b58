import type { Problem } from '@rungar/model';
import { providerTypes } from '@rungar/providers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boxType } from '../test/box-type.js';
import { type Mutation, mutate, type Tree, writeTree } from '../test/tree.js';
import { additionsIn } from './additions.js';
import { formatProblem } from './format-problem.js';
import { parseConfig } from './parse.js';

const types = [...providerTypes, boxType];

const FINE: Tree = {
  version: '1',
  installation: 'ci',
  github: {
    url: 'https://github.com/acme',
    app_client_id: 'Iv1.x',
    app_installation_id: '4711',
    app_private_key_path: '/etc/app.pem',
  },
  providers: [
    {
      name: 'cloud',
      type: 'aws',
      weight: '0.5',
      max_runners: '8',
      disabled: 'no',
      region: 'eu-central-1',
      subnets: ['subnet-0a1b2c3d', 'subnet-1a1b2c3d'],
      security_groups: ['sg-0a1b2c3d'],
      timeout: '30s',
      runner: {
        instance_type: ['m7i.large', 'm6i.large'],
        image: 'ami-0a1b2c3d',
        disk_size: '20GiB',
        disk_iops: '3000',
        spot: 'yes',
        tags: { team: 'a', empty: 'null' },
        user_data: '"#!/bin/sh\\nexec run\\n"',
      },
    },
    { name: 'box', type: 'box', address: 'one', runner: { image: 'i', env: { A: '1', B: 'x' } } },
  ],
  scale_sets: [
    {
      name: 'linux',
      labels: ['gpu', 'x'],
      runner_group: 'Fast',
      min_runners: '1',
      max_runners: '8',
      priority: '-3',
      placement: 'pack',
      start_timeout: '2m',
      max_idle_age: '1h30m',
      max_age: '24h',
      paused: 'off',
      providers: ['cloud', { name: 'box', runner: { cpus: '2', env: { B: 'null' } } }],
      schedule: {
        timezone: 'Europe/Vilnius',
        windows: [
          { days: ['mon-fri'], from: '08:00', to: '"19:00"', min_runners: '4' },
          { days: 'sat', from: '22:00', to: '06:00' },
        ],
      },
    },
    { name: 'second', max_runners: '1', providers: ['box'] },
  ],
  reconcile_interval: '10s',
  metrics: { enable: 'true', listen: '"[::1]:9102"' },
  page: { enable: 'true', listen: '"127.0.0.1:9103"' },
  events: { file: '/e', max_count: '5', max_age: '72h' },
  socket: '/s',
  log_level: 'debug',
  log_format: 'json',
};

const WORDS = [
  '',
  '0',
  '-1',
  '1.5',
  '.nan',
  'null',
  '[]',
  '{}',
  '"',
  '*x',
  '&y',
  '<<',
  '!t',
  '010',
  '30',
  'P',
  '__proto__',
  'constructor',
  '"\\u0000"',
  '9'.repeat(40),
  'x'.repeat(300),
  '"a\\nb"',
  'ghp_a1B2a1B2a1B2a1B2a1B2',
];

const mutations: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('remove', 'rename', 'replace', 'repeat', 'wrap', 'move', 'anchor'),
  at: fc.nat({ max: 999 }),
  other: fc.nat({ max: 999 }),
  word: fc.constantFrom(...WORDS),
});

/** Reads a text, and checks what every reading must keep to. */
function read(text: string): ReturnType<typeof parseConfig> {
  const config = parseConfig(text, { file: 'f.yaml', types });
  const problems = [...config.problems, ...config.deprecations, ...additionsIn(config.root, types)];
  const lines = text.split('\n').map((line) => line.length);
  const hasErrors = config.problems.some(({ severity }) => severity === 'error');
  expect([config.settings === undefined, problems.filter((problem) => !isSound(problem, lines))]).toEqual([
    hasErrors,
    [],
  ]);
  return config;
}

/** Whether a problem points into the text, is one line for a person, and shows no token. */
function isSound(problem: Problem, lines: readonly number[]): boolean {
  const { place } = problem;
  const isInside = [place, place.usedAt ?? place].every(
    ({ line, column }) => column >= 1 && column <= (lines[line - 1] ?? -1) + 1,
  );
  const shown = formatProblem(problem);
  return (
    isInside &&
    /^f\.yaml:\d+:\d+: .+$/.test(shown) &&
    !shown.includes('ghp_') &&
    problem.value?.includes('ghp_') !== true
  );
}

test('the configuration it starts from is fine', () => expect(read(writeTree(FINE)).problems).toEqual([]));

test('a configuration with a few things changed gives settings, or problems with their places', () => {
  fc.assert(
    fc.property(fc.array(mutations, { minLength: 1, maxLength: 4 }), (changes) => {
      read(writeTree(changes.reduce(mutate, FINE)));
    }),
    { numRuns: 200 },
  );
});

describe('a configuration with one value changed', () => {
  const count = writeTree(FINE).match(/[\w"'/.-]+/g)?.length ?? 0;
  const each = Array.from({ length: count }, (_, at) => at);

  test.each(['null', '{}', '[]', '"x y"', '-1'])('to %s anywhere is read to its end', (word) => {
    for (const at of each) read(writeTree(mutate(FINE, { kind: 'replace', at, other: 0, word })));
  });

  test('by leaving it out is still read to its end', () => {
    for (const at of each) read(writeTree(mutate(FINE, { kind: 'remove', at, other: 0, word: '' })));
  });

  test('by a name nobody knows says so', () => {
    let named = 0;
    for (const at of each) {
      const text = writeTree(mutate(FINE, { kind: 'rename', at, other: 0, word: 'zzzzzz' }));
      const isName = !text.includes('zzzzzz') || /(?:tags|env): \{[^}]*zzzzzz/.test(text);
      // Without its type, the keys of a provider cannot be told.
      if (isName || /zzzzzz: (?:aws|box)/.test(text)) continue;
      named++;
      const unknown = read(text).problems.filter(({ message }) => message.startsWith('is not a known key'));
      expect(unknown.map(({ path }) => path.split('.').at(-1))).toContain('zzzzzz');
    }
    expect(named).toBeGreaterThan(60);
  });
});
