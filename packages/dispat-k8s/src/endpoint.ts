/** What a mailbox endpoint is made of. */
export interface Endpoint {
  readonly form: 'https' | 'ssh' | 'scp' | 'file' | 'path';
  /** The host as written, brackets of an IPv6 address included; absent for a file or a path. */
  readonly host?: string;
  /** The port git connects to: as written, else 22 or 443; absent for a file or a path. */
  readonly port?: number;
  readonly user?: string;
  /** The repository's path as written. */
  readonly path: string;
}

/** Why an endpoint is refused, in words that follow "an endpoint that". */
export interface EndpointFault {
  readonly reason: string;
  /** Whether dispat itself refuses it, or only this package. */
  readonly by: 'dispat' | 'us';
}

/** An endpoint, or what is wrong with it. */
export type EndpointReading =
  | { readonly endpoint: Endpoint; readonly fault?: undefined }
  | { readonly endpoint?: undefined; readonly fault: EndpointFault };

/**
 * Reads a mailbox endpoint as dispat does, and more strictly: an endpoint ends up in YAML, JSON, a shell script, a git
 * command line and flags, and nothing valid needs a quote, a blank or a character a shell acts on.
 * @param text the endpoint as written
 */
export function readEndpoint(text: string): EndpointReading {
  const endpoint = splitEndpoint(text);
  if ('reason' in endpoint) return { fault: endpoint };
  const strange = UNWANTED.exec(text)?.[0];
  if (strange === undefined) return { endpoint };
  return {
    fault: { reason: `contains ${nameOf(strange)}, which nothing valid needs (dispat itself may accept it)`, by: 'us' },
  };
}

/** Characters that mean something to a shell, to YAML or to JSON, and all that is not printable ASCII. */
const UNWANTED = /[^!-~]|[`$"'\\<>|;&(){}*!^]/u;

function splitEndpoint(text: string): Endpoint | EndpointFault {
  const refused = (reason: string): EndpointFault => ({ reason, by: 'dispat' });
  if (text === '') return refused('is empty');
  if (text.startsWith('-')) return refused('begins with a hyphen, which git would read as an option');
  if (text.includes('::'))
    return refused('contains `::`, which names a remote helper (an IPv6 address cannot be shortened here)');
  if (text.includes('?')) return refused('contains a query (`?`)');
  if (text.includes('#')) return refused('contains a fragment (`#`)');
  if (text.startsWith('/')) return { form: 'path', path: text };
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text);
  return scheme === null ? splitScp(text, refused) : splitUrl(text, scheme[0].length, (scheme[1] ?? '').toLowerCase());
}

/** `[user@]host:path`: what stands before the first colon is the host, as git has it. */
function splitScp(text: string, refused: (reason: string) => EndpointFault): Endpoint | EndpointFault {
  const match = /^(?:([^/:@]*)@)?(\[[^\]/]*\]|[^:/@[\]]*):(.*)$/s.exec(text);
  if (match === null) return refused('is a relative path, which means another folder in every pod');
  const [, user, host = '', path = ''] = match;
  if (user === undefined && /^[^/]*@/.test(path)) return refused('holds a password');
  if (host === '') return refused('has no host');
  if (path === '') return refused('has no path');
  if (user === '') return refused('has a user that is none');
  if (user?.startsWith('-') || path.startsWith('-')) return { reason: HYPHEN, by: 'us' };
  if (host.startsWith('-')) return refused('has a host that begins with a hyphen, which ssh would read as an option');
  return { form: 'scp', host, port: 22, path, ...(user !== undefined && { user }) };
}

/** dispat passes it on, and git itself blocks it. */
const HYPHEN = 'has a user or a path that begins with a hyphen, which git refuses';

const DEFAULT_PORT = { https: 443, ssh: 22 } as const;

function splitUrl(text: string, after: number, scheme: string): Endpoint | EndpointFault {
  const refused = (reason: string): EndpointFault => ({ reason, by: 'dispat' });
  if (scheme !== 'https' && scheme !== 'ssh' && scheme !== 'file') {
    return refused(`has the scheme \`${scheme}\`: only https, ssh and file are allowed`);
  }
  const rest = text.slice(after);
  const slash = rest.indexOf('/');
  const authority = slash === -1 ? rest : rest.slice(0, slash);
  const path = slash === -1 ? '' : rest.slice(slash);
  const at = authority.lastIndexOf('@');
  const user = at === -1 ? undefined : authority.slice(0, at);
  const hostAndPort = authority.slice(at + 1);
  if (user !== undefined && (scheme !== 'ssh' || user.includes(':') || user === '')) {
    return refused('holds user information: only a bare user, and only over ssh, is allowed');
  }
  if (user?.startsWith('-')) return { reason: HYPHEN, by: 'us' };
  if (scheme === 'file') {
    if (path === '' || path === '/') return refused('has no path');
    return { form: 'file', path, ...(authority !== '' && { host: authority }) };
  }
  const match = /^(\[[^\]]*\]|[^:[\]]*)(?::([0-9]*))?$/.exec(hostAndPort);
  const host = match?.[1] ?? '';
  if (match === null || host === '') return refused('has no host');
  if (host.startsWith('-')) return refused('has a host that begins with a hyphen, which ssh would read as an option');
  const port = match[2] === undefined || match[2] === '' ? DEFAULT_PORT[scheme] : Number(match[2]);
  if (port < 1 || port > 65535) return refused('has a port that is none');
  if (path === '' || path === '/') return refused('has no path');
  return { form: scheme, host, port, path, ...(user !== undefined && { user }) };
}

function nameOf(character: string): string {
  if (/^[!-~]$/.test(character)) return `\`${character}\`` === '```' ? 'a backtick' : `\`${character}\``;
  if (character === ' ') return 'a blank';
  return `the character U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * An endpoint fit for a message: the user half, a query and a fragment become `REDACTED`. Text that is no endpoint at
 * all goes through the same cuts.
 */
export function redactEndpoint(text: string): string {
  const flat = text.replace(/[^ -~]/gu, '?');
  const [, scheme = '', rest = ''] = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/)?(.*)$/s.exec(flat) ?? [];
  const at = rest.lastIndexOf('@');
  const withoutUser = at === -1 ? rest : `REDACTED@${rest.slice(at + 1)}`;
  return `${scheme}${withoutUser.replace(/([?#]).*$/s, '$1REDACTED')}`;
}

/**
 * Whether two endpoints that differ as text most likely name one repository: `git@h:p` and `ssh://git@h/p`. dispat
 * keys its caches by the text, so they are still two mailboxes to it.
 */
export function probablySameRepository(a: string, b: string): boolean {
  const left = readEndpoint(a).endpoint;
  const right = readEndpoint(b).endpoint;
  if (left === undefined || right === undefined || a === b) return false;
  const key = ({ host = '', path }: Endpoint): string =>
    `${host.toLowerCase()}/${path
      .replace(/^\/+/, '')
      .replace(/\/+$/, '')
      .replace(/\.git$/, '')}`;
  return key(left) === key(right) && key(left) !== '/';
}
