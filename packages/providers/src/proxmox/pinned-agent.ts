import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';

/** The code of the error for a certificate that is not the pinned one. */
export const OTHER_CERTIFICATE = 'ERR_TLS_FINGERPRINT';

/** What is wrong with the certificate of a connection, if it is not the one with that fingerprint. */
export function checkFingerprint(socket: TLSSocket, fingerprint: string): Error | undefined {
  const seen = (socket.getPeerCertificate().fingerprint256 ?? '').replaceAll(':', '');
  if (seen === fingerprint) return undefined;
  return Object.assign(new Error(`the server's certificate is another: ${seen}`), { code: OTHER_CERTIFICATE });
}

/**
 * Connects only to the server with one certificate, whoever signed it. With another, the connection ends before a byte
 * of a request is sent. (`checkServerIdentity` cannot do this: Node skips it where it does not verify.)
 */
export class PinnedAgent extends Agent {
  readonly #fingerprint: string;

  /** @param fingerprint SHA-256, as 64 hex digits in capitals */
  constructor(fingerprint: string, options: AgentOptions) {
    super(options);
    this.#fingerprint = fingerprint;
  }

  /** Called by Node for every new connection, with what the request and the agent were given. */
  override createConnection(
    options: RequestOptions,
    opened: (error: Error | null, stream: Duplex) => void = () => {},
  ): undefined {
    const socket = connect({ ...(options as ConnectionOptions), rejectUnauthorized: false });
    const fail = (error: Error): void => {
      socket.destroy();
      opened(error, socket);
    };
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      const wrong = checkFingerprint(socket, this.#fingerprint);
      socket.off('error', fail);
      if (wrong) fail(wrong);
      else opened(null, socket);
    });
    return undefined;
  }
}
