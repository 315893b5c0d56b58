import { describe, expect, test } from 'vitest';
import { ProblemList } from '../problems.js';
import { settingsOf } from './configuration.js';
import { readDispatConfiguration } from './read.js';

function read(text: string) {
  const list = new ProblemList();
  return { configuration: readDispatConfiguration(text, 'dispat.yaml', list), problems: list.all };
}

describe('the root', () => {
  test('reads the build and the publish budget, and takes 0 for none', () => {
    expect(read('{"concurrency": [2, 1]}').configuration).toMatchObject({
      buildBudget: { value: 2, place: { line: 1, column: 18 } },
      publishBudget: { value: 1 },
    });
    expect(read('concurrency: [0, 3]\n').configuration.buildBudget).toBeUndefined();
    expect(read('concurrency: 4\n').configuration).toMatchObject({
      buildBudget: { value: 4 },
      publishBudget: { value: 4 },
    });
  });

  test('reads the switches that concern the lock and the commit', () => {
    const { configuration } = read('unsafeDisableLock: true\ncommit: {verify: false}\n');
    expect(configuration.unsafeDisableLock?.value).toBe(true);
    expect(configuration.commitVerify).toEqual({ value: false, place: { file: 'dispat.yaml', line: 2, column: 18 } });
  });

  test('leaves keys alone that it does not know', () => {
    expect(read('hooks: {before: x}\ncommit: "release: {version}"\n').problems).toEqual([]);
  });

  test('has nothing in an empty file', () => {
    const { configuration, problems } = read('');
    expect(problems).toEqual([]);
    expect(configuration.execution).toBeUndefined();
  });
});

describe('the execution block', () => {
  test('is read with the place of each value', () => {
    const { configuration, problems } = read(
      'execution:\n  role: orchestrator\n  secretEnv: S\n  concurrency: 2\n  timeouts: {preflight: 600, task: 0}\n' +
        '  workers:\n    - {name: w-0, endpoint: "git@h:r.git"}\n    - {name: w-1}\n',
    );
    expect(problems).toEqual([]);
    const { execution } = configuration;
    expect(execution?.role?.value).toBe('orchestrator');
    expect(execution?.concurrency?.value).toBe(2);
    expect(execution?.timeouts.preflight?.value).toBe(600);
    expect(execution?.timeouts.task).toBeUndefined();
    expect(execution?.workers?.value.map((link) => [link.name?.value, link.endpoint?.value])).toEqual([
      ['w-0', 'git@h:r.git'],
      ['w-1', undefined],
    ]);
    expect(execution?.workers?.value[1]?.place).toEqual({ file: 'dispat.yaml', line: 8, column: 7 });
  });

  test('refuses a concurrency of 0', () => {
    expect(read('execution: {concurrency: 0}\n').problems).toMatchObject([
      {
        code: 'OPTION_INVALID',
        at: 'execution.concurrency',
        found: '0',
        allowed: 'at least 1',
        place: { line: 1, column: 26 },
      },
    ]);
  });
});

describe('what holds for a package', () => {
  const { configuration } = read(
    'isBuildWaitingPublish: true\nbuildPlatforms: [linux/amd64]\nrunOnly: both\nspaces:\n  libs:\n' +
      '    isBuildWaitingPublish: {build: none}\n    login: ./login.sh\npackages:\n  core:\n    runOnly: [worker, orchestrator]\n' +
      '    buildPlatforms: [linux/arm64, linux/amd64]\n    buildOutputs: [dist]\n',
  );

  test.each([
    { name: 'app', space: 'apps', relation: 'publish', build: 'both', platforms: ['linux/amd64'], login: undefined },
    { name: 'ui', space: 'libs', relation: 'none', build: 'both', platforms: ['linux/amd64'], login: true },
    {
      name: 'core',
      space: 'libs',
      relation: 'none',
      build: 'worker',
      platforms: ['linux/arm64', 'linux/amd64'],
      login: true,
    },
  ])('$name has what is nearest to it', ({ name, space, relation, build, platforms, login }) => {
    const settings = settingsOf(configuration, { name, space });
    expect(settings.isBuildWaitingPublish?.value).toBe(relation);
    expect(settings.runOnly?.value.build).toBe(build);
    expect(settings.buildPlatforms?.value).toEqual(platforms);
    expect(settings.login?.value).toBe(login);
  });

  test('is nothing without a configuration', () => {
    expect(settingsOf(undefined, { name: 'core' })).toEqual({});
  });

  test.each([
    ['isBuildWaitingPublish: maybe\n', 'isBuildWaitingPublish'],
    ['isBuildWaitingPublish: {build: later}\n', 'isBuildWaitingPublish.build'],
    ['runOnly: [both, worker, both]\n', 'runOnly'],
    ['spaces: {s: {runOnly: elsewhere}}\n', 'spaces.s.runOnly'],
    ['buildPlatforms: [amd64]\n', 'buildPlatforms[0]'],
  ])('cannot be said by %s', (text, at) => {
    expect(read(text).problems).toMatchObject([{ severity: 'error', code: 'OPTION_INVALID', at }]);
  });
});

describe('a file that is none', () => {
  test.each([
    ['a: 1\na: 2\n', 'YAML_DUPLICATE_KEY'],
    ['a: [1\n', 'YAML_INVALID'],
    ['- a\n', 'DOCUMENT_NOT_OBJECT'],
  ])('%j is %s', (text, code) => {
    expect(read(text).problems.map((problem) => problem.code)).toContain(code);
  });

  test('tells all problems at once', () => {
    expect(read('runOnly: x\nconcurrency: [a, 1]\n').problems).toHaveLength(2);
  });
});
