/** How Node says that it does not trust the certificate at the other end. */
const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

export function isCertificateCode(code: string): boolean {
  return CERTIFICATE_CODES.has(code);
}

/** Those of a certificate whose authority is not known. */
const UNKNOWN_AUTHORITY = /^(?:DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;
const HINT =
  'something on the way answers with a certificate of its own: name the file of its authority in NODE_EXTRA_CA_CERTS';

/** What to do about a cloud's certificate that nobody known vouches for; nothing for any other error. */
export function certificateHint(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && UNKNOWN_AUTHORITY.test(at.code)) return HINT;
  }
  return undefined;
}
