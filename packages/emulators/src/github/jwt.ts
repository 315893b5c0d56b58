import { type KeyObject, verify } from 'node:crypto';

/** GitHub takes no JWT that is valid for longer. */
const LONGEST_LIFE_SECONDS = 600;

/** Reads who issued a JWT, before anything about it is checked. Undefined when it is no JWT. */
export function issuerOf(token: string): string | undefined {
  const payload = readPart(token.split('.')[1]);
  const issuer = payload?.iss;
  return typeof issuer === 'string' || typeof issuer === 'number' ? String(issuer) : undefined;
}

/**
 * Checks an App's JWT as GitHub does: RS256 by the App's key, issued in the past, expiring in the future and at most
 * ten minutes after it was issued and from now, in whole seconds.
 * @returns what is wrong with it, in GitHub's words where they are known
 */
export function problemWithJwt(token: string, key: KeyObject, nowMs: number): string | undefined {
  const [head, body, signature, ...more] = token.split('.');
  const payload = readPart(body);
  if (signature === undefined || more.length > 0 || readPart(head)?.alg !== 'RS256' || !payload) {
    return 'A JSON web token could not be decoded';
  }
  const signed = verify('RSA-SHA256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'));
  if (!signed) return 'A JSON web token could not be decoded';
  const { iat, exp } = payload;
  const now = Math.floor(nowMs / 1000);
  if (!Number.isInteger(iat) || Number(iat) > now) {
    return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
  }
  if (!Number.isInteger(exp) || Number(exp) <= now) {
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  }
  if (Number(exp) - Number(iat) > LONGEST_LIFE_SECONDS || Number(exp) > now + LONGEST_LIFE_SECONDS) {
    return "'Expiration time' claim ('exp') is too far in the future";
  }
  return undefined;
}

/** A JWT without a signature, for tokens that only their maker checks. */
export function unsignedJwt(payload: Readonly<Record<string, unknown>>): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none', typ: 'JWT' })}.${part(payload)}.`;
}

function readPart(text: string | undefined): Record<string, unknown> | undefined {
  if (!text) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
