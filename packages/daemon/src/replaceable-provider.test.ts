import type { OpenProvider } from '@rungar/model';
import { expect, test } from 'vitest';
import { replaceable } from './replaceable-provider.js';

/** A provider whose listings end when they are told to. */
function slowProvider(name: string, closed: string[]): { provider: OpenProvider; end(): void } {
  let end = (): void => {};
  const never = async (): Promise<never> => Promise.reject(new Error('not asked'));
  const provider: OpenProvider = {
    list: () =>
      new Promise((resolve) => {
        end = () => resolve({ identity: name, parts: [] });
      }),
    create: never,
    delete: never,
    close: async () => void closed.push(name),
  };
  return { provider, end: () => end() };
}

const call = { signal: new AbortController().signal };

test('a call stays with the opening it began with, which is closed after it', async () => {
  const closed: string[] = [];
  const [first, second] = [slowProvider('first', closed), slowProvider('second', closed)];
  const provider = replaceable(first.provider);
  const early = provider.list({}, call);
  provider.replace(second.provider);
  const late = provider.list({}, call);
  expect(closed).toEqual([]);
  first.end();
  expect(await early).toMatchObject({ identity: 'first' });
  expect(closed).toEqual(['first']);
  second.end();
  expect(await late).toMatchObject({ identity: 'second' });
  expect(await provider.readConsole?.({ name: 'x' } as never, call)).toBeUndefined();
  await provider.close();
  expect(closed).toEqual(['first', 'second']);
});

test('one that nobody uses is closed when it is replaced, and one in use at the end', async () => {
  const closed: string[] = [];
  const [first, second, third] = ['first', 'second', 'third'].map((name) => slowProvider(name, closed));
  if (!first || !second || !third) throw new Error('three were made');
  const provider = replaceable(first.provider);
  provider.replace(second.provider);
  expect(closed).toEqual(['first']);
  void provider.list({}, call);
  provider.replace(third.provider);
  await provider.close();
  expect(closed).toEqual(['first', 'second', 'third']);
});
