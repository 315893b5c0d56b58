import { expect, test } from 'vitest';
import { parseListenAddress } from './listen-address.js';

const served = { what: 'the page', key: 'page.listen' };

test.each([
  ['127.0.0.1:9103', { host: '127.0.0.1', port: 9103 }],
  ['[::1]:0', { host: '::1', port: 0 }],
  [':9103', { host: '', port: 9103 }],
  ['ops.example:80', { host: 'ops.example', port: 80 }],
])('%s is an address to listen on', (listen, address) => expect(parseListenAddress(listen, served)).toEqual(address));

test.each(['9103', '::1:9103', 'h:', 'h:70000', ''])('"%s" is none', (listen) => {
  expect(() => parseListenAddress(listen, served)).toThrow(
    expect.objectContaining({
      code: 'invalid_argument',
      message: `the page cannot be served on ${listen}: it is not host:port`,
      hint: 'Set page.listen to a free address of this host.',
    }),
  );
});
