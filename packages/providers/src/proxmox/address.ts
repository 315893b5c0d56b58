const ADDRESS =
  /^https:\/\/(?:[^/?#@]*@)?(?<host>\[[0-9a-f:.]+\]|[^/?#@:[\]\s]+)(?::(?<port>[0-9]*))?(?<path>\/[^?#]*)?(?:[?#].*)?$/i;

/** The port Proxmox VE serves its API on. */
const DEFAULT_PORT = '8006';

/**
 * Reads where a cluster's API is. `URL` cannot: it drops the port 443, which here is another than none.
 * @param text `https://`, a host, perhaps a port, and no path but `/`; user and query are left out
 * @returns `https://host:port` in lower case; nothing when the text is none of these
 */
export function parseAddress(text: string): string | undefined {
  const { host, port, path = '' } = ADDRESS.exec(text)?.groups ?? {};
  if (host === undefined || (path !== '' && path !== '/') || !URL.canParse(text)) return undefined;
  return `https://${host.toLowerCase()}:${port || DEFAULT_PORT}`;
}
