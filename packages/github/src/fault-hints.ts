const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /^(DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_)/,
    "This host does not know the authority that signed the server's certificate: put that authority's certificate into a PEM file and name the file in NODE_EXTRA_CA_CERTS before the start.",
  ],
  [/^CERT_HAS_EXPIRED$/, "The server's certificate has expired: renew it there, and check this host's clock."],
  [/^CERT_NOT_YET_VALID$/, "The server's certificate is not valid yet: check this host's clock."],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "The server's certificate is for other names: use a name that stands in it as the address.",
  ],
  [/^(ERR_SSL_WRONG_VERSION_NUMBER|EPROTO)$/, 'The server does not speak TLS there: check the port of the address.'],
  [
    /^(ERR_TOO_MANY_REDIRECTS|ERR_INVALID_URL|ERR_INVALID_PROTOCOL)$/,
    'The server sends elsewhere and to nowhere: check the address, and whether a proxy or a sign-in page answers in its place.',
  ],
  [/^ENOTFOUND$/, "Check the spelling of the host, this host's DNS, and whether HTTPS_PROXY is needed."],
  [
    /^ERR_PROXY/,
    'Check HTTPS_PROXY and its user and password, that the proxy allows this host, or add it to NO_PROXY.',
  ],
];

const OTHER_TLS_HINT =
  "Check the server's certificate and TLS versions; Node.js takes further authorities from NODE_EXTRA_CA_CERTS.";

/** How to cure a fault of the connection, by the code that sockets and TLS give it. */
export function hintForFault(code: string, lasting: boolean): string | undefined {
  const known = HINTS.find(([codes]) => codes.test(code))?.[1];
  return known ?? (lasting ? OTHER_TLS_HINT : undefined);
}
