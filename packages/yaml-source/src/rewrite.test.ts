import { describe, expect, test } from 'vitest';
import { rewrite } from './rewrite.js';

describe('a document that is written afresh', () => {
  test('has an indent of two, and keeps comments, anchors and the style of every value', () => {
    const text = `# top

# on a
a:   &one
    x: 'it''s'   # beside
    y: "tab\\t"
# on b
b:
      - *one
      - {p: 0x10, q: [on, 22:00]}
c: |
      #!/bin/sh
      exec run
d: >-
      folded
      text
# end
`;
    expect(rewrite(text, {})).toBe(`# top

# on a
a: &one
  x: 'it''s' # beside
  y: "tab\\t"
# on b
b:
  - *one
  - {p: 0x10, q: [on, 22:00]}
c: |
  #!/bin/sh
  exec run
d: >-
  folded text

# end
`);
  });

  test('has the keys changed that stand at a place, and no other of that name', () => {
    const text = 'old: 1\nlist:\n  - old: 2 # two\n  - old: 3\n';
    const changes = [
      { line: 1, column: 1, key: 'new' },
      { line: 3, column: 5, key: 'newer', value: 'x' },
    ];
    expect(rewrite(text, { changes })).toBe('new: 1\nlist:\n  - newer: x # two\n  - old: 3\n');
  });

  test('gets a key of its own first, above the comment on what was first', () => {
    const set = { key: 'version', value: '2' };
    expect(rewrite('# file\n\n# on a\na: 1\n', { set })).toBe('# file\n\nversion: 2\n\n# on a\na: 1\n');
    expect(rewrite('---\n# on a\na: 1\n', { set })).toBe('---\nversion: 2\n\n# on a\na: 1\n');
    expect(rewrite('{a: 1}\n', { set })).toBe('{version: 2, a: 1}\n');
  });

  test('has a key set where it is', () => {
    const set = { key: 'version', value: '2' };
    expect(rewrite('a: 1\nversion: 1 # one\n', { set })).toBe('a: 1\nversion: 2 # one\n');
    expect(rewrite('version:\na: 1\n', { set })).toBe('version: 2\na: 1\n');
    expect(rewrite('a: &n 1\nversion: *n\n', { set })).toBe('a: &n 1\nversion: 2\n');
  });
});

test('a document that is no mapping is refused', () => {
  expect(() => rewrite('- a\n', {})).toThrow('must be a mapping');
});
