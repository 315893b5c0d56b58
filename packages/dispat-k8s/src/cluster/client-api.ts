import type { Clock } from '@rungar/model';
import type { KubeObject } from '../pool.js';
import type {
  Applied,
  ApplyOptions,
  ClusterApi,
  Listed,
  ListQuery,
  LiveObject,
  LogLine,
  LogQuery,
  NamespacedName,
  ObjectRef,
  RemoveOptions,
  WatchEvent,
  WriteOptions,
} from './api.js';
import type { Answer } from './client-call.js';
import type { ClusterClient, WatchLine } from './cluster-client.js';
import { ApiFailure, type Attempt, isTransient, type StatusAnswer, toInputError } from './failures.js';
import { linesOf } from './lines.js';

/** Who the cluster says has set a field. */
const FIELD_MANAGER = 'dispat-worker-manifest';

const DRY_RUN = 'All';
const PAGE_SIZE = 500;
const RETRY_WAITS_MS = [500, 2000];
/** A parameter that is not given: the library's go by their place. */
const NONE = undefined;

/** A call with one of the client library's APIs. */
type Work = (apis: ClusterClient) => Promise<unknown>;

/** The cluster through the client library. */
export class ClientApi implements ClusterApi {
  readonly #client: ClusterClient;
  readonly #clock: Clock;

  constructor(client: ClusterClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  read<T extends LiveObject>(ref: ObjectRef, signal: AbortSignal): Promise<T | undefined> {
    const ask = () => this.#request(attempt('get', ref), ({ objects }) => objects.read(headerOf(ref)), signal);
    return this.#orUndefined([404], async () => json<T>(await this.#repeating(ask, signal)));
  }

  async list<T extends LiveObject>(query: ListQuery, signal: AbortSignal): Promise<Listed<T>> {
    try {
      return await this.#listInPages<T>(query, PAGE_SIZE, signal);
    } catch (error) {
      // A page's place was forgotten while it was being read: all of it at once needs no place.
      if (!(error instanceof ApiFailure) || error.status !== 410) throw this.#told(error);
      return await this.#telling(() => this.#listInPages<T>(query, undefined, signal));
    }
  }

  async #listInPages<T extends LiveObject>(
    query: ListQuery,
    limit: number | undefined,
    signal: AbortSignal,
  ): Promise<Listed<T>> {
    const items: T[] = [];
    let resourceVersion = '';
    let next: string | undefined;
    do {
      const page: ListAnswer<T> = json(await this.#repeating(() => this.#page(query, limit, next, signal), signal));
      // Items of a list do not say what they are.
      for (const item of page.items ?? []) items.push({ ...item, apiVersion: query.apiVersion, kind: query.kind });
      resourceVersion = page.metadata?.resourceVersion ?? '';
      next = page.metadata?.continue || undefined;
    } while (next !== undefined);
    return { items, resourceVersion };
  }

  #page(query: ListQuery, limit: number | undefined, next: string | undefined, signal: AbortSignal): Promise<Answer> {
    const { apiVersion, kind, namespace, fieldSelector: fields, labelSelector: labels } = query;
    return this.#request(
      attempt('list', query),
      ({ objects }) => objects.list(apiVersion, kind, namespace, NONE, NONE, NONE, fields, labels, limit, next),
      signal,
    );
  }

  async *watch<T extends LiveObject>(
    query: ListQuery & { readonly resourceVersion: string },
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<T>> {
    try {
      for await (const line of this.#client.watch(attempt('watch', query), query, signal)) {
        const event = watchEvent<T>(line);
        if (event) yield event;
      }
    } catch (error) {
      // The server says the same of a resource version that is too old in two ways.
      if (!(error instanceof ApiFailure) || error.status !== 410) throw this.#told(error);
      yield { type: 'ERROR', status: 410, message: error.message };
    }
  }

  async apply(object: KubeObject, options: ApplyOptions, signal: AbortSignal): Promise<Applied> {
    const { force = false } = options;
    const { ServerSideApply } = this.#client.patchStrategy;
    const apply: Work = ({ objects }) =>
      objects.patch(headerOf(object), NONE, dryRunOf(options), FIELD_MANAGER, force, ServerSideApply);
    const answer = await this.#telling(() => this.#request(attempt('patch', object), apply, signal, object));
    return { object: json(answer), created: answer.status === 201 };
  }

  async scale(
    statefulSet: NamespacedName,
    replicas: number,
    options: WriteOptions,
    signal: AbortSignal,
  ): Promise<void> {
    const { namespace, name } = statefulSet;
    const doing: Attempt = { verb: 'patch', resource: 'statefulsets/scale', namespace, name };
    const dryRun = dryRunOf(options);
    const patch = {
      namespace,
      name,
      body: { spec: { replicas } },
      fieldManager: FIELD_MANAGER,
      ...(dryRun !== undefined && { dryRun }),
    };
    const scale: Work = ({ apps, mergePatch }) => apps.patchNamespacedStatefulSetScale(patch, mergePatch);
    await this.#telling(() => this.#repeating(() => this.#request(doing, scale, signal), signal));
  }

  async create(object: KubeObject, signal: AbortSignal): Promise<boolean> {
    const create: Work = ({ objects }) => objects.create(headerOf(object), NONE, NONE, FIELD_MANAGER);
    const ask = () => this.#request(attempt('create', object), create, signal, object);
    return (await this.#orUndefined([409], ask)) !== undefined;
  }

  async update(object: LiveObject, signal: AbortSignal): Promise<boolean> {
    const replace: Work = ({ objects }) => objects.replace(headerOf(object), NONE, NONE, FIELD_MANAGER);
    const ask = () => this.#request(attempt('update', object), replace, signal, object);
    return (await this.#orUndefined([404, 409], () => this.#repeating(ask, signal))) !== undefined;
  }

  async remove(ref: ObjectRef, options: RemoveOptions, signal: AbortSignal): Promise<boolean> {
    // The server reads no options from the query when there is a body.
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: options.propagation,
      ...(options.uid !== undefined && { preconditions: { uid: options.uid } }),
      ...(options.dryRun && { dryRun: [DRY_RUN] }),
    };
    const remove: Work = ({ objects }) => objects.delete(headerOf(ref), NONE, NONE, NONE, NONE, NONE, body);
    const ask = () => this.#request(attempt('delete', ref), remove, signal);
    return (await this.#orUndefined([404, 409], () => this.#repeating(ask, signal))) !== undefined;
  }

  async *logs(query: LogQuery, signal: AbortSignal): AsyncGenerator<LogLine> {
    const { namespace, pod } = query;
    const doing: Attempt = { verb: 'get', resource: 'pods/log', namespace, name: pod };
    try {
      for await (const line of linesOf(this.#client.log(doing, query, signal))) yield logLine(line);
    } catch (error) {
      // A container that has not begun has no log; neither has a pod that is gone.
      if (error instanceof ApiFailure && (error.status === 400 || error.status === 404)) return;
      throw this.#told(error);
    }
  }

  async secretKeys(namespace: string, name: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
    const secret = await this.read<LiveObject & { readonly data?: Readonly<Record<string, string>> }>(
      { apiVersion: 'v1', kind: 'Secret', namespace, name },
      signal,
    );
    return secret && Object.keys(secret.data ?? {});
  }

  #request(doing: Attempt, work: Work, signal: AbortSignal, document?: KubeObject): Promise<Answer> {
    return this.#client.request(doing, () => work(this.#client), signal, document);
  }

  /** Makes a call again that failed by accident. Not for calls that must happen once at most. */
  async #repeating<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await ask();
      } catch (error) {
        const wait = RETRY_WAITS_MS[tries];
        if (wait === undefined || !isTransient(error)) throw error;
        await this.#clock.sleep(wait, signal);
      }
    }
  }

  /** Nothing, where a refusal of these statuses is an answer too. */
  async #orUndefined<T>(refusals: readonly number[], ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof ApiFailure && refusals.includes(error.status)) return undefined;
      throw this.#told(error);
    }
  }

  async #telling<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw this.#told(error);
    }
  }

  #told(error: unknown): unknown {
    return toInputError(error, this.#client.server);
  }
}

interface ListAnswer<T> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[];
}

function json<T>({ text }: Answer): T {
  return JSON.parse(text) as T;
}

/** The kind's name stands for the cluster's word for it until that is known. */
function attempt(verb: Attempt['verb'], about: ListQuery | ObjectRef | KubeObject): Attempt {
  const { namespace, name } = 'metadata' in about ? about.metadata : { name: NONE, ...about };
  return {
    verb,
    resource: about.kind,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  };
}

/** Which object is meant, for calls whose document is sent as it is. The library writes into it. */
function headerOf(about: ObjectRef | KubeObject) {
  const { apiVersion, kind } = about;
  const { namespace, name = '' } = 'metadata' in about ? about.metadata : about;
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
}

function dryRunOf({ dryRun }: WriteOptions): typeof DRY_RUN | undefined {
  return dryRun ? DRY_RUN : undefined;
}

function watchEvent<T extends LiveObject>({ type, object }: WatchLine): WatchEvent<T> | undefined {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return { type, object: object as T };
    case 'ERROR': {
      const { code = 500, message = 'the watch failed' } = object as StatusAnswer & { readonly code?: number };
      return { type, status: code, message };
    }
    default:
      return undefined;
  }
}

/** With `timestamps`, a line begins with when it was written. */
function logLine(line: string): LogLine {
  const parts = /^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) ?(.*)$/s.exec(line);
  return parts ? { at: parts[1] ?? '', text: parts[2] ?? '' } : { at: '', text: line };
}
