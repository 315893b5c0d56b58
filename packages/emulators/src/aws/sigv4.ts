import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { authFailure, Ec2Error } from './errors.js';

/** A request as it was signed. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Who sent a request, and for which region it was signed. */
export interface Caller {
  readonly accessKeyId: string;
  readonly region: string;
}

/** An access key EC2 knows. */
export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Only with temporary credentials. */
  readonly sessionToken?: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 +Credential=([^/,\s]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request, *SignedHeaders=([a-z0-9;-]+), *Signature=([0-9a-f]{64})$/;

/**
 * Checks a request's Signature Version 4 from end to end.
 * @param keys those that exist
 * @throws Ec2Error `MissingAuthenticationToken`, `IncompleteSignature` or `AuthFailure`, as EC2 tells them apart:
 *   it gives an unknown key and a wrong secret the same answer
 */
export function verifySignature(request: SignedRequest, keys: readonly AccessKey[]): Caller {
  const header = request.headers.authorization;
  if (header === undefined) throw new Ec2Error('MissingAuthenticationToken', 'Request is missing Authentication Token');
  const match = AUTHORIZATION.exec(header);
  if (match === null)
    throw incomplete('Authorization header must be AWS4-HMAC-SHA256 with Credential, SignedHeaders and Signature.');
  const [, accessKeyId = '', date = '', region = '', service = '', signedHeaders = '', signature = ''] = match;

  const instant = request.headers['x-amz-date'];
  if (instant === undefined || !/^\d{8}T\d{6}Z$/.test(instant)) {
    throw incomplete("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.");
  }
  if (service !== 'ec2' || !instant.startsWith(date)) throw incomplete('Credential should be scoped to the request.');
  const names = signedHeaders.split(';');
  if (!names.includes('host')) throw incomplete("'Host' must be a 'SignedHeader' in the AWS Authorization.");

  const key = keys.find((known) => known.accessKeyId === accessKeyId);
  if (key === undefined || request.headers['x-amz-security-token'] !== key.sessionToken) throw authFailure();
  const scope = `${date}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', instant, scope, sha256(canonicalRequest(request, names))].join('\n');
  const expected = hmac(signingKey(key.secretAccessKey, date, region, service), text);
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) throw authFailure();
  return { accessKeyId, region };
}

function incomplete(message: string): Ec2Error {
  return new Ec2Error('IncompleteSignature', message);
}

function canonicalRequest({ method, path, headers, body }: SignedRequest, names: readonly string[]): string {
  const signed = names.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`).join('');
  // EC2's requests have no query: everything is in the body.
  return [method, path, '', signed, names.join(';'), sha256(body)].join('\n');
}

function signingKey(secret: string, date: string, region: string, service: string): Buffer {
  return hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), service), 'aws4_request');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}

function sha256(data: string): string {
  return createHash('sha256').update(data).digest('hex');
}
