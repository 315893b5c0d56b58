import { posix } from 'node:path';
import type { DicerAddress } from './settings.js';

const SOCKET = 'unix://';
const DNS = 'dns:///';

/** The longest path a Unix socket's address holds on Linux; Node 20 would cut a longer one short without a word. */
const LONGEST_SOCKET_PATH = 107;

export type ReadAddress = { readonly target: DicerAddress } | { readonly want: string };

/** Reads an `address`: `unix://` and an absolute path, or `HOST:PORT`, which may stand after `dns:///`. */
export function readAddress(text: string): ReadAddress {
  return text.startsWith(SOCKET) ? readSocket(text.slice(SOCKET.length)) : readHostAndPort(withoutScheme(text));
}

function readSocket(path: string): ReadAddress {
  if (!path.startsWith('/'))
    return { want: 'must name a socket by its absolute path, like unix:///run/dicer/dicer.sock' };
  const bytes = Buffer.byteLength(path);
  if (bytes > LONGEST_SOCKET_PATH) {
    return { want: `must have a path of at most ${LONGEST_SOCKET_PATH} bytes, and it has ${bytes}` };
  }
  return { target: { kind: 'socket', path } };
}

function readHostAndPort(text: string): ReadAddress {
  const want = 'must be HOST:PORT or unix:// and an absolute path, like dicer.example.com:7443';
  const [, inBrackets, bare, digits] = /^(?:\[([^[\]/\s]+)\]|([^:[\]/\s]*)):([0-9]{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (!(port >= 1 && port <= 65_535)) return { want };
  return { target: { kind: 'tcp', host: inBrackets ?? (bare || 'localhost'), port } };
}

/** An address as it is shown: without `dns:///`, which says nothing. */
export function withoutScheme(text: string): string {
  return text.startsWith(DNS) ? text.slice(DNS.length) : text;
}

/** What tells two addresses of one daemon: `dicer:` and the address, a path without detours, a host in small letters. */
export function endpointOf(address: string, target: DicerAddress): string {
  if (target.kind === 'tcp') return `dicer:${withoutScheme(address).toLowerCase()}`;
  const path = posix.normalize(target.path).replace(/(?<=.)\/$/, '');
  return `dicer:${SOCKET}${path}`;
}
