import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createRedactor, Secret } from './secret.js';

describe('Secret', () => {
  test('is shown by nothing but reveal', () => {
    const secret = new Secret('hunter2-hunter2');
    expect(
      [`${secret}`, JSON.stringify({ secret }), inspect(secret), inspect({ deep: { secret } })].join(),
    ).not.toContain('hunter2');
    expect(secret.reveal()).toBe('hunter2-hunter2');
  });
});

describe('createRedactor', () => {
  test('replaces a held secret as it is, in base64 and in a URL', () => {
    const redactor = createRedactor();
    redactor.hold('s3cret/with+signs');
    // printf 's3cret/with+signs' | base64
    const text = 'a s3cret/with+signs b czNjcmV0L3dpdGgrc2lnbnM= c s3cret%2Fwith%2Bsigns d';
    expect(redactor.redact(text)).toBe('a REDACTED b REDACTED c REDACTED d');
  });

  test('forgets a secret once everyone who held it has let go', () => {
    const redactor = createRedactor();
    const first = redactor.hold('twice-held-secret');
    const second = redactor.hold('twice-held-secret');
    first();
    first();
    expect(redactor.redact('twice-held-secret')).toBe('REDACTED');
    second();
    expect(redactor.redact('twice-held-secret')).toBe('twice-held-secret');
  });

  test('holds each long line of a key', () => {
    const redactor = createRedactor();
    const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7';
    redactor.hold(`-----BEGIN PRIVATE KEY-----\n${line}\nshort\n-----END PRIVATE KEY-----\n`);
    expect(redactor.redact(`echoed: ${line}`)).toBe('echoed: REDACTED');
  });

  test('takes a secret with half a character in it', () => {
    const redactor = createRedactor();
    redactor.hold('half-a-\ud83d-smile');
    expect(redactor.redact('it is half-a-\ud83d-smile!')).toBe('it is REDACTED!');
  });

  test('leaves text alone for a secret so short that it would be everywhere', () => {
    const redactor = createRedactor();
    redactor.hold('a');
    expect(redactor.redact('a banana')).toBe('a banana');
  });
});
