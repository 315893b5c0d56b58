import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { messageOf, RungarError } from '@rungar/model';
import { allErrors } from '../shared/all-errors.js';
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
  const [ca, read] = await Promise.all([
    caFile === undefined ? undefined : readAuthorities(caFile, signal),
    pair && usablePair(pair, readPair(pair, signal)),
  ]);
  return { ...(ca !== undefined && { ca }), ...read };
}

/**
 * Makes sure that the files of a `tls` block can be used.
 * @throws RungarError as {@link readTlsMaterial} does, or an AggregateError of one for each that cannot
 */
export async function checkTlsFiles({ pair, caFile }: DicerTls, signal: AbortSignal): Promise<void> {
  await allErrors([
    ...(caFile === undefined ? [] : [readAuthorities(caFile, signal)]),
    ...(pair === undefined ? [] : [checkPair(pair, signal)]),
  ]);
}

type Pair = NonNullable<DicerTls['pair']>;
type PairReading = readonly [cert: Promise<string>, key: Promise<string>];

async function checkPair(pair: Pair, signal: AbortSignal): Promise<void> {
  const reading = readPair(pair, signal);
  await allErrors(reading);
  await usablePair(pair, reading);
}

function readPair({ certFile, keyFile }: Pair, signal: AbortSignal): PairReading {
  return [readText('tls.cert_file', certFile, signal), readText('tls.key_file', keyFile, signal)];
}

async function usablePair(pair: Pair, reading: PairReading): Promise<{ cert: string; key: string }> {
  const [cert, key] = await Promise.all(reading);
  requirePair(pair, cert, key);
  return { cert, key };
}

async function readAuthorities(path: string, signal: AbortSignal): Promise<string> {
  const text = await readText('tls.ca_file', path, signal);
  requireCertificates(path, text);
  return text;
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
function requirePair({ certFile, keyFile }: Pair, cert: string, key: string): void {
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
