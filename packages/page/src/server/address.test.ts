import { expect, test } from 'vitest';
import { isForThePage, isLoopback } from './address.js';

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['localhost', true],
  ['', false],
  ['0.0.0.0', false],
  ['192.0.2.7', false],
  ['127.example', false],
])('whether only this host reaches "%s": %s', (host, own) => expect(isLoopback(host)).toBe(own));

test.each([
  // By whatever port it comes: it may be that of a tunnel.
  ['localhost:9103', '127.0.0.1', true],
  ['LOCALHOST', '127.0.0.1', true],
  ['rungar.localhost:8080', '127.0.0.1', true],
  ['127.0.0.1:1', '127.0.0.1', true],
  ['[::1]:9103', '127.0.0.1', true],
  ['ops.example:9103', 'OPS.example', true],
  ['192.0.2.7:9103', '192.0.2.7', true],
  ['192.0.2.7:9103', '', true],
  ['[2001:db8::7]', '::', true],
  // A name of somebody else's that was made to lead here.
  ['evil.example', '127.0.0.1', false],
  ['evil.example:9103', '', false],
  ['127.0.0.1.evil.example', '127.0.0.1', false],
  ['evil-localhost', '127.0.0.1', false],
  ['192.0.2.7', '127.0.0.1', false],
  ['', '', false],
  [undefined, '', false],
  ['localhost@evil.example', '127.0.0.1', false],
  ['localhost, evil.example', '127.0.0.1', false],
])('whether a request for %s is meant for a page on "%s": %s', (header, host, meant) => {
  expect(isForThePage(header, host)).toBe(meant);
});
