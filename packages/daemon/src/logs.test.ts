import { createRedactor, RungarError, Secret } from '@rungar/model';
import { fakeClock } from '@rungar/model/testing';
import { describe, expect, test } from 'vitest';
import { createLogger, type LogLevel } from './logs.js';

const START = Date.UTC(2027, 1, 3, 11, 4, 9, 120);

function open(format: 'text' | 'json', level: LogLevel = 'info') {
  const written: string[] = [];
  const redactor = createRedactor();
  const out = { write: (text: string) => written.push(text) };
  const logger = createLogger({ level, format, out, clock: fakeClock(START), redactor });
  return { logger, redactor, written };
}

describe('text', () => {
  test('starts each line with time, level and message, then the fields in their order', () => {
    const { logger, written } = open('text');
    logger.info('runner created', { runner: 'birch-s-0a1b2c3d', scaleSet: 'birch-s', workflowRunId: 9001 });
    expect(written).toEqual([
      'time=2027-02-03T11:04:09.120Z level=INFO msg="runner created" runner=birch-s-0a1b2c3d scale_set=birch-s workflow_run_id=9001\n',
    ]);
  });

  test.each([
    ['a word', 'quick', 'quick'],
    ['nothing', '', '""'],
    ['a space', 'no room', '"no room"'],
    ['an equals sign', 'a=b', '"a=b"'],
    ['a quote', 'say "no"', '"say \\"no\\""'],
    ['a line break', 'one\ntwo', '"one\\ntwo"'],
    ['a control character', 'a\u001bb', '"a\\u001bb"'],
    ['a right-to-left override', 'a\u202eb', '"a\\u202eb"'],
    ['a line separator', 'a\u2028b', '"a\\u2028b"'],
    ['a letter with an accent', 'café', 'café'],
    ['a backslash alone', 'a\\b', 'a\\b'],
  ])('writes a value with %s so that it reads back as one', (_, value, want) => {
    const { logger, written } = open('text');
    logger.info('x', { value });
    expect(written[0]).toBe(`time=2027-02-03T11:04:09.120Z level=INFO msg=x value=${want}\n`);
  });

  test('writes durations as Go text under the key without its unit', () => {
    const { logger, written } = open('text');
    logger.warn('github does not answer', { retryInMs: 90_000, waitMs: 1500.5 });
    expect(written[0]).toContain(' retry_in=1m30s wait=1.5005s\n');
  });

  test('leaves out what is undefined, and writes errors by their message and lists in brackets', () => {
    const { logger, written } = open('text');
    logger.error('failed', { error: new RungarError('busy', 'it has\na job'), labels: ['a', 'b'], none: undefined });
    expect(written[0]).toContain('msg=failed error="it has a job" labels="[a b]"\n');
  });
});

describe('json', () => {
  test('writes one object per line with the same keys', () => {
    const { logger, written } = open('json');
    logger.warn('no capacity', { scaleSet: 'birch-s', refusals: 2, full: true });
    expect(written[0]?.endsWith('}\n')).toBe(true);
    expect(JSON.parse(written[0] ?? '')).toEqual({
      time: '2027-02-03T11:04:09.120Z',
      level: 'WARN',
      msg: 'no capacity',
      scale_set: 'birch-s',
      refusals: 2,
      full: true,
    });
  });

  test('writes durations as whole nanoseconds', () => {
    const { logger, written } = open('json');
    logger.info('x', { retryInMs: 15_000, waitMs: 0.25 });
    expect(JSON.parse(written[0] ?? '')).toMatchObject({ retry_in: 15_000_000_000, wait: 250_000 });
  });
});

test('says nothing below its level', () => {
  const { logger, written } = open('text', 'warn');
  logger.debug('a');
  logger.info('b');
  logger.warn('c');
  logger.error('d');
  expect(written.map((line) => line.split(' ')[1])).toEqual(['level=WARN', 'level=ERROR']);
});

test('carries the fields it was given on every line, and lets a line have the last word', () => {
  const { logger, written } = open('text');
  logger.with({ component: 'fleet', provider: 'a' }).with({ runner: 'r' }).info('x', { provider: 'b' });
  expect(written[0]).toContain('msg=x component=fleet provider=b runner=r\n');
});

test('keeps a value that is not a duration under its own name', () => {
  const { logger, written } = open('text');
  logger.info('x', { Ms: 3, itemsMs: 'many' });
  expect(written[0]).toContain('_ms=3 items_ms=many\n');
});

test.each(['text', 'json'] as const)('shows no held secret in %s, whichever way it came', (format) => {
  const { logger, redactor, written } = open(format);
  const key = '-----BEGIN KEY-----\nc2VjcmV0IG9mIG91cnM="quoted"\n-----END KEY-----';
  redactor.hold(key);
  redactor.hold('ghp_0123456789abcdef');
  logger.with({ held: 'ghp_0123456789abcdef' }).error('refused ghp_0123456789abcdef', {
    error: new Error(`echo: ${key}`),
    list: ['ghp_0123456789abcdef'],
    nested: { token: 'ghp_0123456789abcdef' },
    wrapped: new Secret('another'),
  });
  const line = written.join('');
  expect(line).not.toContain('ghp_0123456789abcdef');
  expect(line).not.toContain('quoted');
  expect(line).not.toContain('another');
  expect(line.match(/REDACTED/g)?.length).toBeGreaterThanOrEqual(5);
});

test('gets another level and form while it is in use, those made from it too', () => {
  const { logger, written } = open('text', 'warn');
  const part = logger.with({ component: 'fleet' });
  part.info('not yet');
  logger.adjust({ level: 'info', format: 'json' });
  part.info('now');
  expect(written.map((line) => JSON.parse(line))).toMatchObject([{ level: 'INFO', msg: 'now', component: 'fleet' }]);
});
