import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { messageOf, RungarError } from '@rungar/model';
import type { DicerTls } from './settings.js';

/** What the files of a `tls` block hold, good for one connection. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/**
 * Reads the files of a `tls` block and makes sure that they can be used.
 * @throws RungarError `invalid_argument` naming the key, the file and the cure
 */
export async function readTlsMaterial(tls: DicerTls, signal: AbortSignal): Promise<TlsMaterial> {
  const { pair, caFile } = tls;
  const [ca, cert, key] = await Promise.all([
    caFile === undefined ? undefined : readText('tls.ca_file', caFile, signal),
    pair && readText('tls.cert_file', pair.certFile, signal),
    pair && readText('tls.key_file', pair.keyFile, signal),
  ]);
  if (caFile !== undefined && ca !== undefined) requireCertificates(caFile, ca);
  if (pair && cert !== undefined && key !== undefined) requirePair(pair, cert, key);
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
}

async function readText(key: string, path: string, signal: AbortSignal): Promise<string> {
  try {
    return await readFile(path, { encoding: 'utf8', signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new RungarError('invalid_argument', `${key}: ${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
      hint: 'put a PEM file there, and let the daemon read it',
    });
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function requireCertificates(path: string, text: string): void {
  const blocks = text.match(CERTIFICATE) ?? [];
  try {
    for (const block of blocks) new X509Certificate(block);
  } catch (error) {
    throw unusable(
      'tls.ca_file',
      path,
      messageOf(error),
      'put the certificates of the authorities there, as PEM',
      error,
    );
  }
  if (blocks.length > 0) return;
  throw unusable(
    'tls.ca_file',
    path,
    'it holds no certificate',
    'put the certificates of the authorities there, as PEM',
  );
}

/** The message of OpenSSL says what is wrong with a pair, never what is in it. */
function requirePair({ certFile, keyFile }: NonNullable<DicerTls['pair']>, cert: string, key: string): void {
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const hint = 'put the client certificate in cert_file, and its own key, without a passphrase, in key_file';
    throw unusable('tls.cert_file and tls.key_file', `${certFile} and ${keyFile}`, messageOf(error), hint, error);
  }
}

function unusable(key: string, path: string, why: string, hint: string, cause?: unknown): RungarError {
  return new RungarError('invalid_argument', `${key}: ${path} cannot be used: ${why}`, { cause, hint });
}
