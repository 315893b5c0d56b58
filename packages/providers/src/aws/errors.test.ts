import { createRedactor, isRungarError } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import {
  classifyFailure,
  Ec2Error,
  type Failure,
  instanceIdsIn,
  isThrottle,
  type Refusal,
  toEc2Error,
  toRungarError,
} from './errors.js';

const answered = (code: string, status = 400): Failure => ({ code, status });

describe('classifyFailure', () => {
  test.each<[refusal: Refusal, failure: Failure]>([
    ['uncertain', {}],
    ['uncertain', answered('InternalError', 500)],
    ['uncertain', answered('InternalFailure', 500)],
    ['uncertain', answered('ServiceUnavailable', 503)],
    ['uncertain', answered('Unavailable', 503)],
    ['uncertain', answered('SomethingNew', 500)],
    ['uncertain', { status: 200 }],
    ['uncertain', { status: 500 }],
    ['uncertain', { status: 502 }],
    ['uncertain', { status: 504 }],
    ['full', answered('InsufficientInstanceCapacity', 500)],
    ['full', answered('InsufficientHostCapacity', 500)],
    ['full', answered('InsufficientCapacity', 500)],
    ['full', answered('InsufficientVolumeCapacity', 500)],
    ['full', answered('InsufficientFreeAddressesInSubnet')],
    ['full', answered('SpotMaxPriceTooLow')],
    ['quota', answered('InstanceLimitExceeded')],
    ['quota', answered('VcpuLimitExceeded')],
    ['quota', answered('MaxSpotInstanceCountExceeded')],
    ['quota', answered('MaxFleetCountExceeded')],
    ['quota', answered('VolumeLimitExceeded')],
    ['quota', answered('NetworkInterfaceLimitExceeded')],
    ['quota', answered('AddressLimitExceeded')],
    ['unsupported', answered('Unsupported')],
    ['other', answered('UnsupportedOperation')],
    ['invalid', answered('InvalidParameterValue')],
    ['invalid', answered('InvalidAMIID.NotFound')],
    ['invalid', answered('Invalid')],
    ['invalid', answered('MissingParameter')],
    ['invalid', answered('UnknownParameter')],
    ['other', answered('invalid')],
    ['other', answered('NotInvalid')],
    ['throttled', answered('RequestLimitExceeded', 503)],
    ['throttled', answered('Throttling')],
    ['throttled', answered('ThrottlingException')],
    ['throttled', answered('RequestThrottled')],
    ['throttled', answered('RequestThrottledException')],
    ['throttled', answered('TooManyRequestsException', 429)],
    ['throttled', answered('SlowDown', 503)],
    ['throttled', answered('EC2ThrottledException')],
    ['throttled', { status: 429 }],
    ['throttled', { status: 503 }],
    ['other', answered('UnauthorizedOperation', 403)],
    ['other', answered('AuthFailure', 401)],
    ['other', answered('IdempotentParameterMismatch')],
    ['other', answered('constructor')],
    ['other', { status: 400 }],
    ['other', { status: 404 }],
    ['other', { status: 499 }],
  ])('%s: %j', (refusal, failure) => {
    expect(classifyFailure(failure)).toBe(refusal);
  });
});

describe('toEc2Error', () => {
  const redactor = createRedactor();

  test("keeps EC2's code, message and status", () => {
    const sdk = Object.assign(new Error('no <room>'), {
      Code: 'InsufficientInstanceCapacity',
      $metadata: { httpStatusCode: 500 },
    });
    const error = toEc2Error(sdk, redactor);
    expect(error).toMatchObject({
      code: 'InsufficientInstanceCapacity',
      status: 500,
      refusal: 'full',
      message: 'no <room>',
    });
    expect(error.reason).toBe('InsufficientInstanceCapacity: no <room>');
  });

  test('takes an error without an answer for uncertain, with the code of the system', () => {
    const sdk = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', $metadata: { attempts: 1 } });
    expect(toEc2Error(sdk, redactor)).toMatchObject({ code: 'ECONNRESET', status: undefined, refusal: 'uncertain' });
  });

  test("does not repeat a page that is not EC2's", () => {
    const sdk = Object.assign(new Error('<html>'), { name: 'Unknown', $metadata: { httpStatusCode: 502 } });
    expect(toEc2Error(sdk, redactor).reason).toBe('HTTP 502: an answer that is not one of EC2');
  });

  test('takes a call without credentials for one that was not sent', () => {
    const sdk = Object.assign(new Error('Could not load credentials from any providers'), {
      name: 'CredentialsProviderError',
    });
    expect(toEc2Error(sdk, redactor)).toMatchObject({ code: 'NoCredentials', refusal: 'unreachable' });
  });

  test('takes held secrets out of the message and drops the original', () => {
    const release = redactor.hold('a-secret-registration');
    const sdk = Object.assign(new Error('UserData a-secret-registration is bad'), { Code: 'InvalidParameterValue' });
    const error = toEc2Error(sdk, redactor);
    release();
    expect(error.message).toBe('UserData REDACTED is bad');
    expect(error.cause).toBeUndefined();
  });

  test('leaves one of its own as it is', () => {
    const error = new Ec2Error('SlowDown', 'slow down', 'throttled', 503);
    expect(toEc2Error(error, redactor)).toBe(error);
    expect(isThrottle(error)).toBe(true);
  });
});

test.each([
  ['no_capacity', 'full'],
  ['no_capacity', 'quota'],
  ['invalid_argument', 'unsupported'],
  ['invalid_argument', 'invalid'],
  ['unavailable', 'uncertain'],
  ['unavailable', 'throttled'],
  ['internal', 'other'],
] as const)('callers know %s for %s, with the cause kept', (code, refusal) => {
  const cause = new Ec2Error('Code', 'message', refusal);
  const error = toRungarError(cause, 'subnet-1 m7i.xlarge', ' (more)');
  expect(isRungarError(error, code)).toBe(true);
  expect(error.message).toBe('subnet-1 m7i.xlarge: Code: message (more)');
  expect(error.cause).toBe(cause);
});

test.each([
  ["The instance ID 'i-0a1b2c3d4e5f60718' does not exist", ['i-0a1b2c3d4e5f60718']],
  ["The instance IDs 'i-0a1b2c3d, i-1a1b2c3d' do not exist", ['i-0a1b2c3d', 'i-1a1b2c3d']],
  ['arn:aws:ec2:eu-central-1:123456789012:instance/i-0a1b2c3d', ['i-0a1b2c3d']],
  ['ami-0a1b2c3d is not one, nor is i-0a1b2c3', []],
])('finds the instances in %j', (message, ids) => {
  expect(instanceIdsIn(message)).toEqual(ids);
});
