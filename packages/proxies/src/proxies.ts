import { BlockList, isIP } from 'node:net';
import { RungarError } from '@rungar/model';

/** Through which proxies to go, and to whom directly. Each as the environment variable of that name has it. */
export interface ProxySettings {
  /** For `https:` addresses: `http://user:password@proxy.example:3128`. */
  readonly httpsProxy?: string;
  /** For `http:` addresses. */
  readonly httpProxy?: string;
  /** Who is asked directly: hosts, `.suffixes`, addresses and networks (`10.0.0.0/8`), each with a port or without. */
  readonly noProxy?: string;
}

/** Finds the proxy on the way to `url`; nothing for a direct way. */
export type ChooseProxy = (url: URL) => URL | undefined;

/** What `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` say, in either case; the names in small letters win. */
export function proxySettingsOf(env: Readonly<Record<string, string | undefined>>): ProxySettings {
  const read = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
  const [httpsProxy, httpProxy, noProxy] = [read('HTTPS_PROXY'), read('HTTP_PROXY'), read('NO_PROXY')];
  return {
    ...(httpsProxy !== undefined && { httpsProxy }),
    ...(httpProxy !== undefined && { httpProxy }),
    ...(noProxy !== undefined && { noProxy }),
  };
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

function readProxy(text: string, variable: string): URL {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && !isDecodable(url)) {
    throw new RungarError('invalid_argument', `the user or password in ${variable} is not properly percent-encoded`, {
      hint: 'Write a % of theirs as %25.',
    });
  }
  if (url && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '') return url;
  // The text itself may hold a password.
  throw new RungarError('invalid_argument', `${variable} is not the address of an HTTP proxy`, {
    hint: 'Give it as http://HOST:PORT, with USER:PASSWORD@ before the host where the proxy wants them.',
  });
}

/** The proxy of a scheme, whoever is asked. @throws RungarError `invalid_argument` when it is no proxy's address */
export function proxyOf({ httpsProxy, httpProxy }: ProxySettings, scheme: 'http:' | 'https:'): URL | undefined {
  if (scheme === 'https:') return httpsProxy === undefined ? undefined : readProxy(httpsProxy, 'HTTPS_PROXY');
  return httpProxy === undefined ? undefined : readProxy(httpProxy, 'HTTP_PROXY');
}

/** One entry of `NO_PROXY`. */
type Exception = (host: string, port: string) => boolean;

function networkException(address: string, prefix: number): Exception | undefined {
  const family = isIP(address);
  if (family === 0 || prefix > (family === 4 ? 32 : 128)) return undefined;
  const list = new BlockList();
  list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  return (host) => isIP(host) !== 0 && list.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
}

/** `host`, `host:port`, `[::1]:port` or a bare IPv6 address, apart. */
function splitPort(entry: string): { host: string; port?: string } {
  if (isIP(entry) === 6) return { host: entry };
  const found = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry);
  const [, host = entry, port] = found ?? [];
  return { host, ...(port !== undefined && { port }) };
}

function readException(text: string): Exception {
  const entry = text.toLowerCase();
  if (entry === '*') return () => true;
  const [, network = '', prefix] = /^(.*)\/(\d{1,3})$/.exec(entry) ?? [];
  if (prefix !== undefined) return networkException(network, Number(prefix)) ?? (() => false);
  const { host: wanted, port: wantedPort } = splitPort(entry.replace(/^\*\./, '.').replace(/\.(?=$|:\d+$)/, ''));
  const isPort = (port: string): boolean => wantedPort === undefined || wantedPort === port;
  if (wanted.startsWith('.')) return (host, port) => host.endsWith(wanted) && isPort(port);
  // As a network of one, since IPv6 addresses have several spellings.
  const address = networkException(wanted, isIP(wanted) === 4 ? 32 : 128);
  if (address) return (host, port) => address(host, port) && isPort(port);
  return (host, port) => (host === wanted || host.endsWith(`.${wanted}`)) && isPort(port);
}

function isLoopback(host: string): boolean {
  if (isIP(host) !== 0) return host === '::1' || host.startsWith('127.');
  return host === 'localhost' || host.endsWith('.localhost');
}

/**
 * The rule by which a proxy is chosen: that of the address's scheme, unless `NO_PROXY` names its host. `example.com`
 * there stands for its subdomains too, `.example.com` for these alone. Loopback is always asked directly.
 * @throws RungarError `invalid_argument` naming the variable that is no proxy's address
 */
export function createChooseProxy(settings: ProxySettings): ChooseProxy {
  const { noProxy = '' } = settings;
  const proxies: Readonly<Record<string, URL | undefined>> = {
    'https:': proxyOf(settings, 'https:'),
    'http:': proxyOf(settings, 'http:'),
  };
  const exceptions = noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(readException);
  return (url) => {
    const proxy = proxies[url.protocol];
    if (!proxy) return undefined;
    const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return isLoopback(host) || exceptions.some((fits) => fits(host, port)) ? undefined : proxy;
  };
}
