import type { Located } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { ProblemList } from '../problems.js';
import { readDispatConfiguration } from './read.js';
import { readToml } from './toml.js';

const FILE = 'dispat.toml';

function read(text: string) {
  const list = new ProblemList();
  return { configuration: readDispatConfiguration(text, FILE, list), problems: list.all };
}

const DOCUMENTED = [
  'concurrency = [4, 1]',
  'runOnly = "both"',
  '',
  '[execution]',
  'role = "orchestrator"',
  'secretEnv = "DISPAT_EXECUTION_SECRET"',
  '',
  '  [execution.timeouts]',
  '  preflight = 600',
  '  task = 3600',
  '',
  '[[execution.workers]]',
  'name = "w-0"',
  'endpoint = "git@github.com:acme/release-mailbox.git"',
  '',
  '[[execution.workers]]',
  'name = "w-1"',
  'endpoint = "git@github.com:acme/release-mailbox.git"',
  '',
  '[spaces.libs]',
  'isBuildWaitingPublish = {build = "none"}',
  '[packages."core.x"]',
  'buildPlatforms = ["linux/arm64"]',
  '',
].join('\n');

test('a dispat configuration may be TOML, with the place of each value', () => {
  const { configuration, problems } = read(DOCUMENTED);
  expect(problems).toEqual([]);
  const { execution, buildBudget, spaces, packages } = configuration;
  expect(buildBudget?.value).toBe(4);
  expect(execution?.role).toEqual({ value: 'orchestrator', place: { file: FILE, line: 5, column: 8 } });
  expect(execution?.timeouts.preflight).toEqual({ value: 600, place: { file: FILE, line: 9, column: 15 } });
  expect(execution?.workers?.value.map(({ name, place }) => [name?.value, name?.place.line, place.line])).toEqual([
    ['w-0', 13, 12],
    ['w-1', 17, 16],
  ]);
  expect(spaces.get('libs')?.isBuildWaitingPublish?.value).toBe('none');
  expect(packages.get('core.x')?.buildPlatforms).toMatchObject({
    value: ['linux/arm64'],
    place: { line: 23, column: 18 },
  });
});

test.each([
  ['[execution]\nconcurrency = 0\n', 'OPTION_INVALID execution.concurrency', 2, 15],
  ['runOnly = "elsewhere"\n', 'OPTION_INVALID runOnly', 1, 11],
  ['[execution]\nworkers = [\n  {name = [3]},\n]\n', 'OPTION_INVALID execution.workers[0].name', 2, 11],
  ['a = 1\na = 2\n', 'YAML_DUPLICATE_KEY dispat configuration', 2, 1],
  ['a = \n', 'YAML_INVALID dispat configuration', 1, 5],
  ['execution: {}\n', 'YAML_INVALID dispat configuration', 1, 10],
])('what is wrong with %j is told with its place', (text, what, line, column) => {
  const { problems } = read(text);
  expect(problems.map(({ code, at }) => `${code} ${at}`)).toEqual([what]);
  expect(problems[0]?.place).toEqual({ file: FILE, line, column });
});

describe('values', () => {
  const at = (text: string, ...path: string[]): Located | undefined =>
    path.reduce<Located | undefined>(
      (node, key) => (node?.kind === 'map' ? node.entries.find((entry) => entry.key === key)?.value : undefined),
      readToml(text, FILE).root,
    );

  test.each([
    ['a = "600"', { source: '600', quoted: true }],
    ['a = 600', { source: '600', quoted: false }],
    ['a = 9007199254740993', { source: '9007199254740993', quoted: false }],
    ['a = true', { source: 'true', quoted: false }],
    ['a = 2026-08-20T00:00:00Z', { source: '2026-08-20T00:00:00.000Z', quoted: true }],
  ])('%s', (text, scalar) => expect(at(text, 'a')).toMatchObject({ kind: 'scalar', isNull: false, ...scalar }));

  test('in a string of several lines look like no keys', () => {
    const text = 'a = """\nb = 1\n[c]\n"""\n\nb = 2\n[t]\nx.y = \'z\'\n';
    expect(at(text, 'b')?.place).toEqual({ file: FILE, line: 6, column: 5 });
    expect(at(text, 't', 'x', 'y')?.place).toEqual({ file: FILE, line: 8, column: 7 });
  });
});
