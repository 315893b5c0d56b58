import { expect, test } from 'vitest';
import { hintForFault } from './fault-hints.js';

test.each([
  ['ERR_TOO_MANY_REDIRECTS', /sends elsewhere .* check the address/],
  ['ERR_INVALID_URL', /sends elsewhere/],
  ['ERR_INVALID_PROTOCOL', /sends elsewhere/],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', /TLS versions/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', /check the port/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
  ['ERR_PROXY', /HTTPS_PROXY/],
])('the cure of %s is about what is wrong', (code, cure) => {
  expect(hintForFault(code, true)).toMatch(cure);
});

test('a connection that was cut has no cure', () => {
  expect(hintForFault('ECONNRESET', false)).toBeUndefined();
});
