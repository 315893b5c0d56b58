import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { awsType } from '@rungar/providers/aws';
import { describe, expect, test } from 'vitest';
import { formatProblem } from './format-problem.js';
import { parseConfig } from './parse.js';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures');

function read(kind: string, name: string): { text: string; config: ReturnType<typeof parseConfig> } {
  const text = readFileSync(join(FIXTURES, kind, name), 'utf8');
  return { text, config: parseConfig(text, { file: name, types: [awsType] }) };
}

describe('a nasty file says what is wrong with it, each line of its first comment being one problem', () => {
  test.each(readdirSync(join(FIXTURES, 'nasty')))('%s', (name) => {
    const { text, config } = read('nasty', name);
    const wanted = [...text.matchAll(/^# wrong: (.+?)\r?$/gm)].map(([, line = '']) => line);
    const said = config.problems.map((problem) => formatProblem(problem).slice(name.length + 1));
    expect(wanted.length).toBeGreaterThan(0);
    expect(config.settings).toBeUndefined();
    expect(said).toEqual(wanted.map((each) => expect.stringContaining(each)));
  });
});

describe('a file that only looks nasty is fine', () => {
  test.each(readdirSync(join(FIXTURES, 'valid')))('%s', (name) => {
    const { config } = read('valid', name);
    expect(config.problems.map(formatProblem)).toEqual([]);
    expect(config.settings).toBeDefined();
  });
});
