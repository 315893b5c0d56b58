import { expect, test } from 'vitest';
import { plainServe } from './plain-serve.js';

const DEFAULT = '/etc/rungar/config.yaml';

test.each([
  [['serve'], { config: DEFAULT }],
  [['serve', '--config', 'a.yaml'], { config: 'a.yaml' }],
  [['serve', '-f', '/a b.yaml'], { config: '/a b.yaml' }],
  [['serve', '--record', './r'], { config: DEFAULT, record: './r' }],
  [['serve', '--record', 'r', '--config', '12'], { config: '12', record: 'r' }],
])('%j is read without the parser', (args, read) => {
  expect(plainServe(args)).toEqual(read);
});

test.each([
  [[]],
  [['status']],
  [['status', '--config', 'a']],
  [['--socket', 's', 'serve']],
  [['serve', '--help']],
  [['serve', 'extra']],
  [['serve', '--config']],
  [['serve', '--config', '']],
  [['serve', '--config=a']],
  [['serve', '--config', '--record', 'r', 'x']],
  [['serve', '-f', 'a', '--config', 'b']],
  [['serve', '--config', '"a"']],
  [['serve', '--confg', 'a']],
  [['serve', '--', 'a']],
  [['serve', 'toString', 'a']],
])('%j is left to the parser', (args) => {
  expect(plainServe(args)).toBeUndefined();
});
