import { messageOf } from '@rungar/model';
import { type InputError, inputError } from '../problems.js';

/** The client library. It is an optional peer, so that nothing a user of this package sees may be typed with it. */
export type ClientLibrary = typeof import('@kubernetes/client-node');

/** What happened when the client library was asked for, and what it would have needed. */
export interface ClientImport {
  /**
   * Imports the client.
   * @throws what the import throws, where it is not installed
   */
  load(): Promise<object>;
  /** The installed client's version, where it is installed at all. */
  installedVersion(): Promise<string | undefined>;
}

const PACKAGE = '@kubernetes/client-node';
const VERSIONS = '^1.4 || ^2';
const INSTALL = `npm install ${PACKAGE}@1.4.0`;

/**
 * Loads the client library, which is an optional peer: only commands that talk to a cluster need it.
 * @throws InputError `CLIENT_MISSING` with the command that installs it, and the Node.js version it needs
 */
export async function loadClient(from: ClientImport): Promise<ClientLibrary> {
  let library: object;
  try {
    library = await from.load();
  } catch (error) {
    throw notLoaded(await from.installedVersion(), error);
  }
  if (isClient(library)) return library;
  throw inputError({
    code: 'CLIENT_MISSING',
    at: PACKAGE,
    found: `version ${(await from.installedVersion()) ?? 'unknown'}, which lacks what this program needs of it`,
    allowed: `${PACKAGE} ${VERSIONS}`,
    fix: `install one of these: ${INSTALL}`,
  });
}

/** Earlier versions have other calls. */
function isClient(library: object): library is ClientLibrary {
  return 'createConfiguration' in library && 'setHeaderOptions' in library;
}

function notLoaded(installed: string | undefined, error: unknown): InputError {
  if (installed === undefined) {
    return inputError({
      code: 'CLIENT_MISSING',
      at: PACKAGE,
      found: 'nothing: it is not installed',
      allowed: `${PACKAGE} ${VERSIONS} (1.4 loads on Node.js 20.19 or newer, 2 needs Node.js 22.19)`,
      fix: `install it beside this program: ${INSTALL}`,
    });
  }
  return inputError({
    code: 'CLIENT_MISSING',
    at: PACKAGE,
    found: `version ${installed}, which this Node.js could not load (${messageOf(error)})`,
    allowed: `Node.js ${neededNode(installed)} or newer for version ${installed}`,
    fix: `use a newer Node.js, or the version that loads on this one: ${INSTALL}`,
  });
}

/** Version 2 brings an HTTP client that needs more than its package file says. */
function neededNode(installed: string): string {
  return Number.parseInt(installed, 10) >= 2 ? '22.19' : '20.19';
}
