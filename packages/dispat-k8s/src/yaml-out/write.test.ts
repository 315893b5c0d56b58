import { describe, expect, test } from 'vitest';
import { yamlText } from './scalar.js';
import { writeYaml } from './write.js';

describe('a text', () => {
  test.each([
    'worker',
    'a/b:1',
    'registry.example.com/release/worker:1',
    '/work',
    'git@github.com:acme/x.git',
    '24Gi',
    'w-0',
    'kubernetes.io/arch',
    'ALL',
  ])('%s needs no quotes in any dialect', (text) => expect(yamlText(text)).toBe(text));

  test.each([
    'yes',
    'Yes',
    'on',
    'off',
    'y',
    'N',
    'no',
    'true',
    'null',
    '~',
    '',
    '7',
    '1e3',
    '0x10',
    '1_000',
    '22:30',
    '0400',
    '.inf',
    '-c',
    'a:',
    'a b',
    '2026-01-01',
    '10.0.0.0/8',
    '1.30',
    '=',
    '<<',
    'a#b',
    '256',
  ])('%j stands in quotes', (text) => expect(yamlText(text)).toBe(JSON.stringify(text)));
});

describe('a document', () => {
  test('shows file modes in decimal, with the octal beside them', () => {
    expect(writeYaml({ defaultMode: 256, items: [{ mode: 288 }] })).toBe(
      'defaultMode: 256  # octal 0400\nitems:\n  - mode: 288  # octal 0440\n',
    );
  });

  test('leaves out what is absent, and keeps what is empty', () => {
    expect(writeYaml({ a: undefined, b: {}, c: [], d: { e: undefined }, f: null })).toBe(
      'b: {}\nc: []\nd: {}\nf: null\n',
    );
  });

  test('writes text of several lines as a block where that keeps every byte', () => {
    expect(writeYaml({ args: ['set -eu\n\nexec x\n'] })).toBe('args:\n  - |\n    set -eu\n\n    exec x\n');
    expect(writeYaml({ a: 'one\ntwo' })).toBe('a: "one\\ntwo"\n');
    expect(writeYaml({ a: ' one\ntwo\n' })).toBe('a: " one\\ntwo\\n"\n');
  });

  test('puts a comment above what it belongs to, list items by their name', () => {
    const value = {
      spec: {
        env: [
          { name: 'HOME', value: '/h' },
          { name: 'CI', value: 'true' },
        ],
        cpu: 1,
      },
    };
    expect(writeYaml(value, { 'spec/env/CI': 'Told.', 'spec/cpu': 'Asked.' })).toBe(
      'spec:\n  env:\n    - name: HOME\n      value: /h\n    # Told.\n    - name: CI\n      value: "true"\n  # Asked.\n  cpu: 1\n',
    );
  });
});
