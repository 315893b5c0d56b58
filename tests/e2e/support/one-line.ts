import { expect } from 'vitest';
import type { Ended } from './rungar.js';

/** The one line for people beside the log: no more, no stack trace. */
export function oneLine({ stdout, stderr }: Ended): string {
  expect(stdout).toBe('');
  const lines = stderr.split('\n').filter((line) => line !== '' && !/^time=\S+ level=/.test(line));
  expect(lines).toEqual([expect.stringMatching(/^Error: /)]);
  expect(stderr).not.toMatch(/ at \S+ \(|\.js:\d+|node:internal/);
  return (lines[0] ?? '').slice('Error: '.length);
}
