import { isIP } from 'node:net';

/** Whether only this host can reach what listens there. */
export function isLoopback(host: string): boolean {
  return isLoopbackName(host.toLowerCase());
}

function isLoopbackName(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  );
}

const EVERY_ADDRESS: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);

/**
 * Whether a request for this host is meant for the page. A page of somebody else's whose name was made to lead here,
 * to read what its own origin shows it, asks for its own name, and is told no. Any port will do: it may be that of a
 * tunnel. Where every address is listened on, any address is meant, since an address is no name to be redirected.
 * @param header the `Host` of the request
 * @param listenHost where the page listens; empty for every address
 */
export function isForThePage(header: string | undefined, listenHost: string): boolean {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([^:/?#@\\\s]+))(?::\d{1,5})?$/i.exec(header ?? '') ?? [];
  const host = (bracketed ?? plain)?.toLowerCase();
  if (host === undefined) return false;
  if (isLoopbackName(host) || host === listenHost.toLowerCase()) return true;
  return EVERY_ADDRESS.has(listenHost) && isIP(host) !== 0;
}
