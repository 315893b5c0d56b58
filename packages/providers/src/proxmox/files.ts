import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { messageOf, RungarError, Secret } from '@rungar/model';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/**
 * The secret in a file, without the white space around it.
 * @throws RungarError `invalid_argument` when the file cannot be read or holds nothing
 */
export async function readTokenSecret(path: string, signal?: AbortSignal): Promise<Secret> {
  const hint = "put the API token's secret there, or let the daemon read it";
  const secret = (await read('token_secret_path', path, hint, signal)).trim();
  if (secret === '') throw new RungarError('invalid_argument', `token_secret_path: ${path} is empty`, { hint });
  return new Secret(secret);
}

/**
 * The certificates in a PEM file.
 * @throws RungarError `invalid_argument` when the file cannot be read or holds none
 */
export async function readAuthorities(path: string, signal?: AbortSignal): Promise<readonly string[]> {
  const hint = "put a PEM certificate there: on a node, the cluster's own authority is /etc/pve/pve-root-ca.pem";
  const found = (await read('tls.ca_file', path, hint, signal)).match(CERTIFICATE) ?? [];
  if (found.length === 0) {
    throw new RungarError('invalid_argument', `tls.ca_file: ${path} holds no PEM certificate`, { hint });
  }
  for (const certificate of found) {
    try {
      new X509Certificate(certificate);
    } catch (error) {
      const message = `tls.ca_file: ${path} holds a certificate that cannot be read: ${messageOf(error)}`;
      throw new RungarError('invalid_argument', message, { cause: error, hint });
    }
  }
  return found;
}

async function read(key: string, path: string, hint: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await readFile(path, { encoding: 'utf8', ...(signal && { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    throw new RungarError('invalid_argument', `${key}: ${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
      hint,
    });
  }
}
