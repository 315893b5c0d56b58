import { describe, expect, test } from 'vitest';
import { type LogRecord, readLogLine, recordLine, servesAt } from './serving.js';

describe('a line of the log of a worker', () => {
  test.each([
    { line: '{"level":"info","message":"worker started","node":"w-0"}', want: { sign: 'started' } },
    { line: '{"level":"info","message":"worker started","name":"dispat","node":"w-0"}', want: { sign: 'started' } },
    { line: '{"level":"info","message":"worker started"}', want: { sign: 'started' } },
    { line: '{"message":"worker started","node":"W-0"}', want: { sign: 'started', otherName: 'W-0' } },
    { line: 'INF worker started node=w-0 concurrency=1', want: { sign: 'started' } },
    { line: 'INF worker started node=w-', want: { sign: 'started', otherName: 'w-' } },
    {
      line: '{"level":"warn","message":"the mailbox could not be served","error":"host key verification failed"}',
      want: { sign: 'mailbox error', text: 'the mailbox could not be served: host key verification failed' },
    },
    {
      line: 'ERR mailbox could not be served: timeout',
      want: { sign: 'mailbox error', text: 'ERR mailbox could not be served: timeout' },
    },
    { line: '{"level":"info","message":"mailbox polled"}', want: undefined },
    { line: '{"level":"error","message":"build failed"}', want: undefined },
    { line: 'a brace { of a build', want: undefined },
    { line: '', want: undefined },
  ])('$line', ({ line, want }) => {
    expect(readLogLine(line, 'w-0')).toEqual(want);
  });
});

describe('when a worker serves', () => {
  const after = (...lines: [number, string][]): LogRecord =>
    lines.reduce<LogRecord>((record, [at, line]) => recordLine(record, line, 'w-0', at), {});
  const hello = '{"message":"worker started","node":"w-0"}';
  const complaint = '{"level":"error","message":"mailbox could not be served"}';

  test('never before it has started', () => {
    expect(servesAt(after([0, complaint]))).toBeUndefined();
  });

  test('ten seconds after it started, or after the last complaint', () => {
    expect(servesAt(after([1_000, hello]))).toBe(11_000);
    expect(servesAt(after([1_000, hello], [9_000, complaint]))).toBe(19_000);
    expect(servesAt(after([500, complaint], [1_000, hello]))).toBe(11_000);
  });

  test('never under another name, and as soon as it has the right one', () => {
    const wrong: [number, string] = [1_000, '{"message":"worker started","node":"w-1"}'];
    expect(servesAt(after(wrong))).toBeUndefined();
    expect(after(wrong, [2_000, hello])).toEqual({ startedAt: 2_000 });
  });
});
