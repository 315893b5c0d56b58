import { describe, expect, test } from 'vitest';
import { parsePlan } from './parse-plan.js';

const line = (name: string, message: string, dependsOn?: readonly string[]): string =>
  JSON.stringify({ package: name, space: 'libs', version: '1.0.0', channel: 'latest', message, dependsOn });

const ready = (releasing: number): string =>
  JSON.stringify({ message: 'release plan ready', packages: 8, releasing, held: 1 });

describe('A61: only packages that release count', () => {
  const plan = [
    line('core', '● changed'),
    line('ui', '↻ catch-up', ['core']),
    line('docs', '◈ channel-only', ['core']),
    line('cli', 'unchanged'),
    line('infra', '‖ held by policy'),
    line('app', '⊘ withheld: waits for infra', ['infra']),
    line('extra', '⊝ not selected'),
    line('tools', '∅ script-only, nothing to publish'),
  ];

  test('and the others stay in the plan with their state', () => {
    const { plan: read, problems } = parsePlan([...plan, ready(3)].join('\n'));
    expect(problems).toEqual([]);
    expect(read.releasing).toBe(3);
    expect(read.counted).toBe(true);
    expect(read.packages.map(({ name, state, releases }) => [name, state, releases])).toEqual([
      ['core', 'changed', true],
      ['ui', 'catch-up', true],
      ['docs', 'channel-only', true],
      ['cli', 'unchanged', false],
      ['infra', 'held', false],
      ['app', 'withheld', false],
      ['extra', 'not-selected', false],
      ['tools', 'script-only', false],
    ]);
    expect(read.packages[1]).toMatchObject({ dependsOn: ['core'], space: 'libs', line: 2 });
  });

  test('and the plan has to count as many itself', () => {
    const { problems } = parsePlan([...plan, ready(4)].join('\n'), 'plan.log');
    expect(problems).toMatchObject([
      {
        code: 'PLAN_COUNT_MISMATCH',
        found: '3 releasing packages, where the plan itself counts 4',
        place: { file: 'plan.log', line: 9 },
      },
    ]);
  });

  test('where it does not count, that is remembered', () => {
    const { plan: read, problems } = parsePlan(plan.join('\n'));
    expect(problems).toEqual([]);
    expect(read.counted).toBe(false);
  });
});

describe('A62: output that is not JSON', () => {
  test('is PLAN_NOT_JSON, with what to ask for', () => {
    const { problems } = parsePlan('12:00:01 INF ● changed package=core\n12:00:01 INF release plan ready\n');
    expect(problems).toMatchObject([{ code: 'PLAN_NOT_JSON', found: 'no line of JSON' }]);
    expect(problems[0]?.fix).toContain('--log-format json');
  });

  test.each([
    { name: 'nothing at all', text: '' },
    { name: 'the JSON of something else', text: '{"level":"info","message":"hello"}\n' },
  ])('so is $name', ({ text }) => {
    expect(parsePlan(text).problems).toMatchObject([{ code: 'PLAN_NOT_JSON' }]);
  });

  test('a plan that releases nothing is none of that', () => {
    expect(parsePlan(ready(0)).problems).toEqual([]);
  });
});

describe('a log as a CI system keeps it', () => {
  test('has its own time before each line, blank lines and lines of others', () => {
    const text = [
      '##[group]Run dispat status',
      `2027-01-04T09:00:00.123Z ${line('core', '● changed')}\r`,
      '',
      '2027-01-04T09:00:00.124Z {not json',
      `2027-01-04T09:00:00.125Z ${line('ui', '● changed', ['core'])}\r`,
      JSON.stringify({ message: 'plan fixed', planDigest: 'sha256:ab' }),
      ready(2),
    ].join('\n');
    const { plan, problems } = parsePlan(text);
    expect(problems).toEqual([]);
    expect(plan).toMatchObject({ releasing: 2, skippedLines: 2, digest: 'sha256:ab' });
  });

  test.each([
    ['● changed', 'changed'],
    [' changed', 'changed'],
    ['? catch-up', 'catch-up'],
    ['\ufffd channel-only', 'channel-only'],
    ['held by policy', 'held'],
    ['withheld', 'withheld'],
    ['not selected', 'not-selected'],
    ['script-only', 'script-only'],
    ['unchanged', 'unchanged'],
    ['● geändert', 'changed'],
  ])('the message %j is %s', (message, state) => {
    expect(parsePlan(line('core', message)).plan.packages[0]?.state).toBe(state);
  });

  test('has other lines about packages, which are not the plan', () => {
    const { plan } = parsePlan(`${line('core', 'tag already exists')}\n${line('core', '● changed')}`);
    expect(plan.packages).toHaveLength(1);
  });
});

describe('a plan that cannot be', () => {
  test('has a package twice', () => {
    const { problems } = parsePlan(`${line('core', '● changed')}\n${line('core', 'unchanged')}`);
    expect(problems).toMatchObject([{ code: 'PLAN_INVALID', at: 'core', place: { line: 2 } }]);
  });

  test('has a dependsOn that is no list', () => {
    const { problems } = parsePlan('{"package":"ui","message":"● changed","dependsOn":"core"}');
    expect(problems).toMatchObject([{ code: 'PLAN_INVALID', at: 'ui' }]);
  });

  test('has more packages than any', () => {
    const text = Array.from({ length: 20_001 }, (_, index) => line(`p${index}`, '● changed')).join('\n');
    expect(parsePlan(text).problems).toMatchObject([{ code: 'INPUT_TOO_LARGE', found: '20001 packages' }]);
  });
});
