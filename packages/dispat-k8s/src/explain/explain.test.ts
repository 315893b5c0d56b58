import { describe, expect, test } from 'vitest';
import { documentedPoolText } from '../../test/documented.js';
import { runProgram } from '../../test/world.js';
import { rules } from '../check/rules/index.js';
import { OPTIONS } from '../options/table.js';
import { explainManifest } from './choices.js';
import { explain, topics } from './explain.js';
import { FIXED_REASONS, SETTING_REASONS } from './settings.js';

describe('explain', () => {
  test.each(rules.map(({ id }) => id))('says why of rule %s', (id) => {
    expect(explain(id.toLowerCase())).toMatchObject({ kind: 'rule', topic: id, fix: expect.any(String) });
  });

  test.each(Object.keys(OPTIONS))('says why of option %s', (key) => {
    const { kind, why } = explain(key);
    expect(kind).toBe('setting');
    expect(why[0]?.length).toBeGreaterThan(30);
  });

  test('names only rules that there are', () => {
    const known = new Set<string>(rules.map(({ id }) => id));
    const named = [...Object.values(SETTING_REASONS), ...Object.values(FIXED_REASONS)].flatMap((each) => each.rules);
    expect(named.filter((id) => !known.has(id))).toEqual([]);
  });

  test.each([
    ['--grace-period', 'gracePeriod'],
    ['terminationGracePeriodSeconds', 'gracePeriod'],
    ['idle-timeout', 'idleTimeout'],
    ['completions', 'count'],
    ['timeouts.preflight', 'preflight'],
    ['fsGroup', 'fsGroup'],
    ['cluster-autoscaler.kubernetes.io/safe-to-evict', 'safe-to-evict'],
    ['backoffLimit', 'failureScope'],
  ])('knows %s as %s', (topic, setting) => expect(explain(topic).topic).toBe(setting));

  test.each(['hpa', 'HorizontalPodAutoscaler'])('gives the four reasons against %s', (topic) => {
    const { kind, why } = explain(topic);
    expect(kind).toBe('autoscaler');
    expect(why.map((text) => text.split('. ')[0])).toEqual([
      'The pool is fixed before any task is placed',
      'CPU is the wrong signal',
      'The reaction is slower than the work',
      'Scaling down is destructive',
    ]);
  });

  test('names the nearest topic for one nobody knows', () => {
    expect(() => explain('idleTimout')).toThrow(/did you mean idleTimeout\?/);
  });

  test('has something to say of every topic it lists', () => {
    for (const topic of topics()) expect(explain(topic).why.join('')).not.toBe('');
  });
});

describe('a manifest', () => {
  const [pool] = explainManifest([{ name: 'pool.yaml', text: documentedPoolText }]);

  test('is gone through choice by choice, with values and lines', () => {
    const choices = new Map(pool?.choices.map((choice) => [choice.field, choice]));
    expect(pool?.pool).toBe('Job release/dispat-workers');
    expect(choices.get('completions')).toMatchObject({ value: '4', line: 8, setting: 'count' });
    expect(choices.get('backoffLimit')).toMatchObject({ value: '0', line: 10 });
    expect(choices.get('terminationGracePeriodSeconds')).toMatchObject({ value: '3600', rules: ['DWM110'] });
    expect(choices.get('resources.requests.cpu')).toMatchObject({ value: '7', setting: 'cpu' });
    expect(choices.get('--idle-timeout')).toMatchObject({ value: '900' });
    expect(choices.get('execution.name')).toMatchObject({ value: 'w-INDEX' });
    expect(choices.get('defaultMode')).toMatchObject({ value: '0400', setting: 'sshMode' });
  });

  test('that is the documented one has a reason for everything', () => {
    expect(pool?.unexplained).toEqual([]);
  });

  test('keeps what is its own apart', () => {
    const text = documentedPoolText.replace(
      '      restartPolicy: Never\n',
      '      restartPolicy: Never\n      dnsPolicy: Default\n',
    );
    expect(explainManifest([{ name: 'pool.yaml', text }])[0]?.unexplained).toEqual(['/spec/template/spec/dnsPolicy']);
  });
});

describe('the command', () => {
  test('explains in text that fits 80 columns, and in JSON', async () => {
    const ran = await runProgram(['explain', 'DWM216']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^DWM216: /);
    expect(Math.max(...ran.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    const json = await runProgram(['explain', 'hpa', '--format', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ kind: 'autoscaler', why: expect.any(Array) });
  });

  test('lists its topics', async () => {
    const { stdout } = await runProgram(['explain']);
    for (const topic of ['DWM101', 'idleTimeout', 'hpa']) expect(stdout).toContain(topic);
  });

  test('reads a manifest from a pipe', async () => {
    const both = await runProgram(['explain', 'count', '-f', '-'], { input: documentedPoolText });
    expect(both).toMatchObject({ code: 2, stdout: '' });
    expect(both.stderr).toContain('a topic, count, beside --file');
    const { stdout, code } = await runProgram(['explain', '-f', '-'], { input: documentedPoolText });
    expect(code).toBe(0);
    expect(stdout).toContain('safe-to-evict');
  });

  test.each([
    [['explain', 'nonsense-of-mine'], 2, 'OPTION_INVALID'],
    [['explain', '-f', '/nowhere/x.yaml'], 5, 'CONFIG_NOT_READABLE'],
  ])('%j ends with %i', async (args, code, says) => {
    const ran = await runProgram(args);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(says);
  });
});
