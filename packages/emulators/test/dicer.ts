import { connect as connectSocket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { type CreateInstanceRequestSchema, DaemonService } from '@rungar/dicer-api';
import { expect } from 'vitest';
import { type ManualClock, manualClock } from '../src/clock.js';
import { type DicerEmulator, type DicerEmulatorOptions, RUNNER_IMAGE, startDicerEmulator } from '../src/dicer/index.js';
import type { ClientTls } from '../src/dicer/wire.js';
import { seededRandom } from '../src/random.js';
import { endAfterTest, NOON } from './ec2.js';

export const GIB = 1024n ** 3n;

export type DicerClient = Client<typeof DaemonService>;

export interface DicerWorld {
  readonly dicer: DicerEmulator;
  readonly client: DicerClient;
  readonly clock: ManualClock;
}

/** An emulator whose clock stands still at noon and whose machines boot in 10 s, and a client of it. */
export async function startDicerWorld(options: DicerEmulatorOptions = {}): Promise<DicerWorld> {
  const clock = manualClock(NOON);
  const random = seededRandom(1);
  const times = { bootMs: 10_000, stopMs: 1_000, ...options.times };
  const dicer = await startDicerEmulator({ clock, random, ...options, times });
  endAfterTest(async () => {
    await dicer.close();
    expect(dicer.failures).toEqual([]);
  });
  return { dicer, clock, client: dicerClient(dicer) };
}

export function dicerClient({ address }: DicerEmulator, tls?: Partial<ClientTls>): DicerClient {
  const socket = address.startsWith('unix://') ? address.slice('unix://'.length) : undefined;
  const baseUrl = socket === undefined ? `http${tls ? 's' : ''}://${address}` : 'http://localhost';
  const port = Number(address.split(':')[1]);
  const sessionManager = new Http2SessionManager(baseUrl, undefined, {
    ...(socket !== undefined && { createConnection: () => connectSocket(socket) }),
    ...(tls && { createConnection: () => connectTls({ host: '127.0.0.1', port, ALPNProtocols: ['h2'], ...tls }) }),
  });
  endAfterTest(() => sessionManager.abort());
  return createClient(DaemonService, createGrpcTransport({ baseUrl, sessionManager }));
}

/** An instance as a provider asks for it. */
export function instanceRequest(
  name: string,
  more: MessageInitShape<typeof CreateInstanceRequestSchema> = {},
): MessageInitShape<typeof CreateInstanceRequestSchema> {
  return {
    name,
    imageRef: RUNNER_IMAGE.ref,
    vcpus: 2,
    memoryBytes: 4n * GIB,
    diskBytes: 20n * GIB,
    cmd: [RUNNER_IMAGE.runnerCommand],
    removeOnExit: true,
    start: true,
    ...more,
  };
}

/** The code and the words of a refusal, or that there was none. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => ConnectError.from(reason),
  );
  return error ? `${Code[error.code]}: ${error.rawMessage}` : 'no refusal';
}
