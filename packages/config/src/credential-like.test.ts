import { describe, expect, test } from 'vitest';
import { hideCredentials, looksLikeCredential, withoutCredentials } from './credential-like.js';

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

describe('a value looks like a credential', () => {
  test.each([
    ['a token of GitHub', TOKEN],
    ['a fine-grained token of GitHub', `github_pat_${'11ABCDEFG0'.repeat(3)}`],
    ['a key of AWS', 'AKIAIOSFODNN7EXAMPLE'],
    ['a secret key of AWS', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
    ['a JSON web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----'],
    ['an address with a password', 'postgres://app:hunter2@db.internal/app'],
    ['a script that sets a password', '#!/bin/sh\nexport DB_PASSWORD=hunter2\nexec run\n'],
    ['a script that writes a token', '#!/bin/sh\necho "token: hunter2" > /etc/x\n'],
    ['a command with a password', '#!/bin/sh\nmysql --password hunter2\n'],
    ['a header', 'Authorization: Bearer abcdef0123456789'],
    ['a header with a short token', "curl -H 'Authorization: token hunter2' https://example.com"],
    ['a user with a password', 'curl -u me:hunter2 https://example.com'],
    ['a personal access token', "export GH_PAT='hunter2'"],
  ])('as %s', (_, value) => expect(looksLikeCredential(value)).toBe(true));

  test.each([
    'PASSWORD',
    'DB_PASSWORD',
    'npm-token',
    'apiKey',
    'clientSecret',
    'PGPASSWORD',
    'AWS_SECRET_ACCESS_KEY',
    'sentry.dsn',
  ])('by the name %s', (name) => expect(looksLikeCredential('hunter2', name)).toBe(true));
});

describe('a value looks harmless', () => {
  test.each([
    '',
    '4GiB',
    'production',
    '/etc/rungar/token',
    'registry.example.com/runner:2',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'https://proxy.example.com:3128/path',
    '-Xmx4g -XX:+UseG1GC',
    'the-quick-brown-fox-jumps-over-the-lazy-dog',
    '#!/bin/sh\nexport TOKEN="$1"\nexec ./run.sh --token "$TOKEN"\n',
    'docker run -u 1000:1000 image',
    'curl -u "$NAME:$WORD" -H "Authorization: Bearer $TOKEN" https://example.com',
    '#!/bin/bash\nset -u\ntrap "poweroff" EXIT\nexport HOME=/home/runner\ncd /home/runner\n',
  ])('%j', (value) => expect(looksLikeCredential(value)).toBe(false));

  test.each([
    ['TOKEN_FILE', '/run/secrets/token'],
    ['TOKEN_PATH', 'token.txt'],
    ['SECRET_NAME', 'prod'],
    ['USE_TOKEN', 'true'],
    ['TOKEN', '${OTHER}'],
    ['MONKEY', 'banana'],
    ['COMPASS', 'north'],
    ['KEYBOARD', 'us-intl'],
    ['PASSWORD', ''],
  ])('%s=%s', (name, value) => expect(looksLikeCredential(value, name)).toBe(false));
});

test('a text loses what looks like a credential, and keeps the rest', () => {
  expect(withoutCredentials(`the token ${TOKEN} is refused`)).toBe('the token REDACTED is refused');
  expect(withoutCredentials('names an image that does not exist: "ami-0a1b2c3d4e5f60718"')).toBe(
    'names an image that does not exist: "ami-0a1b2c3d4e5f60718"',
  );
});

describe('a problem', () => {
  const place = { file: 'c.yaml', line: 1, column: 1 };

  test('shows no variable whose name says that it is secret', () => {
    const problem = {
      severity: 'error',
      place,
      path: 'providers[0].runner.env.DB_PASSWORD',
      value: 'hunter2',
      message: 'must be short, not hunter2, on provider "p"',
    } as const;
    expect(hideCredentials(problem)).toEqual({
      ...problem,
      value: 'REDACTED',
      message: 'must be short, not REDACTED, on provider "p"',
    });
  });

  test('shows no token that stands where a name should', () => {
    const hidden = hideCredentials({
      severity: 'error',
      place,
      path: `github["token:${TOKEN}"]`,
      value: TOKEN,
      message: `must be text, not "${TOKEN}"`,
      hint: `take ${TOKEN} away`,
    });
    expect(JSON.stringify(hidden)).not.toContain(TOKEN);
    expect(hidden.message).toBe('must be text, not REDACTED');
  });

  test('with nothing to hide stays as it is', () => {
    const problem = {
      severity: 'error',
      place,
      path: 'socket',
      value: 'x',
      message: 'must be absolute, not x',
    } as const;
    expect(hideCredentials(problem)).toEqual(problem);
  });
});

test('looking takes no longer for a text that is made to take long', () => {
  const text = `${'a_'.repeat(40_000)}${'token='.repeat(10_000)}${'-----BEGIN PRIVATE KEY-----'.repeat(2_000)}${'a:'.repeat(30_000)}`;
  expect(looksLikeCredential(text, 'x')).toBe(true);
  expect(withoutCredentials(text).length).toBeLessThan(text.length);
});
