import { generate } from 'selfsigned';

/** A certificate and its key, PEM. */
export interface Issued {
  readonly certificate: string;
  readonly key: string;
}

/** An authority of a test's own. */
export interface Authority {
  /** PEM. */
  readonly certificate: string;
  /**
   * A certificate for servers and clients.
   * @param name its common name and first DNS name
   * @param addresses further DNS names and IP addresses it is good for
   */
  issue(name: string, ...addresses: readonly string[]): Promise<Issued>;
}

const SHAPE = { keyType: 'ec', algorithm: 'sha256' } as const;

/** An authority like no other, good for a year. */
export async function createAuthority(): Promise<Authority> {
  const own = await generate([{ name: 'commonName', value: 'An authority of a test' }], {
    ...SHAPE,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return {
    certificate: own.cert,
    async issue(name, ...addresses) {
      const altNames = [name, ...addresses].map((value) =>
        /^[0-9.]+$|:/.test(value) ? ({ type: 7, ip: value } as const) : ({ type: 2, value } as const),
      );
      const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
        ...SHAPE,
        ca: { key: own.private, cert: own.cert },
        extensions: [
          { name: 'basicConstraints', cA: false, critical: true },
          { name: 'keyUsage', digitalSignature: true, critical: true },
          { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
          { name: 'subjectAltName', altNames },
        ],
      });
      return { certificate: cert, key };
    },
  };
}
