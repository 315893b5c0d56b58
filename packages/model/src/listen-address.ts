import { messageOf, RungarError } from './errors.js';

/** Where a server listens. An empty host is every address. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** What is served, and which key of the configuration says where: for words. */
export interface ServerName {
  /** Such as `the page`. */
  readonly what: string;
  /** Such as `page.listen`. */
  readonly key: string;
}

/**
 * @param listen `host:port`, `[::1]:port`, or `:port` for every address
 * @throws RungarError `invalid_argument` for anything else
 */
export function parseListenAddress(listen: string, served: ServerName): ListenAddress {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(listen) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) throw cannotListen(listen, served, new Error('it is not host:port'));
  return { host: bracketed ?? plain ?? '', port };
}

/** The error of a server that cannot listen there. */
export function cannotListen(listen: string, { what, key }: ServerName, error: Error): RungarError {
  return new RungarError('invalid_argument', `${what} cannot be served on ${listen}: ${messageOf(error)}`, {
    hint: `Set ${key} to a free address of this host.`,
    cause: error,
  });
}
