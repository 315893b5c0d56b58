import type { PveToken } from './catalogue.js';
import { forbidden, PveError } from './errors.js';

const HEADER = /^PVEAPIToken=([^=]+)=(.+)$/;

/** Who calls, and what they may do. */
export class Caller {
  readonly token: PveToken;
  readonly #denied: ReadonlySet<string>;

  constructor(token: PveToken, denied: ReadonlySet<string>) {
    this.token = token;
    this.#denied = denied;
  }

  /** Whether the token has a privilege on a path: the deepest path with an entry decides. */
  may(path: string, privilege: string): boolean {
    return !this.#denied.has(privilege) && this.privilegesOn(path).includes(privilege);
  }

  /** Whether it has it on one of several paths. */
  mayOnAny(paths: readonly string[], privilege: string): boolean {
    return paths.some((path) => this.may(path, privilege));
  }

  /** @throws PveError when the privilege is missing on all of the paths */
  require(paths: readonly string[], privilege: string): void {
    if (!this.mayOnAny(paths, privilege)) throw forbidden(paths[0] ?? '/', privilege);
  }

  privilegesOn(path: string): readonly string[] {
    for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
      const here = this.token.privileges[at];
      if (here !== undefined) return here.filter((privilege) => !this.#denied.has(privilege));
    }
    return (this.token.privileges['/'] ?? []).filter((privilege) => !this.#denied.has(privilege));
  }
}

/**
 * Who a request's header says it is.
 * @throws PveError when it says nobody, or somebody with another secret
 */
export function authenticate(
  header: string | undefined,
  tokens: readonly PveToken[],
  denied: ReadonlySet<string>,
): Caller {
  if (header === undefined) throw new PveError(401, 'No ticket');
  const [, id, secret] = HEADER.exec(header) ?? [];
  const token = tokens.find((known) => known.id === id);
  if (token === undefined)
    throw new PveError(401, `no such token '${id?.split('!')[1] ?? ''}' for user '${id?.split('!')[0] ?? ''}'`);
  if (token.secret !== secret) throw new PveError(401, 'invalid token value!');
  return new Caller(token, denied);
}
