import type { RequestOptions } from 'node:https';
import { messageOf } from '@rungar/model';
import { inputError } from '../problems.js';

/**
 * What this package takes from the client library, which has it in 1.4 and in 2. It is written out here, so that our
 * types need no optional peer.
 */
export interface ClientLibrary {
  readonly KubeConfig: new () => ClientConfig;
}

/** A kubeconfig, as the client library has read it. */
export interface ClientConfig {
  loadFromString(config: string): void;
  getCurrentContext(): string;
  getCurrentCluster(): { readonly server: string } | null;
  /** Adds credentials: headers, certificates, an agent for a proxy. */
  applyToHTTPSOptions(options: RequestOptions): Promise<void>;
}

/** What happened when the client library was asked for, and what it would have needed. */
export interface ClientImport {
  load(): Promise<ClientLibrary>;
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
    return await from.load();
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
