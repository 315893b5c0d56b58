import { Code, ConnectError } from '@connectrpc/connect';
import { createRedactor, type ErrorCode, RungarError } from '@rungar/model';
import { expect, test } from 'vitest';
import { toConnectError } from './errors.js';

test.each<[ErrorCode, Code]>([
  ['not_found', Code.NotFound],
  ['invalid_argument', Code.InvalidArgument],
  ['busy', Code.FailedPrecondition],
  ['no_capacity', Code.ResourceExhausted],
  ['unavailable', Code.Unavailable],
  ['internal', Code.Internal],
])('%s is answered with the code %d', (code, want) => {
  expect(toConnectError(new RungarError(code, 'why', { hint: 'do this' }), createRedactor())).toMatchObject({
    code: want,
    rawMessage: 'why',
  });
});

test('the class of a cause is that of the error', () => {
  const error = new Error('asking GitHub', { cause: new RungarError('unavailable', 'no answer') });
  expect(toConnectError(error, createRedactor())).toMatchObject({
    code: Code.Unavailable,
    rawMessage: 'asking GitHub',
  });
});

test.each([
  ['AbortError', Code.Canceled],
  ['TimeoutError', Code.DeadlineExceeded],
])('%s is told from a failure', (name, want) => {
  expect(toConnectError(new DOMException('ended', name), createRedactor()).code).toBe(want);
});

test('what is for the wire already stays as it is', () => {
  const error = new ConnectError('later', Code.Aborted);
  expect(toConnectError(error, createRedactor())).toBe(error);
});
