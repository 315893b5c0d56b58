import { describe, expect, test } from 'vitest';
import { patternMatcher } from './filters.js';

describe('a filter value', () => {
  test.each([
    { pattern: 'web', text: 'web', matches: true },
    { pattern: 'web', text: 'Web', matches: false },
    { pattern: 'web', text: 'webs', matches: false },
    { pattern: 'web*', text: 'web', matches: true },
    { pattern: '*eb', text: 'a\nweb', matches: true },
    { pattern: 'w?b', text: 'web', matches: true },
    { pattern: 'w?b', text: 'wb', matches: false },
    { pattern: 'w?b', text: 'w😀b', matches: true },
    { pattern: 'w.b', text: 'web', matches: false },
    { pattern: 'a-b.c/(d)*', text: 'a-b.c/(d)e', matches: true },
    { pattern: '\\*amazon\\?\\\\', text: '*amazon?\\', matches: true },
    { pattern: '\\*amazon\\?\\\\', text: 'xamazonx\\', matches: false },
    { pattern: '', text: '', matches: true },
    { pattern: '', text: 'a', matches: false },
  ])('$pattern on $text: $matches', ({ pattern, text, matches }) => {
    expect(patternMatcher(pattern)(text)).toBe(matches);
  });
});
