import { expect, test } from 'vitest';
import { nearest } from './nearest.js';

const KEYS = ['min_runners', 'max_runners', 'max_age', 'name', 'placement'];

test.each<[string, string | undefined]>([
  ['max_runner', 'max_runners'],
  ['maxRunners', 'max_runners'],
  ['max-runners', 'max_runners'],
  ['mxa_runners', 'max_runners'],
  ['Name', 'name'],
  ['nmae', 'name'],
  ['nam', 'name'],
  ['placment', 'placement'],
  ['colour', undefined],
  ['x', undefined],
  ['', undefined],
  ['n'.repeat(10_000), undefined],
])('%s was meant for %s', (word, want) => expect(nearest(word, KEYS)).toBe(want));

test('the first of equals wins', () => expect(nearest('ab', ['aa', 'bb'])).toBe('aa'));
