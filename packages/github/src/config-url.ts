import { RungarError } from '@rungar/model';

/** What a configuration address stands for. */
export type Scope =
  | { readonly kind: 'enterprise'; readonly enterprise: string }
  | { readonly kind: 'organisation'; readonly organisation: string }
  | { readonly kind: 'repository'; readonly owner: string; readonly repository: string };

/** The address of an enterprise, organisation or repository, understood. */
export interface ConfigUrl {
  readonly scope: Scope;
  /** The address itself: host in lower case, no slash at the end, no query. What GitHub is told. */
  readonly href: string;
  /** Whether GitHub runs the host; otherwise it is an Enterprise Server. */
  readonly hosted: boolean;
  /** Where the REST API is, without a slash at the end. */
  readonly apiBase: string;
  /** The scope's place in the REST API: `/orgs/acme`. */
  readonly apiPath: string;
}

const HINT =
  'Give the address a browser shows: https://HOST/ORGANISATION, https://HOST/OWNER/REPOSITORY or https://HOST/enterprises/ENTERPRISE.';

/** An address as an error may repeat it: without what may be a password or a token. */
function shown(text: string): string {
  return text
    .replace(/[^/\s]*@/g, '***@')
    .replace(/[?#].*/s, '')
    .replace(/\b(gh[a-z]|github_pat)_\w+/g, '***');
}

function refuse(text: string, why: string): RungarError {
  return new RungarError(
    'invalid_argument',
    `"${shown(text)}" is not the address of an organisation, a repository or an enterprise: ${why}`,
    { hint: HINT },
  );
}

/** Where programs ask, and no browser looks. */
const API_HOST = /^api\.(github\.com|[^.]+\.ghe\.com)$/;

/** First parts of GitHub's own pages, which are nobody's name. */
const PAGES_OF = new Set(['orgs', 'organizations', 'users', 'settings', 'apps', 'login', 'marketplace']);

/** The address that somebody who gave one of GitHub's own pages may have meant. */
function refusePage(text: string, origin: string, [page = '', name]: readonly string[]): RungarError {
  const meant = name !== undefined && /^(orgs|organizations)$/i.test(page) ? `: give ${origin}/${name}` : '';
  const whose = page.toLowerCase() === 'users' ? "a person's page" : "one of GitHub's own pages";
  return refuse(text, `it is ${whose}${meant}`);
}

function scopeOf(text: string, origin: string, segments: readonly string[]): Scope {
  const [first = '', second = ''] = segments;
  if (segments.some((segment) => segment === '')) throw refuse(text, 'its path has an empty part');
  if (PAGES_OF.has(first.toLowerCase())) throw refusePage(text, origin, segments);
  if (segments.length === 1 && first.toLowerCase() === 'enterprises') throw refuse(text, 'it names no enterprise');
  if (segments.length === 1) return { kind: 'organisation', organisation: first };
  if (segments.length > 2) throw refuse(text, `its path has ${segments.length} parts, one or two are wanted`);
  if (first.toLowerCase() === 'enterprises') return { kind: 'enterprise', enterprise: second };
  if (second.toLowerCase().endsWith('.git')) {
    throw refuse(text, `it is what git clones: give ${origin}/${first}/${second.slice(0, -4)}`);
  }
  return { kind: 'repository', owner: first, repository: second };
}

function apiPathOf(scope: Scope): string {
  switch (scope.kind) {
    case 'enterprise':
      return `/enterprises/${encodeURIComponent(scope.enterprise)}`;
    case 'organisation':
      return `/orgs/${encodeURIComponent(scope.organisation)}`;
    case 'repository':
      return `/repos/${encodeURIComponent(scope.owner)}/${encodeURIComponent(scope.repository)}`;
  }
}

/** `host` with its port, in lower case. */
function apiBaseOf(protocol: string, host: string): { hosted: boolean; apiBase: string } {
  if (host === 'github.com' || host === 'www.github.com') return { hosted: true, apiBase: 'https://api.github.com' };
  if (host === 'github.localhost' || host.endsWith('.ghe.com')) {
    return { hosted: true, apiBase: `${protocol}//api.${host}` };
  }
  return { hosted: false, apiBase: `${protocol}//${host}/api/v3` };
}

function decodeSegment(text: string, segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw refuse(text, `"${segment}" is not properly percent-encoded`);
  }
}

/**
 * Reads the address of an enterprise, organisation or repository, as a browser shows it. Case and port of the host,
 * slashes at the end and a query do not matter; hosts that GitHub does not run are Enterprise Servers, with their
 * REST API under `/api/v3`.
 * @param text with its scheme, `https` (or `http`, for a server on this machine)
 * @throws RungarError `invalid_argument` naming the three forms
 */
export function parseConfigUrl(text: string): ConfigUrl {
  const trimmed = text.trim().replace(/^\/+|\/+$/g, '');
  if (!/^https?:\/\//i.test(trimmed)) throw refuse(text, 'it must begin with https://');
  if (!URL.canParse(trimmed)) throw refuse(text, 'it cannot be read as a URL');
  const url = new URL(trimmed);
  url.hostname = url.hostname.replace(/\.$/, '');
  if (API_HOST.test(url.hostname)) throw refuse(text, 'its host is that of the API');
  if (url.username !== '' || url.password !== '') {
    throw new RungarError(
      'invalid_argument',
      `the GitHub address for ${url.host} must not hold a user name or password`,
      {
        hint: HINT,
      },
    );
  }
  const path = url.pathname.replace(/^\/+|\/+$/g, '');
  if (path === '') throw refuse(text, 'its path is empty');
  const scope = scopeOf(
    text,
    url.origin,
    path.split('/').map((segment) => decodeSegment(text, segment)),
  );
  return {
    scope,
    href: `${url.origin}/${path}`,
    ...apiBaseOf(url.protocol, url.host),
    apiPath: apiPathOf(scope),
  };
}
