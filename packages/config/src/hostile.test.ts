import { describe, expect, test } from 'vitest';
import { boxType } from '../test/box-type.js';
import { parseConfig } from './parse.js';

const many = (count: number, of: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => of(at)).join('');
const word = (at: number): string => `${'abcdefgh'[at % 8]}provider${at * 7919}`;

// Each took minutes, or all memory, at some time: that they end at all is what is tested.
describe('a file made to take long is refused all the same', () => {
  test('for thousands of providers, and thousands of names that are none', () => {
    const providers = many(1_000, (at) => `- {name: ${word(at)}, type: box, address: a${at}}\n`);
    const names = many(1_000, (at) => `x${word(at + 5)}q, `);
    const text = `providers:\n${providers}scale_sets: [{name: s, max_runners: 1, providers: [${names}]}]\n`;
    const { problems } = parseConfig(text, { file: 'f', types: [boxType] });
    expect(problems.filter(({ message }) => message.startsWith('names no provider'))).toHaveLength(1_000);
  });

  test('for a large runner block that thousands of scale sets write over', () => {
    const env = many(2_000, (at) => `A${at}: b, `);
    const sets = many(
      600,
      (at) => `- {name: s${at}, max_runners: 1, providers: [{name: p, runner: {cpus: ${at + 1}}}]}\n`,
    );
    const text = `providers: [{name: p, type: box, address: a, runner: {image: i, env: {${env}}}}]\nscale_sets:\n${sets}`;
    const { problems } = parseConfig(text, { file: 'f', types: [boxType] });
    const [first, ...rest] = problems.filter(({ path }) => path.startsWith('scale_sets'));
    expect(first?.message).toContain('makes the runner blocks of this file come to more than 1000000 values');
    expect(rest).toEqual([]);
  });
});
