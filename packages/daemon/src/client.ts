import { connect } from 'node:net';
import { type Client, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { RungarService } from '../gen/rungar/v1/rungar_pb.js';

/** A method per method of the API, in camelCase: `client.listRunners({})`. */
export type ControlClient = Client<typeof RungarService>;

/** How a client of the control API speaks, and how long it waits. */
export interface ControlClientOptions {
  /**
   * `grpc`, the default, is understood by the Go daemon too and keeps one HTTP/2 connection. `connect` is plain
   * HTTP/1.1, a connection per call.
   */
  readonly protocol?: 'grpc' | 'connect';
  /** How long a call may take unless it says otherwise; unlimited if absent. Does not end a followed stream's wait. */
  readonly timeoutMs?: number;
}

/** The socket decides where a call goes; the name only fills the header that HTTP wants. */
const BASE_URL = 'http://rungar';

/**
 * A client of a running daemon. Nothing is connected before the first call.
 *
 * A call rejects with a `ConnectError`: `Code.NotFound`, `InvalidArgument`, `FailedPrecondition` (it is busy),
 * `ResourceExhausted`, `Unavailable`, or whatever docs/reference/control-api.md says.
 * @param socketPath the daemon's socket, for example `/run/rungar/rungar.sock`
 */
export function createControlClient(socketPath: string, options: ControlClientOptions = {}): ControlClient {
  const shared = {
    baseUrl: BASE_URL,
    ...(options.timeoutMs !== undefined && { defaultTimeoutMs: options.timeoutMs }),
  };
  const transport =
    options.protocol === 'connect'
      ? createConnectTransport({ ...shared, httpVersion: '1.1', nodeOptions: { socketPath } })
      : createGrpcTransport({ ...shared, nodeOptions: { createConnection: () => connect({ path: socketPath }) } });
  return createClient(RungarService, transport);
}
