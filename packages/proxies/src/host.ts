import { isIP } from 'node:net';

/** A host as it stands in an address: IPv6 in brackets. */
export function inAddress(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** The host and port of an address, as sockets want them. */
export function endOf(url: URL): { host: string; port: number } {
  const usual = url.protocol === 'https:' ? 443 : 80;
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? usual : Number(url.port) };
}
