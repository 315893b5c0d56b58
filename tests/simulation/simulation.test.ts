import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Mutant, mutants } from './mutants.js';
import { simulate } from './simulate.js';

/** Nothing here waits, but the host may be busy. */
const LONG_MS = 120_000;

test(
  'the same seed is the same run, step by step',
  async () => {
    const run = async (seed: number): Promise<string> => (await simulate({ seed, size: 'small' })).hash;
    const first = await run(8);
    expect(await run(8)).toBe(first);
    expect(await run(2)).not.toBe(first);
  },
  LONG_MS,
);

test.each([1, 3, 5])(
  'a small fleet goes through all that can happen (seed %i)',
  async (seed) => {
    const { violations, jobs } = await simulate({ seed, size: 'small' });
    expect(violations).toEqual([]);
    expect(jobs).toBeGreaterThan(0);
  },
  LONG_MS,
);

test(
  'a large fleet runs a thousand jobs and more through it',
  async () => {
    const { violations, jobs, looked } = await simulate({ seed: 1, size: 'large' });
    expect(violations).toEqual([]);
    expect(jobs).toBeGreaterThan(1_000);
    // The log's line that announces a removal is what many checks hang on.
    expect(looked.get('unregistered')).toBeGreaterThan(0);
  },
  LONG_MS,
);

test('every deliberate fault still fits the code', async () => {
  for (const { name, patches } of mutants) {
    for (const { file, from } of patches) {
      const code = await readFile(new URL(`../../packages/reconciler/src/${file}`, import.meta.url), 'utf8');
      expect(code.split(from), `${name}: ${file}`).toHaveLength(2);
    }
  }
});

test.each(["a provider's max_runners is one more"])(
  'a deliberate fault is caught: %s',
  async (name) => {
    const mutant = mutants.find((one) => one.name === name);
    // Written in JavaScript, as it bundles what is written in TypeScript.
    const { caught } = (await import(new URL('./hunt.mjs', import.meta.url).href)) as {
      caught(mutant: Mutant | undefined, mostSeeds: number): Promise<unknown>;
    };
    expect(mutant).toBeDefined();
    expect(await caught(mutant, 10)).toBeDefined();
  },
  LONG_MS,
);
