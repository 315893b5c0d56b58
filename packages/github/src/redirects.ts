import type { WireAnswer, WireRequest } from './transport.js';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTS = 10;

/**
 * The request that an answer sends on to (RFC 9110, section 15.4); nothing where the answer is the last word.
 * Credentials go to no other host, and to none that would have them in the clear.
 * @param redirects how many there were before
 * @throws `ERR_TOO_MANY_REDIRECTS`, and what `URL` does for an address that is none
 */
export function onward(request: WireRequest, answer: WireAnswer, redirects: number): WireRequest | undefined {
  const { location } = answer.headers;
  if (!REDIRECTS.has(answer.status) || typeof location !== 'string') return undefined;
  if (redirects === MOST_REDIRECTS) {
    throw Object.assign(new Error(`redirected more than ${MOST_REDIRECTS} times`), { code: 'ERR_TOO_MANY_REDIRECTS' });
  }
  const url = new URL(location, request.url);
  const { authorization, ...others } = request.headers;
  const headers = authorization !== undefined && mayKnow(request.url, url) ? { ...others, authorization } : others;
  if (answer.status === 307 || answer.status === 308 || request.method === 'GET') return { ...request, url, headers };
  const { 'content-type': _, ...bodiless } = headers;
  return { method: 'GET', url, headers: bodiless };
}

function mayKnow(from: URL, to: URL): boolean {
  return (
    to.hostname === from.hostname && (to.protocol === from.protocol ? to.port === from.port : to.protocol === 'https:')
  );
}
