import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Documents } from '../../test/documents.js';
import { runProgram } from '../../test/world.js';
import { commands } from './index.js';

const folder = join(import.meta.dirname, '..', '..', 'schemas');
const POOL = ['--endpoint', 'git@h:acme/m.git', '--image', 'x:1', '--no-network-policy', '--count', '2'];
const PLAN = [
  '{"package":"core","space":"a","version":"1.0.1","message":"● changed"}',
  '{"package":"ui","space":"a","dependsOn":["core"],"version":"1.0.1","message":"● changed"}',
  '{"message":"release plan ready","packages":2,"releasing":2,"held":0}',
].join('\n');

/** What is wrong with a document by the schema of that name. */
function faultsOf(name: keyof Documents | 'options', document: unknown): unknown[] {
  const schema: unknown = JSON.parse(readFileSync(join(folder, `${name}.schema.json`), 'utf8'));
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema as object);
  return validate(document) ? [] : (validate.errors ?? []);
}

describe('the schemas', () => {
  test('there is one for every command, for options and for what is refused', () => {
    const wanted = commands.map(({ name }) => name.split(' ')[0]).filter((name) => name !== 'init');
    expect(readdirSync(folder).map((file) => file.replace('.schema.json', ''))).toEqual(
      expect.arrayContaining([...wanted, 'options', 'problems']),
    );
  });

  test.each<[keyof Documents, string[], string]>([
    ['generate', ['generate', ...POOL], ''],
    ['orchestrator', ['orchestrator', ...POOL], ''],
    ['orchestrator', ['orchestrator', ...POOL, '--as', 'flags', '--quiet'], ''],
    ['size', ['size', '--plan', '-'], PLAN],
    ['explain', ['explain', 'hpa'], ''],
    ['explain', ['explain'], ''],
  ])('%s prints what its schema says: %j', async (name, args, input) => {
    const { code, stdout } = await runProgram([...args, '--format', 'json'], { input });
    expect(code).toBe(0);
    expect(faultsOf(name, JSON.parse(stdout))).toEqual([]);
  });

  test('check prints what its schema says', async () => {
    const { stdout: input } = await runProgram(['generate', ...POOL, '--quiet']);
    const { stdout } = await runProgram(['check', '-', '--format', 'json'], { input });
    expect(faultsOf('check', JSON.parse(stdout))).toEqual([]);
  });

  test('a refused input prints what its schema says', async () => {
    const { stderr } = await runProgram(['generate', '--format', 'json', '--image', 'X', '--count', '0']);
    expect(faultsOf('problems', JSON.parse(stderr))).toEqual([]);
  });

  test('init writes an options file that its schema accepts, and a misspelt key is refused', async () => {
    const { stdout } = await runProgram(['init', ...POOL, '--output', '-']);
    expect(faultsOf('options', parse(stdout))).toEqual([]);
    expect(faultsOf('options', { ...parse(stdout), cuont: 4 })).not.toEqual([]);
  });
});
