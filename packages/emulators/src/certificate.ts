import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { type EmulatorRandom, realRandom } from './random.js';

/** A certificate an emulator made for itself. */
export interface SelfMadeCertificate {
  /** The certificate, as PEM. It is its own authority. */
  readonly cert: string;
  /** Its private key, as PEM. */
  readonly key: string;
  /** Its SHA-256, as capitals in pairs with colons between. */
  readonly fingerprint256: string;
}

/** The tags of ASN.1 that a certificate is made of. */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Object identifiers, already encoded. */
const ID = {
  commonName: '550403',
  ecdsaWithSha256: '2a8648ce3d040302',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
} as const;

// Wide enough that no test's clock and no year of the host's falls outside.
const FROM = '200101000000Z';
const UNTIL = '491231235959Z';

/**
 * Makes a key and a certificate for it, signed with itself, valid from 2020 to 2049.
 * @param names the host names and IPv4 addresses it is for
 */
export function makeCertificate(names: readonly string[], random: EmulatorRandom = realRandom): SelfMadeCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = certificateBody(names, publicKey, random.bytes(8));
  const signature = sign('sha256', body, privateKey);
  const der = element(TAG.sequence, body, algorithm(), element(TAG.bitString, Buffer.of(0), signature));
  return {
    cert: toPem(der),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    fingerprint256: createHash('sha256')
      .update(der)
      .digest('hex')
      .toUpperCase()
      .replace(/..(?!$)/g, '$&:'),
  };
}

function certificateBody(names: readonly string[], publicKey: KeyObject, serial: Uint8Array): Buffer {
  const name = distinguishedName(names[0] ?? 'localhost');
  return element(
    TAG.sequence,
    element(0xa0, element(TAG.integer, Buffer.of(2))), // version 3
    element(TAG.integer, Buffer.of(1), serial), // led by a 1, so that it is positive
    algorithm(),
    name,
    element(TAG.sequence, text(TAG.utcTime, FROM), text(TAG.utcTime, UNTIL)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, element(TAG.sequence, ...extensions(names))),
  );
}

function extensions(names: readonly string[]): Buffer[] {
  const alternatives = names.map((name) =>
    isIPv4(name) ? element(0x87, Buffer.from(name.split('.').map(Number))) : text(0x82, name),
  );
  const yes = element(TAG.boolean, Buffer.of(0xff));
  return [
    element(TAG.sequence, objectId(ID.subjectAltName), octets(element(TAG.sequence, ...alternatives))),
    element(TAG.sequence, objectId(ID.basicConstraints), yes, octets(element(TAG.sequence, yes))),
  ];
}

function distinguishedName(commonName: string): Buffer {
  const pair = element(TAG.sequence, objectId(ID.commonName), text(TAG.utf8, commonName));
  return element(TAG.sequence, element(TAG.set, pair));
}

function algorithm(): Buffer {
  return element(TAG.sequence, objectId(ID.ecdsaWithSha256));
}

function objectId(hex: string): Buffer {
  return element(TAG.objectId, Buffer.from(hex, 'hex'));
}

function octets(content: Buffer): Buffer {
  return element(TAG.octetString, content);
}

function text(tag: number, content: string): Buffer {
  return element(tag, Buffer.from(content));
}

/** One element as DER writes it: tag, length, content. */
function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 0x80) return Buffer.concat([Buffer.of(tag, body.length), body]);
  if (body.length < 0x100) return Buffer.concat([Buffer.of(tag, 0x81, body.length), body]);
  return Buffer.concat([Buffer.of(tag, 0x82, body.length >> 8, body.length & 0xff), body]);
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').replace(/.{64}(?!$)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
