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

  test.each([
    ['its beginning', 'sent eyJzZXJ2ZXIiOiJo...', 'sent REDACTED...'],
    ['its end', '...Y29tIiwidG9rZW4iOi was sent', '...REDACTED was sent'],
    ['both, with the middle left out', '{"jit":"eyJzZXJ2[...]OiJodHRwcw=="}', '{"jit":"REDACTED[...]REDACTED"}'],
    ['its beginning, at the end of a text', 'it begins eyJzZXJ2', 'it begins REDACTED'],
    ['less than eight characters of it', 'eyJzZXJ and Rwcw==', 'eyJzZXJ and Rwcw=='],
  ])('takes out a long secret of which a text shows %s', (_what, text, shown) => {
    const redactor = createRedactor();
    redactor.hold(
      text.includes('wcw==')
        ? 'eyJzZXJ2ZXIiOiJodHRwczovL2V4YW1wbGUiOiJodHRwcw=='
        : 'eyJzZXJ2ZXIiOiJodHRwczovL2V4YW1wbGUuY29tIiwidG9rZW4iOi',
    );
    expect(redactor.redact(text)).toBe(shown);
  });

  test('takes out the whole of a long secret as one, wherever it is repeated', () => {
    const redactor = createRedactor();
    redactor.hold('ghs_0123456789abcdefghijklmnopqrstuv');
    const text = 'ghs_0123456789abcdefghijklmnopqrstuv ghs_0123456789abcdefghijklmnopqrstuv,opqrstuv';
    expect(redactor.redact(text)).toBe('REDACTED REDACTED,REDACTED');
  });

  test('takes out the cut-off base64 of a secret', () => {
    const redactor = createRedactor();
    redactor.hold('a-registration-good-once');
    // printf 'a-registration-good-once' | base64
    const whole = 'YS1yZWdpc3RyYXRpb24tZ29vZC1vbmNl';
    expect(redactor.redact(`user data ${whole.slice(0, 20)}`)).toBe('user data REDACTED');
    expect(redactor.redact(`user data ${whole.slice(12)}`)).toBe('user data REDACTED');
  });

  test('leaves what every key begins with, and short secrets that are not whole', () => {
    const redactor = createRedactor();
    redactor.hold('-----BEGIN PRIVATE KEY-----\nshort\n-----END PRIVATE KEY-----\n');
    redactor.hold('a-short-password');
    const text = 'it must begin with -----BEGIN PRIVATE KEY-----, and a-short- is no password';
    expect(redactor.redact(text)).toBe(text);
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
