import { messageOf } from '@rungar/model';
import { inputError } from '../problems.js';

/** The client library. It is an optional peer, so that nothing a user of this package sees may be typed with it. */
export type ClientLibrary = typeof import('@kubernetes/client-node');

/** What happened when the client library was asked for, and what it would have needed. */
export interface ClientImport {
  load(): Promise<object>;
  /** The installed client's version, where it is installed at all. */
  installedVersion(): Promise<string | undefined>;
}

const PACKAGE = '@kubernetes/client-node';
const INSTALL = `npm install ${PACKAGE}@1.4.0`;

/**
 * Loads the client library, which is an optional peer: only commands that talk to a cluster need it.
 * @throws InputError `CLIENT_MISSING` with the command that installs it, and the Node.js version it needs
 */
export async function loadClient(from: ClientImport): Promise<ClientLibrary> {
  try {
    return (await from.load()) as ClientLibrary;
  } catch (error) {
    const installed = await from.installedVersion();
    if (installed === undefined) {
      throw inputError({
        code: 'CLIENT_MISSING',
        at: PACKAGE,
        found: 'nothing: it is not installed',
        allowed: `${PACKAGE} ^1.4 || ^2 (1.4 loads on Node.js 20.19 or newer, 2 needs Node.js 22.19)`,
        fix: `install it beside this program: ${INSTALL}`,
      });
    }
    throw inputError({
      code: 'CLIENT_MISSING',
      at: PACKAGE,
      found: `version ${installed}, which this Node.js could not load (${messageOf(error)})`,
      allowed: `Node.js ${neededNode(installed)} or newer for version ${installed}`,
      fix: `use a newer Node.js, or the version that loads on this one: ${INSTALL}`,
    });
  }
}

/** Version 2 brings an HTTP client that needs more than its package file says. */
function neededNode(installed: string): string {
  return Number.parseInt(installed, 10) >= 2 ? '22.19' : '20.19';
}
