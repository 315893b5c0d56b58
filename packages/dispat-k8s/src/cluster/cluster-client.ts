import { addAbortSignal, finished, PassThrough, type Readable } from 'node:stream';
import type { AppsV1Api, ConfigurationOptions, Log, Watch } from '@kubernetes/client-node';
import { type Clock, limitTime, messageOf } from '@rungar/model';
import { isInputError } from '../problems.js';
import type { ListQuery, LogQuery } from './api.js';
import { type Answer, ClientCall, clientCalls } from './client-call.js';
import { clientConfig } from './client-config.js';
import { ApiFailure, type Attempt, NoAnswer, type StatusAnswer } from './failures.js';
import type { FoundConfig } from './kubeconfig.js';
import type { ClientLibrary } from './load-client.js';
import { type ObjectApi, objectApis, UnknownKind } from './object-api.js';

/** How long an answer may take. */
const ANSWER_LIMIT_MS = 30_000;
/** Servers end a watch after this long: a client of version 2 gives up one that was silent for 30 seconds. */
const WATCH_SECONDS = 25;
/** A watch that its server has not ended by now has lost it. */
const WATCH_LIMIT_MS = 40_000;

const tooLong = (): Error => new Error('it took too long');

/** One line of a watch, as the server sent it. */
export interface WatchLine {
  readonly type: string;
  readonly object: unknown;
}

/** The client library's ways to the cluster, with signals, time limits, and failures that say what was being done. */
export class ClusterClient {
  /** The API server's address. */
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
    this.server = way.server;
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
    const { call } = await this.#run(attempt, work, signal, document);
    if (!call.answer) throw new NoAnswer(attempt, new Error('nothing was asked'));
    return call.answer;
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
    const { value: path, call } = await this.#run(attempt, () => this.objects.pathOf(query, query.namespace), signal);
    const { labelSelector, fieldSelector, resourceVersion } = query;
    const parameters = {
      labelSelector,
      fieldSelector,
      resourceVersion,
      allowWatchBookmarks: true,
      timeoutSeconds: WATCH_SECONDS,
    };
    using limit = limitTime(this.#clock, WATCH_LIMIT_MS, tooLong, signal);
    const lines = new PassThrough({ objectMode: true });
    const open = (): Promise<AbortController> =>
      this.#watch.watch(
        path,
        parameters,
        (type, object) => void lines.write({ type, object } satisfies WatchLine),
        (error) => (error ? lines.destroy(error) : lines.end()),
      );
    yield* this.#stream<WatchLine>(named(attempt, call), lines, open, signal, limit.signal);
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
    // A silent container's answer begins with its first line, whenever that is.
    using limit = limitTime(this.#clock, follow ? Number.POSITIVE_INFINITY : ANSWER_LIMIT_MS, tooLong, signal);
    const bytes = new PassThrough();
    // The library pipes the answer, and a pipe does not hand on that its source broke.
    bytes.on('pipe', (source: Readable) => finished(source, (error) => void (error && bytes.destroy(error))));
    const open = (): Promise<AbortController> => this.#log.log(namespace, pod, container, bytes, options);
    yield* this.#stream<Buffer>(attempt, bytes, open, signal, limit.signal);
  }

  /** What comes out of a stream that the library fills, which it stops filling when the loop over it is left. */
  async *#stream<T>(
    attempt: Attempt,
    stream: PassThrough,
    open: () => Promise<AbortController>,
    signal: AbortSignal,
    limited: AbortSignal,
  ): AsyncGenerator<T> {
    signal.throwIfAborted();
    const call = new ClientCall(limited);
    addAbortSignal(limited, stream);
    const opening = this.#calls.run(call, open);
    opening.catch((error: unknown) => stream.destroy(error instanceof Error ? error : new Error(messageOf(error))));
    try {
      yield* stream as AsyncIterable<T>;
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(limited.aborted ? limited.reason : error, attempt, call);
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
  ): Promise<{ readonly value: T; readonly call: ClientCall }> {
    signal.throwIfAborted();
    using limit = limitTime(this.#clock, ANSWER_LIMIT_MS, tooLong, signal);
    const call = new ClientCall(limit.signal, document);
    try {
      return { value: await endedBy(limit.signal, this.#calls.run(call, work)), call };
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

/** With the cluster's own word for the kind. */
function named(attempt: Attempt, { resource = attempt.resource }: ClientCall): Attempt {
  return { ...attempt, resource };
}

function failureOf(error: unknown, attempt: Attempt, call: ClientCall): unknown {
  const doing = named(attempt, call);
  if (isInputError(error)) return error;
  if (error instanceof UnknownKind) return new ApiFailure(404, doing, { message: error.message });
  const { answer } = call;
  if (answer && answer.status >= 300) return new ApiFailure(answer.status, doing, statusIn(answer.text));
  const refusal = refusalOf(error);
  if (refusal) return new ApiFailure(refusal.status, doing, refusal.answer);
  return new NoAnswer(doing, error instanceof Error && error.cause instanceof Error ? error.cause : error);
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

/** What a watch (`statusCode`) or a log (`code`, and `body` for some) was refused with; nothing when nobody answered. */
function refusalOf(error: unknown): { readonly status: number; readonly answer: StatusAnswer } | undefined {
  if (!(error instanceof Error)) return undefined;
  const status = 'statusCode' in error ? error.statusCode : 'code' in error ? error.code : undefined;
  if (typeof status !== 'number') return undefined;
  const answer = 'body' in error && typeof error.body === 'object' && error.body !== null ? error.body : {};
  return { status, answer };
}
