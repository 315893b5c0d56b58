import type { MessageInitShape } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import {
  type CreateInstanceRequestSchema,
  DaemonService,
  type GetHostInfoResponse,
  type GetResourcesResponse,
  InstanceListingSchema,
  LogSource,
  type PullImageProgress,
} from '@rungar/dicer-api';
import { isRungarError, type ProviderContext } from '@rungar/model';
import { proxySettingsOf } from '@rungar/proxies';
import { withinLimit } from '../shared/within-limit.js';
import { baseUrlOf, createConnection } from './connection.js';
import { DicerError, toDicerError } from './errors.js';
import type { DicerInstance } from './machine.js';
import type { DicerSettings } from './settings.js';
import { readTlsMaterial } from './tls.js';

/**
 * What the provider asks of a Dicer daemon. Every call but a pull ends within the provider's time limit; each throws
 * a {@link DicerError}, or the signal's reason when it aborts.
 */
export interface Dicer {
  createInstance(
    request: MessageInitShape<typeof CreateInstanceRequestSchema>,
    signal: AbortSignal,
  ): Promise<DicerInstance>;
  listInstances(signal: AbortSignal): Promise<readonly DicerInstance[]>;
  /** @param nameOrId an instance's name or its ID */
  getInstance(nameOrId: string, signal: AbortSignal): Promise<DicerInstance>;
  /** Stops it first if it runs. */
  deleteInstance(nameOrId: string, signal: AbortSignal): Promise<void>;
  /** Makes sure that the host has the image. */
  getImage(ref: string, signal: AbortSignal): Promise<void>;
  /** Takes as long as it takes, up to `limitMs` milliseconds. */
  pullImage(
    ref: string,
    limitMs: number,
    onProgress: (at: PullImageProgress) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /**
   * The end of what an instance's guest wrote to its console.
   * @param most the most bytes of it to keep
   */
  readLogs(nameOrId: string, lines: number, most: number, signal: AbortSignal): Promise<Buffer>;
  getHostInfo(signal: AbortSignal): Promise<GetHostInfoResponse>;
  getResources(signal: AbortSignal): Promise<GetResourcesResponse>;
  /** Ends the connection, and every call on it. */
  close(): void;
}

/** Listings come in one piece, with the environment of every instance in them. */
const LARGEST_ANSWER_BYTES = 64 * 1024 * 1024;

/** The method that lists instances, read as far as a machine needs it. */
const LIST_INSTANCES = { ...DaemonService.method.listInstances, output: InstanceListingSchema };

/**
 * Reads the files of `tls` and makes ready to ask a daemon; asks nothing yet.
 * @throws RungarError `invalid_argument` naming a file that cannot be used, and the cure
 */
export async function openDicerClient(settings: DicerSettings, context: ProviderContext): Promise<Dicer> {
  const { target, tls, timeoutMs } = settings;
  const { clock, random, logger, redactor, environment = {} } = context;
  if (tls) await readTlsMaterial(tls, new AbortController().signal);
  const connection = createConnection({
    target,
    ...(tls && { tls }),
    proxies: proxySettingsOf(environment),
    clock,
    random,
    logger,
  });
  const transport = createGrpcTransport({
    baseUrl: baseUrlOf(target, tls),
    sessionManager: connection,
    readMaxBytes: LARGEST_ANSWER_BYTES,
    // What we do not know we do not keep either.
    binaryOptions: { readUnknownFields: false },
  });
  const client = createClient(DaemonService, transport);

  const within = async <T>(
    ms: number,
    what: string,
    signal: AbortSignal,
    send: (signal: AbortSignal) => Promise<T>,
  ) => {
    try {
      return await withinLimit(clock, ms, what, signal, send);
    } catch (error) {
      signal.throwIfAborted();
      if (isRungarError(error)) throw new DicerError('DEADLINE_EXCEEDED', error.message, 'uncertain');
      throw toDicerError(error, redactor);
    }
  };
  const ask = <T>(what: string, signal: AbortSignal, send: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    within(timeoutMs, what, signal, send);

  return {
    createInstance: (request, signal) =>
      ask('CreateInstance', signal, async (own) =>
        requireInstance('CreateInstance', await client.createInstance(request, { signal: own })),
      ),

    listInstances: (signal) =>
      ask('ListInstances', signal, async (own) => {
        const { message } = await transport.unary(LIST_INSTANCES, own, undefined, undefined, {});
        return message.instances;
      }),

    getInstance: (name, signal) =>
      ask('GetInstance', signal, async (own) =>
        requireInstance('GetInstance', await client.getInstance({ name }, { signal: own })),
      ),

    deleteInstance: (name, signal) =>
      ask('DeleteInstance', signal, async (own) => {
        await client.deleteInstance({ name, force: true }, { signal: own });
      }),

    getImage: (ref, signal) =>
      ask('GetImage', signal, async (own) => {
        await client.getImage({ ref }, { signal: own });
      }),

    pullImage: (ref, limitMs, onProgress, signal) =>
      within(limitMs, 'PullImage', signal, async (own) => {
        for await (const at of client.pullImage({ ref }, { signal: own })) onProgress(at);
      }),

    readLogs: (name, lines, most, signal) =>
      ask('GetInstanceLogs', signal, async (own) => {
        const request = { name, source: LogSource.GUEST, tailLines: lines };
        let tail: Buffer = Buffer.alloc(0);
        for await (const { data } of client.getInstanceLogs(request, { signal: own })) {
          tail = Buffer.concat([tail, data]).subarray(-most);
        }
        return tail;
      }),

    getHostInfo: (signal) => ask('GetHostInfo', signal, (own) => client.getHostInfo({}, { signal: own })),

    getResources: (signal) => ask('GetResources', signal, (own) => client.getResources({}, { signal: own })),

    close: () => connection.close(),
  };
}

/** An answer with nothing in it is somebody else's: every instance has an ID. */
function requireInstance(method: string, instance: DicerInstance): DicerInstance {
  if (instance.id === '' || instance.name === '') {
    throw new DicerError('UNREADABLE', `the answer to ${method} is not one of a Dicer daemon`, 'uncertain');
  }
  return instance;
}
