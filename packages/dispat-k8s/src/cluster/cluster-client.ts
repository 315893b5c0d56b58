import { addAbortSignal, finished, PassThrough, type Readable } from 'node:stream';
import type { AppsV1Api, ConfigurationOptions, Log, Watch } from '@kubernetes/client-node';
import { type Clock, messageOf } from '@rungar/model';
import { isInputError } from '../problems.js';
import type { ListQuery, LogQuery } from './api.js';
import { type Answer, ClientCall, clientCalls } from './client-call.js';
import { clientConfig } from './client-config.js';
import { ApiFailure, type Attempt, NoAnswer, type StatusAnswer, withoutUser } from './failures.js';
import type { FoundConfig } from './kubeconfig.js';
import type { ClientLibrary } from './load-client.js';
import { type ObjectApi, objectApis, UnknownKind } from './object-api.js';

/** How long an answer may take. */
const ANSWER_LIMIT_MS = 30_000;
/**
 * A whole log may be long, and a silent container's answer begins with its first line. Nothing tells a silent log from a
 * lost connection, so that a followed one is not kept for ever.
 */
const LOG_LIMIT_MS = 300_000;
/** Servers end a watch after this long: a client of version 2 gives up one that was silent for 30 seconds. */
const WATCH_SECONDS = 25;
/** A watch that its server has not ended by now has lost it. */
const WATCH_LIMIT_MS = 40_000;

/** One line of a watch, as the server sent it. */
export interface WatchLine {
  readonly type: string;
  readonly object: unknown;
}

/** The client library's ways to the cluster, with signals, time limits, and failures that say what was being done. */
export class ClusterClient {
  /** The API server's address, for messages. */
  readonly server: string;
  readonly objects: ObjectApi;
  readonly apps: AppsV1Api;
  /** For the calls of {@link ClusterClient.apps} that patch. */
  readonly mergePatch: ConfigurationOptions;
  readonly patchStrategy: ClientLibrary['PatchStrategy'];
  readonly #watch: Watch;
  readonly #log: Log;
  readonly #calls = clientCalls();
  readonly #clock: Clock;

  /** @throws InputError `OPTION_INVALID` when the kubeconfig does not lead to a cluster */
  constructor(library: ClientLibrary, found: FoundConfig, clock: Clock) {
    const way = clientConfig(library, found, this.#calls);
    const { objects, apps } = objectApis(library, way, this.#calls);
    this.server = withoutUser(way.server);
    this.objects = objects;
    this.apps = apps;
    this.mergePatch = library.setHeaderOptions('Content-Type', library.PatchStrategy.MergePatch);
    this.patchStrategy = library.PatchStrategy;
    this.#watch = new library.Watch(way.config);
    this.#log = new library.Log(way.config);
    this.#clock = clock;
  }

  /**
   * Makes a call with {@link ClusterClient.objects} or {@link ClusterClient.apps}.
   * @param document sent as it is, where the object the library is given only says which one it is
   * @returns the answer of a call that succeeded, read whole
   * @throws ApiFailure, NoAnswer, InputError; the signal's reason when that aborts
   */
  async request(
    attempt: Attempt,
    work: () => Promise<unknown>,
    signal: AbortSignal,
    document?: unknown,
  ): Promise<Answer> {
    const { answer } = await this.#run(attempt, work, signal, document);
    if (!answer) throw new NoAnswer(attempt, new Error('nothing was asked'));
    return answer;
  }

  /**
   * Watches a kind's objects from `resourceVersion` on, until the server ends the watch.
   * @throws as {@link ClusterClient.request} does
   */
  async *watch(
    attempt: Attempt,
    query: ListQuery & { readonly resourceVersion: string },
    signal: AbortSignal,
  ): AsyncGenerator<WatchLine> {
    const { value: path, resource } = await this.#run(
      attempt,
      () => this.objects.pathOf(query, query.namespace),
      signal,
    );
    const { labelSelector, fieldSelector, resourceVersion } = query;
    const parameters = {
      labelSelector,
      fieldSelector,
      resourceVersion,
      allowWatchBookmarks: true,
      timeoutSeconds: WATCH_SECONDS,
    };
    const lines = new PassThrough({ objectMode: true });
    const open = (): Promise<AbortController> =>
      this.#watch.watch(
        path,
        parameters,
        (type, object) => void lines.write({ type, object } satisfies WatchLine),
        (error) => (error ? lines.destroy(error) : lines.end()),
      );
    yield* this.#stream<WatchLine>({ ...attempt, resource }, lines, open, { limitMs: WATCH_LIMIT_MS, signal });
  }

  /**
   * Reads a container's log as it comes.
   * @throws as {@link ClusterClient.request} does
   */
  async *log(attempt: Attempt, query: LogQuery, signal: AbortSignal): AsyncGenerator<Buffer> {
    const { namespace, pod, container, follow = false, tailLines, sinceTime } = query;
    const options = {
      follow,
      timestamps: true,
      ...(tailLines !== undefined && { tailLines }),
      ...(sinceTime !== undefined && { sinceTime }),
    };
    const bytes = new PassThrough();
    // The library pipes the answer, and a pipe does not hand on that its source broke.
    bytes.on('pipe', (source: Readable) => finished(source, (error) => void (error && bytes.destroy(error))));
    const open = (): Promise<AbortController> => this.#log.log(namespace, pod, container, bytes, options);
    yield* this.#stream<Buffer>(attempt, bytes, open, { limitMs: LOG_LIMIT_MS, signal });
  }

  /** What comes out of a stream that the library fills, which it stops filling when the loop over it is left. */
  async *#stream<T>(
    attempt: Attempt,
    stream: PassThrough,
    open: () => Promise<AbortController>,
    { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
  ): AsyncGenerator<T> {
    signal.throwIfAborted();
    const onBegin = (limited: AbortSignal): void => void addAbortSignal(limited, stream);
    using call = new ClientCall({ clock: this.#clock, limitMs, signal, onBegin });
    addAbortSignal(signal, stream);
    const opening = this.#calls.run(call, open);
    opening.catch((error: unknown) => stream.destroy(error instanceof Error ? error : new Error(messageOf(error))));
    try {
      yield* stream as AsyncIterable<T>;
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(error, attempt, call);
    } finally {
      opening.then(
        (request) => request.abort(),
        () => {},
      );
    }
  }

  async #run<T>(
    attempt: Attempt,
    work: () => Promise<T>,
    signal: AbortSignal,
    document?: unknown,
  ): Promise<{ readonly value: T; readonly resource: string; readonly answer: Answer | undefined }> {
    signal.throwIfAborted();
    using call = new ClientCall({ clock: this.#clock, limitMs: ANSWER_LIMIT_MS, signal, document });
    try {
      const value = await endedBy(signal, this.#calls.run(call, work));
      return { value, resource: call.resource ?? attempt.resource, answer: call.answer };
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(error, attempt, call);
    }
  }
}

/** Work's outcome, or the signal's reason if that comes first: a program that signs a user in knows no signal. */
function endedBy<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function failureOf(error: unknown, attempt: Attempt, call: ClientCall): unknown {
  const doing = { ...attempt, resource: call.resource ?? attempt.resource };
  if (isInputError(error)) return error;
  if (error instanceof UnknownKind) return new ApiFailure(404, doing, { message: error.message });
  const { answer } = call;
  if (answer && answer.status >= 300) return new ApiFailure(answer.status, doing, statusIn(answer.text));
  const refusal = refusalOf(error);
  if (refusal) return new ApiFailure(refusal.status, doing, refusal.answer);
  // At the limit the library tells only that the request was stopped.
  return new NoAnswer(doing, call.signal.aborted ? call.signal.reason : causeOf(error));
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}

/** A refusal as the API server words it; a proxy's page in its place says nothing. */
function statusIn(text: string): StatusAnswer {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null ? answer : {};
  } catch {
    return {};
  }
}

/**
 * What a watch (`statusCode`) or a log (`code`) was refused with; nothing when nobody answered. Of a refused log the
 * library keeps only the status, mostly, and a lost connection is 500 to it.
 */
function refusalOf(error: unknown): { readonly status: number; readonly answer: StatusAnswer } | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('statusCode' in error && typeof error.statusCode === 'number') return { status: error.statusCode, answer: {} };
  if (!('code' in error && typeof error.code === 'number')) return undefined;
  const body = 'body' in error ? error.body : undefined;
  const isStatus = typeof body === 'object' && body !== null;
  return { status: error.code, answer: isStatus ? body : { message: 'the log could not be read' } };
}
