import { createRedactor } from '@rungar/model';
import { describe, expect, test } from 'vitest';
import { errorOfAnswer, errorOfOperation, GceError, isNotFound, isThrottle, toRungarError } from './errors.js';

const redactor = createRedactor();

interface Words {
  readonly reasons?: readonly string[];
  readonly message?: string;
  readonly info?: Readonly<Record<string, unknown>>;
}

function answer(status: number, { reasons = [], message = 'No.', info }: Words = {}): GceError {
  const error = {
    code: status,
    message,
    errors: reasons.map((reason) => ({ reason, message, domain: 'global' })),
    ...(info && { details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', ...info }] }),
  };
  return errorOfAnswer(status, JSON.stringify({ error }), redactor);
}

describe('an answer', () => {
  test.each<[string, number, Words]>([
    ['throttled', 429, {}],
    ['throttled', 429, { reasons: ['quotaExceeded'] }],
    ['throttled', 403, { reasons: ['rateLimitExceeded'] }],
    ['throttled', 403, { reasons: ['userRateLimitExceeded'] }],
    ['throttled', 403, { reasons: ['operationRateLimitExceeded'] }],
    ['throttled', 403, { reasons: ['forbidden'], info: { reason: 'RATE_LIMIT_EXCEEDED' } }],
    [
      'throttled',
      403,
      { reasons: ['quotaExceeded'], info: { metadata: { quota_limit: 'QueriesPerMinutePerProject' } } },
    ],
    ['throttled', 403, { reasons: ['quotaExceeded'], message: "Quota exceeded for 'Queries per minute'." }],
    ['quota', 403, { reasons: ['quotaExceeded'], message: "Quota 'CPUS' exceeded. Limit: 24.0" }],
    ['uncertain', 500, { reasons: ['backendError'] }],
    ['uncertain', 503, { reasons: ['quotaExceeded'] }],
    ['uncertain', 408, {}],
    ['invalid', 400, { reasons: ['invalid'] }],
    ['invalid', 400, { reasons: ['badRequest'] }],
    ['invalid', 404, { reasons: ['notFound'] }],
    ['invalid', 403, { reasons: ['forbidden', 'invalid'] }],
    ['other', 401, { reasons: ['authError'] }],
    ['other', 403, { reasons: ['forbidden'] }],
    ['other', 409, { reasons: ['alreadyExists'] }],
    ['other', 412, { reasons: ['conditionNotMet'] }],
  ])('is %s with %d and %o', (want, status, words) => {
    expect(answer(status, words).refusal).toBe(want);
  });

  test.each([
    [502, 'uncertain'],
    [403, 'other'],
    [404, 'other'],
    [429, 'throttled'],
  ])('of %d that is not one of Google is %s', (status, want) => {
    const error = errorOfAnswer(status, '<html>', redactor);
    expect(error.refusal).toBe(want);
    expect(error.message).toBe(`HTTP ${status}, an answer that is not one of Compute Engine`);
  });

  test('is told in its own words, without secrets', () => {
    const holding = createRedactor();
    holding.hold('a-secret-registration');
    const text = JSON.stringify({
      error: { message: 'No a-secret-registration here.', errors: [{ reason: 'invalid' }] },
    });
    const error = errorOfAnswer(400, text, holding);
    expect(error.message).toBe('No REDACTED here.');
    expect(toRungarError(error, 'europe-west1-b e2-small')).toMatchObject({
      code: 'invalid_argument',
      message: 'europe-west1-b e2-small: No REDACTED here.',
      cause: error,
    });
  });
});

describe('an operation', () => {
  const failed = (...codes: string[]) =>
    errorOfOperation(
      codes.map((code) => ({ code, message: `${code}!` })),
      redactor,
    );

  test.each([
    ['full', ['ZONE_RESOURCE_POOL_EXHAUSTED']],
    ['full', ['ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS']],
    ['full', ['REGION_RESOURCE_POOL_EXHAUSTED']],
    ['full', ['RESOURCE_POOL_EXHAUSTED']],
    ['full', ['SOME_STOCKOUT']],
    ['quota', ['QUOTA_EXCEEDED']],
    ['quota', ['INTERNAL_ERROR', 'QUOTA_EXCEEDED']],
    ['invalid', ['INVALID_USAGE']],
    ['invalid', ['RESOURCE_NOT_FOUND']],
    ['invalid', ['NOT_FOUND']],
    ['other', ['INTERNAL_ERROR']],
    ['other', ['RESOURCE_ALREADY_EXISTS', 'RATE_LIMIT_EXCEEDED']],
  ])('is %s with %j', (want, codes) => expect(failed(...codes)?.refusal).toBe(want));

  test('that did not fail is no error', () => {
    expect(errorOfOperation(undefined, redactor)).toBeUndefined();
    expect(errorOfOperation([], redactor)).toBeUndefined();
  });

  test('says everything that is wrong once', () => {
    const errors = [
      { code: 'A', message: 'First.' },
      { code: 'B', message: 'Second.' },
      { code: 'C', message: 'First.' },
      { code: 'D' },
    ];
    expect(errorOfOperation(errors, redactor)?.message).toBe('First. Second. D');
  });
});

test('what is not there is known by the status or the code, what is uncertain by neither', () => {
  expect(isNotFound(answer(404, { reasons: ['notFound'] }))).toBe(true);
  expect(isNotFound(errorOfOperation([{ code: 'RESOURCE_NOT_FOUND' }], redactor))).toBe(true);
  expect(isNotFound(answer(400, { reasons: ['invalid'] }))).toBe(false);
  expect(isNotFound(new Error('404'))).toBe(false);
  expect(isThrottle(answer(429))).toBe(true);
  expect(isThrottle(answer(500))).toBe(false);
});

test.each([
  ['full', 'no_capacity'],
  ['quota', 'no_capacity'],
  ['invalid', 'invalid_argument'],
  ['uncertain', 'unavailable'],
  ['throttled', 'unavailable'],
  ['other', 'internal'],
] as const)('%s is %s to callers', (refusal, code) => {
  expect(toRungarError(new GceError('X', 'No.', refusal), 'it').code).toBe(code);
});
