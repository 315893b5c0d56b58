import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeCertificate } from './certificate.js';

test('a certificate is its own authority, for the names it was made for', () => {
  const { cert, key, fingerprint256 } = makeCertificate(['localhost', '127.0.0.1']);
  const read = new X509Certificate(cert);
  expect(read.subject).toBe('CN=localhost');
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.checkHost('localhost')).toBe('localhost');
  expect(read.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(read.checkHost('example.com')).toBeUndefined();
  expect(read.ca).toBe(true);
  expect(read.fingerprint256).toBe(fingerprint256);
  expect(key).toContain('BEGIN PRIVATE KEY');
  expect([new Date(read.validFrom).getUTCFullYear(), new Date(read.validTo).getUTCFullYear()]).toEqual([2020, 2049]);
});

test('no two are the same', () => {
  expect(makeCertificate(['a']).fingerprint256).not.toBe(makeCertificate(['a']).fingerprint256);
});
