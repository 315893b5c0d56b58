import { Code, ConnectError } from '@connectrpc/connect';
import { createRedactor, RungarError } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import {
  classifyStatus,
  DicerError,
  NotConnected,
  type Refusal,
  tlsHint,
  toDicerError,
  toRungarError,
} from './errors.js';

const system = (code: string, message = code): Error => Object.assign(new Error(message), { code });
const wrapped = (cause: unknown, code = Code.Internal): ConnectError =>
  new ConnectError('wrapped', code, undefined, undefined, cause);
const seen = (error: unknown): string => {
  const { code, refusal, message } = toDicerError(error, createRedactor());
  return `${code} ${refusal}: ${message}`;
};

test.each<[keyof typeof Code, Refusal]>([
  ['ResourceExhausted', 'full'],
  ['FailedPrecondition', 'full'],
  ['InvalidArgument', 'invalid'],
  ['NotFound', 'absent'],
  ['Unimplemented', 'unsupported'],
  ['Unavailable', 'uncertain'],
  ['DeadlineExceeded', 'uncertain'],
  ['Canceled', 'uncertain'],
  ['Aborted', 'uncertain'],
  ['AlreadyExists', 'other'],
  ['PermissionDenied', 'other'],
  ['Internal', 'other'],
  ['Unknown', 'other'],
  ['OutOfRange', 'other'],
  ['DataLoss', 'other'],
  ['Unauthenticated', 'other'],
])('%s is %s', (code, refusal) => expect(classifyStatus(Code[code])).toBe(refusal));

describe('an error of a call', () => {
  test.each<[string, unknown, string]>([
    ['a status', new ConnectError('too full', Code.ResourceExhausted), 'RESOURCE_EXHAUSTED full: too full'],
    ['a lost connection', wrapped(system('ECONNRESET', 'read ECONNRESET')), 'ECONNRESET uncertain: read ECONNRESET'],
    [
      'no connection',
      wrapped(new NotConnected('no connection', { cause: system('ECONNREFUSED', 'connect ECONNREFUSED') })),
      'ECONNREFUSED unreachable: connect ECONNREFUSED',
    ],
    [
      'no connection to any of several addresses',
      new NotConnected('no connection', { cause: new AggregateError([system('ETIMEDOUT', 'too long')], '') }),
      'ETIMEDOUT unreachable: too long',
    ],
    [
      'a connection nobody took',
      new NotConnected('no connection', { cause: new Error('late') }),
      'UNAVAILABLE unreachable: late',
    ],
    [
      'a certificate nobody knows',
      wrapped(new NotConnected('no connection', { cause: system('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed') })),
      'DEPTH_ZERO_SELF_SIGNED_CERT misconfigured: self-signed',
    ],
    [
      'a certificate the daemon does not take, told during a call',
      wrapped(system('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'alert 116')),
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED misconfigured: alert 116',
    ],
    [
      'a file that cannot be used',
      wrapped(new NotConnected('no connection', { cause: new RungarError('invalid_argument', 'tls.ca_file: no') })),
      'invalid_argument misconfigured: tls.ca_file: no',
    ],
    ['something else', 'a text', 'UNKNOWN other: a text'],
  ])('%s', (_, error, want) => expect(seen(error)).toBe(want));

  test('has no secret in it, and nothing of the error that had', () => {
    const redactor = createRedactor();
    redactor.hold('a-registration-good-once');
    const error = toDicerError(new ConnectError('cannot use a-registration-good-once', Code.Internal), redactor);
    expect(error.message).toBe('cannot use REDACTED');
    expect(error.cause).toBeUndefined();
  });
});

test.each([
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls.server_name'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'Set tls.cert_file'],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'Set tls.cert_file'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'refuses the certificate'],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'refuses the certificate'],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'Take tls away'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'Take tls away'],
  ['CERT_HAS_EXPIRED', 'Renew'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls.ca_file'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls.ca_file'],
])('what to do about %s', (code, want) => expect(tlsHint(code)).toContain(want));

test.each(['ECONNRESET', 'ENOENT', 'ERR_HTTP2_STREAM_ERROR'])('%s is no failed handshake', (code) =>
  expect(tlsHint(code)).toBeUndefined(),
);

test.each<[Refusal, string]>([
  ['full', 'no_capacity'],
  ['invalid', 'invalid_argument'],
  ['absent', 'invalid_argument'],
  ['misconfigured', 'invalid_argument'],
  ['unreachable', 'unavailable'],
  ['uncertain', 'unavailable'],
  ['unsupported', 'internal'],
  ['other', 'internal'],
])('%s is %s to a caller, with the original within reach', (refusal, code) => {
  const cause = new DicerError('WORD', 'their words', refusal, 'do this');
  expect(toRungarError(cause)).toMatchObject({ code, message: 'their words', hint: 'do this', cause });
  expect(toRungarError(cause, 'pulling x').message).toBe('pulling x: their words');
});
