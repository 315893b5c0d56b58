import { describe, expect, test } from 'vitest';
import { sizeInputOf, type TestPackage } from '../../test/plans.js';
import type { Relation } from '../dispat-config/configuration.js';
import { readDispatConfiguration } from '../dispat-config/read.js';
import { isInputError, ProblemList } from '../problems.js';
import { analysePlan, type SizeInput, simulate } from './analyse.js';

const times = (packages: readonly TestPackage[], more: Partial<SizeInput> = {}): number[] =>
  analysePlan(sizeInputOf(packages, more)).rows.map(({ time }) => time);

const readConfiguration = (text: string) => readDispatConfiguration(text, 'dispat.json', new ProblemList());

const refused = (input: SizeInput) => {
  try {
    analysePlan(input);
  } catch (error) {
    if (isInputError(error)) return error.problems;
    throw error;
  }
  throw new Error('the plan was accepted');
};

describe('A54: the three packages of the documentation', () => {
  const three = (relation: Relation): TestPackage[] => [
    { name: 'infra', build: 4, publish: 6, relation },
    { name: 'backend', build: 9, publish: 3, on: ['infra'], relation },
    { name: 'frontend', build: 12, publish: 2, on: ['infra', 'backend'], relation },
  ];

  test.each([
    { relation: 'publish', tie: 'plan', first: [36, 36, 36] },
    { relation: 'build', tie: 'plan', first: [27, 27, 27] },
    { relation: 'none', tie: 'plan', first: [27, 18, 15] },
    { relation: 'none', tie: 'name', first: [36, 24, 15] },
  ] as const)('take $first on 1, 2 and 3 slots under $relation in $tie order', ({ relation, tie, first }) => {
    expect(times(three(relation), { tie }).slice(0, 3)).toEqual(first);
  });

  test.each([
    ['publish', 36],
    ['build', 27],
    ['none', 15],
  ] as const)('take, under %s, %i on any number', (relation, time) => {
    expect(times(three(relation)).at(-1)).toBe(time);
  });
});

describe('A55: a weaker relation can be slower', () => {
  const pair = (relation: Relation): TestPackage[] => [
    { name: 'first', build: 2, publish: 3, relation },
    { name: 'second', build: 1, publish: 2, on: ['first'], relation },
    { name: 'third', build: 8, publish: 3, relation },
  ];

  test.each([
    ['build', 11],
    ['none', 12],
  ] as const)('under %s two build slots take %i', (relation, time) => {
    expect(times(pair(relation))[1]).toBe(time);
    expect(times(pair(relation), { buildBudget: 2 }).at(-1)).toBe(time);
  });
});

const five = (core: number, consumer: number, alone: number): TestPackage[] => [
  { name: 'core', build: core, publish: 1 },
  { name: 'ui', build: consumer, publish: 1, on: ['core'] },
  { name: 'docs', build: consumer, publish: 1, on: ['core'] },
  { name: 'cli', build: alone, publish: 1 },
  { name: 'infra', build: alone, publish: 1 },
];

describe('A56: a plan that is wider than its widest level', () => {
  const report = analysePlan(sizeInputOf(five(1, 8, 10)));

  test('has a level of three and a width of four', () => {
    expect(report.levelWidth).toBe(3);
    expect(report.width).toBe(4);
    expect(report.widest).toEqual(['ui', 'docs', 'cli', 'infra']);
  });

  test('takes 40, 22, 20 and 13 on one to four workers, and four are worth having', () => {
    expect(report.rows.slice(0, 4).map(({ time }) => time)).toEqual([40, 22, 20, 13]);
    expect(report).toMatchObject({ knee: 4, recommended: 4, lowerBound: 13 });
  });

  test('is worth two workers with other durations, whatever its width', () => {
    const other = analysePlan(sizeInputOf(five(10, 4, 1)));
    expect(other.rows[1]?.time).toBe(18);
    expect(Math.min(...other.rows.map(({ time }) => time))).toBe(18);
    expect(other).toMatchObject({ width: 4, recommended: 2 });
  });
});

test('A57: a chain of five is worth one worker, because of its longest chain', () => {
  const chain = ['a', 'b', 'c', 'd', 'e'].map((name, index, all) => ({
    name,
    on: index === 0 ? [] : [all[index - 1] ?? ''],
  }));
  const report = analysePlan(sizeInputOf(chain));
  expect(report).toMatchObject({ width: 1, levelWidth: 1, peak: 1, recommended: 1, lowerBound: 5, bind: 'chain' });
  expect(report.summary).toContain('longest chain');
  expect(report.longestChain).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('A57: so is one whose publishes take time', () => {
  const chain = ['a', 'b', 'c'].map((name, index, all) => ({
    name,
    publish: 1,
    on: index === 0 ? [] : [all[index - 1] ?? ''],
  }));
  expect(analysePlan(sizeInputOf(chain))).toMatchObject({ recommended: 1, lowerBound: 4, bind: 'chain' });
});

test('A58: consumers that wait for publishes', () => {
  const report = analysePlan(
    sizeInputOf([
      { name: 'one', build: 2, publish: 3, relation: 'publish' },
      { name: 'two', build: 2, publish: 3, relation: 'publish' },
      { name: 'of-one', build: 5, publish: 1, on: ['one'] },
      { name: 'of-two', build: 5, publish: 1, on: ['two'] },
      { name: 'of-both', build: 5, publish: 1, on: ['one', 'two'] },
    ]),
  );
  expect(report).toMatchObject({ width: 3, lowerBound: 15 });
  expect(report.rows.slice(0, 3).map(({ time }) => time)).toEqual([21, 16, 15]);
});

describe('A59: one core and twelve consumers', () => {
  const packages: TestPackage[] = [
    { name: 'core', build: 3, publish: 0.5 },
    ...Array.from({ length: 12 }, (_, index) => ({ name: `c${index + 1}`, build: 5, publish: 0.5, on: ['core'] })),
  ];
  const report = analysePlan(sizeInputOf(packages));

  test('have the times of the documentation', () => {
    expect(report.rows.map(({ time }) => time)).toEqual([63.5, 34, 24.5, 20, 19, 16, 15.5, 15, 14.5, 14, 14, 14]);
    expect(report).toMatchObject({ width: 12, levelWidth: 12, peak: 12, lowerBound: 14 });
    expect(report.rows.map(({ bound }) => bound).indexOf(true)).toBe(9);
  });

  test.each([
    [5, 9],
    [15, 6],
  ])('have their knee, at %i %%, at %i', (targetGain, knee) => {
    expect(analysePlan(sizeInputOf(packages, { targetGain }))).toMatchObject({ knee, recommended: knee });
  });

  test('say what the next worker would save', () => {
    expect(report.summary).toBe(
      'Recommended: 9 workers (14.5 s, within 5 % of the best, 14 s), because the longest chain of tasks takes 14 s on ' +
        'any number of machines; one more worker would save 0.5 s.',
    );
  });

  test('are worth four workers with a build budget of four, which is named', () => {
    const bounded = analysePlan(sizeInputOf(packages, { buildBudget: 4 }));
    expect(bounded.rows.map(({ time }) => time)).toEqual([63.5, 34, 24.5, 20, 20, 20, 20, 20, 20, 20, 20, 20]);
    expect(bounded).toMatchObject({ recommended: 4, bind: 'budget', usefulSlots: 4, buildBudget: 4 });
    expect(bounded.summary).toContain('build budget, `concurrency`');
    expect(bounded.notes.join()).toContain('build budget 4');
  });

  test('cost a worker for the run, its start and its idle time', () => {
    const costly = analysePlan(sizeInputOf(packages, { startDelayMs: 60_000, idleTimeoutMs: 300_000 }));
    expect(costly.rows[1]).toMatchObject({ n: 2, time: 94 });
    expect(costly.rows[1]?.workerMinutes).toBeCloseTo((2 * (34 + 60 + 300)) / 60);
    expect(costly.lowerBound).toBe(74);
  });

  test('keep two workers busy for 63 of 68 seconds', () => {
    // One build of 3 and twelve of 5 are 63 of work; the longest chain and its publishes take 14.
    expect(report.rows.slice(0, 6).map(({ lowerBound }) => lowerBound)).toEqual([63, 31.5, 21, 15.75, 14, 14]);
    expect(report.rows[1]).toMatchObject({ speedUp: 63.5 / 34, saved: 29.5, utilisation: 63 / 68 });
  });
});

describe('A63: a package between two that release', () => {
  const between = (relation: Relation, providerRelation: Relation = 'build'): TestPackage[] => [
    { name: 'base', build: 5, publish: 2, relation: providerRelation },
    { name: 'middle', on: ['base'], releases: false, relation },
    { name: 'top', build: 3, publish: 1, on: ['middle'] },
  ];

  test('passes the order on', () => {
    const report = analysePlan(sizeInputOf(between('build')));
    expect(report).toMatchObject({ width: 1, lowerBound: 9, releasing: 2 });
    expect(report.longestChain).toEqual(['base', 'top', 'publish top']);
  });

  test('ends the order of the builds with a `none` hop, and keeps that of the publishes', () => {
    const report = analysePlan(
      sizeInputOf(between('none'), {
        repositories: new Map([
          ['base', 'r1'],
          ['top', 'r2'],
        ]),
      }),
    );
    expect(report).toMatchObject({ width: 2, lowerBound: 8 });
    expect(report.longestChain).toEqual(['base', 'publish base', 'publish top']);
  });

  test('passes on that a build waits for a publish', () => {
    expect(analysePlan(sizeInputOf(between('build', 'publish'))).longestChain).toEqual([
      'base',
      'publish base',
      'top',
      'publish top',
    ]);
  });

  test('orders the builds where one path of two has no `none`', () => {
    const packages: TestPackage[] = [
      ...between('none').slice(0, 2),
      { name: 'other', on: ['base'], releases: false, relation: 'build' },
      { name: 'top', build: 3, publish: 1, on: ['middle', 'other'] },
    ];
    expect(analysePlan(sizeInputOf(packages)).width).toBe(1);
  });
});

describe('a provider that does not release, but whose outputs are needed', () => {
  const packages: TestPackage[] = [
    { name: 'base', build: 5, releases: false },
    { name: 'top', build: 3, on: ['base'] },
    { name: 'side', build: 3 },
  ];

  test('is built once, without a publish', () => {
    const report = analysePlan(sizeInputOf(packages, { prepare: true }));
    expect(report.longestChain).toEqual(['prepare base', 'top']);
    expect(report).toMatchObject({ width: 2, lowerBound: 8, levelWidth: 1 });
  });

  test('takes no build budget', () => {
    expect(times(packages, { prepare: true, buildBudget: 1 })[1]).toBe(8);
  });

  test('is not built when nobody needs it', () => {
    expect(analysePlan(sizeInputOf(packages)).lowerBound).toBe(3);
  });
});

describe('a sweep', () => {
  test('has one task a package and no publishes', () => {
    const report = analysePlan(sizeInputOf(five(1, 8, 10), { sweep: true }));
    expect(report).toMatchObject({ width: 4, lowerBound: 10, publishChains: [] });
  });
});

describe('what runs where', () => {
  const configuration = (text: object) => ({ configuration: readConfiguration(JSON.stringify(text)) });

  test('a build that stays on the orchestrator takes no worker', () => {
    const report = analysePlan(
      sizeInputOf(five(1, 8, 10), configuration({ packages: { cli: { runOnly: 'orchestrator' } } })),
    );
    expect(report.widest).toEqual(['ui', 'docs', 'infra']);
  });

  test('a publish that leaves the orchestrator needs a worker', () => {
    const report = analysePlan(
      sizeInputOf(
        [{ name: 'a', build: 2, publish: 2 }],
        configuration({ packages: { a: { runOnly: ['both', 'worker'] } } }),
      ),
    );
    expect(report.rows[0]).toMatchObject({ time: 4, utilisation: 1 });
  });

  test('builds fall over to the orchestrator when no worker is free, without the overhead of one', () => {
    const two: TestPackage[] = [
      { name: 'a', build: 4 },
      { name: 'b', build: 4 },
    ];
    expect(times(two, { localSlots: 1, overheadMs: 3000 })[0]).toBe(7);
    expect(times(two, { localSlots: 0, overheadMs: 3000 })[0]).toBe(14);
  });

  test('each platform is sized for its own builds', () => {
    const report = analysePlan(
      sizeInputOf(five(1, 8, 10), {
        ...configuration({
          buildPlatforms: ['linux/amd64'],
          packages: {
            cli: { buildPlatforms: ['linux/arm64'] },
            infra: { buildPlatforms: ['linux/arm64', 'linux/amd64'] },
          },
        }),
      }),
    );
    expect(report.width).toBe(4);
    expect(report.platforms).toEqual([
      { platform: 'linux/amd64', width: 3, widest: ['ui', 'docs', 'infra'], recommended: 3 },
      { platform: 'linux/arm64', width: 2, widest: ['cli', 'infra'], recommended: 1 },
    ]);
  });

  test('no pool helps where nothing may run on one', () => {
    const report = analysePlan(sizeInputOf(five(1, 8, 10), configuration({ runOnly: 'orchestrator' })));
    expect(report).toMatchObject({ width: 0, recommended: 0 });
    expect(report.summary).toContain('no workers');
  });
});

describe('what is missing', () => {
  test('makes the times steps, and is listed', () => {
    const { durations: _none, ...input } = sizeInputOf(five(1, 8, 10));
    const report = analysePlan(input);
    expect(report).toMatchObject({ unit: 'steps', lowerBound: 2 });
    expect(report.rows[0]).toMatchObject({ time: 5, workerMinutes: null });
    expect(report.assumptions.join('\n')).toContain('steps, not minutes');
  });

  test('is the middle of the builds that are known, and is listed', () => {
    const report = analysePlan(
      sizeInputOf([{ name: 'a' }, { name: 'b' }], {
        durations: { defaults: {}, packages: new Map([['a', { buildMs: 4000 }]]) },
      }),
    );
    expect(report.lowerBound).toBe(4);
    expect(report.assumptions).toContain('1 build without a duration: 4 s each');
    expect(report.assumptions).toContain('2 publishes without a duration: 0 s each');
  });

  test('is no build budget and one publish at a time', () => {
    const { assumptions } = analysePlan(sizeInputOf([{ name: 'a' }]));
    expect(assumptions.some((text) => text.startsWith('no build budget'))).toBe(true);
    expect(assumptions).toContain('one publish at a time');
  });
});

describe('how long a worker waits for its next task', () => {
  const packages: TestPackage[] = [
    { name: 'core', build: 2400 },
    ...['a', 'b', 'c', 'd'].map((name) => ({ name, build: 600, on: ['core'] })),
  ];

  test('is the forty minutes of the one build the others wait for', () => {
    expect(simulate(sizeInputOf(packages), 4).longestGap).toBe(2_400_000);
  });

  test('is nothing where one worker does it all', () => {
    expect(simulate(sizeInputOf(packages), 1).longestGap).toBe(0);
  });
});

describe('a plan that cannot be sized', () => {
  test('has a cycle, which is shown whole', () => {
    const problems = refused(
      sizeInputOf([
        { name: 'a', on: ['c'] },
        { name: 'b', on: ['a'] },
        { name: 'c', on: ['b'] },
        { name: 'd', on: ['c'] },
      ]),
    );
    expect(problems).toMatchObject([{ code: 'PLAN_CYCLE' }]);
    expect(problems[0]?.found.split(': ')[1]?.split(' → ').slice(0, 3).sort()).toEqual(['a', 'b', 'c']);
  });

  test('names providers that have no line, each with the nearest one', () => {
    const problems = refused(
      sizeInputOf([{ name: 'core' }, { name: 'ui', on: ['cores'] }, { name: 'x', on: ['zzz'] }]),
    );
    expect(problems.map(({ code, at }) => [code, at])).toEqual([
      ['PLAN_UNKNOWN_PROVIDER', 'ui'],
      ['PLAN_UNKNOWN_PROVIDER', 'x'],
    ]);
    expect(problems[0]?.fix).toBe('did you mean core?');
  });

  test('is not in the order of its own providers', () => {
    const problems = refused(sizeInputOf([{ name: 'ui', on: ['core'] }, { name: 'core' }]));
    expect(problems).toMatchObject([{ code: 'PLAN_CYCLE' }]);
  });

  test('has overrides for what it does not have', () => {
    const problems = refused({ ...sizeInputOf([{ name: 'core' }]), relations: new Map([['cor', 'none']]) });
    expect(problems).toMatchObject([{ code: 'OPTION_INVALID', at: 'relation', fix: 'did you mean core?' }]);
  });
});
