import { asShape, instantOf, integerOf, textOf } from './read.js';

export interface TokenAnswer {
  readonly token: string;
  /** Epoch milliseconds by GitHub's clock. */
  readonly expiresAt?: number;
}

/** An installation token or a registration token. */
export function decodeToken(body: unknown): TokenAnswer | undefined {
  const shape = asShape(body);
  const token = shape ? textOf(shape, 'token') : '';
  if (!shape || token === '') return undefined;
  const expiresAt = instantOf(shape, 'expires_at');
  return { token, ...(expiresAt !== undefined && { expiresAt }) };
}

export interface ConnectionAnswer {
  /** The Actions service's base, opaque. */
  readonly url: string;
  readonly token: string;
  /** Epoch milliseconds by GitHub's clock, from the token's own `exp`. */
  readonly expiresAt: number;
}

/** The `exp` of a JWT in epoch milliseconds. Its signature is GitHub's affair. */
function expiryOf(jwt: string): number | undefined {
  const payload = jwt.split('.')[1];
  if (!payload) return undefined;
  try {
    const claims = asShape(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
    const seconds = claims ? integerOf(claims, 'exp') : 0;
    return seconds > 0 ? seconds * 1000 : undefined;
  } catch {
    return undefined;
  }
}

/** The admin connection to the Actions service; nothing where address, token or expiry is missing. */
export function decodeConnection(body: unknown): ConnectionAnswer | undefined {
  const shape = asShape(body);
  if (!shape) return undefined;
  const url = textOf(shape, 'url');
  const token = textOf(shape, 'token');
  const expiresAt = expiryOf(token);
  return URL.canParse(url) && expiresAt !== undefined ? { url, token, expiresAt } : undefined;
}
