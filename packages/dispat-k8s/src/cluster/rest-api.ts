import type { IncomingMessage } from 'node:http';
import type { Clock } from '@rungar/model';
import type { KubeObject } from '../pool.js';
import type {
  Applied,
  ApplyOptions,
  ClusterApi,
  KindRef,
  Listed,
  ListQuery,
  LiveObject,
  LogLine,
  LogQuery,
  ObjectRef,
  RemoveOptions,
  WatchEvent,
  WriteOptions,
} from './api.js';
import { ApiFailure, type Attempt, isTransient, NoAnswer, type StatusAnswer, toInputError } from './failures.js';
import { linesOf } from './lines.js';
import { knownResource, type Resource, resourcePath, versionPath } from './resources.js';
import type { Call, Transport } from './transport.js';

/** Who the cluster says has set a field. */
const FIELD_MANAGER = 'dispat-worker-manifest';

const APPLY_PATCH = 'application/apply-patch+yaml';
const MERGE_PATCH = 'application/merge-patch+json';
const PAGE_SIZE = '500';
/** Servers end a watch after this long, so that a lost one is noticed. */
const WATCH_SECONDS = '60';
const RETRY_WAITS_MS = [500, 2000];

/** The cluster over its own REST interface. */
export class RestApi implements ClusterApi {
  readonly #transport: Transport;
  readonly #clock: Clock;
  /** Kinds that had to be looked up. */
  readonly #lookedUp = new Map<string, Resource>();

  constructor(transport: Transport, clock: Clock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  async read<T extends LiveObject>(ref: ObjectRef, signal: AbortSignal): Promise<T | undefined> {
    const resource = await this.#resource(ref, signal);
    const path = resourcePath(ref.apiVersion, resource, ref);
    return this.#orAbsent(() => this.#json<T>({ attempt: attempt('get', resource, ref), method: 'GET', path }, signal));
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
    limit: string | undefined,
    signal: AbortSignal,
  ): Promise<Listed<T>> {
    const resource = await this.#resource(query, signal);
    const path = resourcePath(query.apiVersion, resource, query);
    const items: T[] = [];
    let resourceVersion = '';
    let next: string | undefined;
    do {
      const page: ListAnswer<T> = await this.#json(
        {
          attempt: attempt('list', resource, query),
          method: 'GET',
          path,
          query: { ...selectors(query), limit, continue: next },
        },
        signal,
      );
      // Items of a list do not say what they are.
      for (const item of page.items ?? []) items.push({ ...item, apiVersion: query.apiVersion, kind: query.kind });
      resourceVersion = page.metadata?.resourceVersion ?? '';
      next = page.metadata?.continue || undefined;
    } while (next !== undefined);
    return { items, resourceVersion };
  }

  async *watch<T extends LiveObject>(
    query: ListQuery & { readonly resourceVersion: string },
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<T>> {
    const resource = await this.#resource(query, signal);
    const call: Call = {
      attempt: attempt('watch', resource, query),
      method: 'GET',
      path: resourcePath(query.apiVersion, resource, query),
      query: {
        ...selectors(query),
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion: query.resourceVersion,
        timeoutSeconds: WATCH_SECONDS,
      },
    };
    try {
      for await (const line of this.#lines(call, signal)) {
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
    const resource = await this.#resource(object, signal);
    const { name, namespace } = object.metadata;
    const call: Call = {
      attempt: attempt('patch', resource, object.metadata),
      method: 'PATCH',
      path: resourcePath(object.apiVersion, resource, { ...(namespace && { namespace }), ...(name && { name }) }),
      query: { fieldManager: FIELD_MANAGER, force: options.force ? 'true' : 'false', ...dryRun(options) },
      body: object,
      contentType: APPLY_PATCH,
    };
    return this.#telling(async () => {
      const answer = await this.#send(call, signal);
      const text = await textOf(answer, call, signal);
      return { object: JSON.parse(text) as LiveObject, created: answer.statusCode === 201 };
    });
  }

  async scale(ref: ObjectRef, replicas: number, options: WriteOptions, signal: AbortSignal): Promise<void> {
    const resource = await this.#resource(ref, signal);
    const path = resourcePath(ref.apiVersion, resource, { ...ref, part: 'scale' });
    const call: Call = {
      attempt: { ...attempt('patch', resource, ref), resource: `${resource.plural}/scale` },
      method: 'PATCH',
      path,
      query: { fieldManager: FIELD_MANAGER, ...dryRun(options) },
      body: { spec: { replicas } },
      contentType: MERGE_PATCH,
    };
    await this.#telling(() => this.#json(call, signal));
  }

  async create(object: KubeObject, signal: AbortSignal): Promise<boolean> {
    const resource = await this.#resource(object, signal);
    const { namespace } = object.metadata;
    const call: Call = {
      attempt: attempt('create', resource, object.metadata),
      method: 'POST',
      path: resourcePath(object.apiVersion, resource, { ...(namespace && { namespace }) }),
      query: { fieldManager: FIELD_MANAGER },
      body: object,
    };
    return this.#unless([409], call, signal);
  }

  async update(object: LiveObject, signal: AbortSignal): Promise<boolean> {
    const resource = await this.#resource(object, signal);
    const { name, namespace } = object.metadata;
    const call: Call = {
      attempt: attempt('update', resource, object.metadata),
      method: 'PUT',
      path: resourcePath(object.apiVersion, resource, { name, ...(namespace && { namespace }) }),
      query: { fieldManager: FIELD_MANAGER },
      body: object,
    };
    return this.#unless([404, 409], call, signal);
  }

  async remove(ref: ObjectRef, options: RemoveOptions, signal: AbortSignal): Promise<boolean> {
    const resource = await this.#resource(ref, signal);
    const call: Call = {
      attempt: attempt('delete', resource, ref),
      method: 'DELETE',
      path: resourcePath(ref.apiVersion, resource, ref),
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: options.propagation,
        ...(options.uid !== undefined && { preconditions: { uid: options.uid } }),
        ...(options.dryRun && { dryRun: ['All'] }),
      },
    };
    return this.#unless([404, 409], call, signal);
  }

  async *logs(query: LogQuery, signal: AbortSignal): AsyncGenerator<LogLine> {
    const { namespace, pod, container, follow, tailLines, sinceTime } = query;
    const call: Call = {
      attempt: { verb: 'get', resource: 'pods/log', namespace, name: pod },
      method: 'GET',
      path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`,
      // A silent container's answer begins with its first line.
      ...(follow && { patient: true }),
      query: {
        container,
        timestamps: 'true',
        sinceTime,
        ...(follow && { follow: 'true' }),
        ...(tailLines !== undefined && { tailLines: `${tailLines}` }),
      },
    };
    try {
      for await (const line of this.#lines(call, signal)) yield logLine(line);
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

  async #resource(ref: KindRef, signal: AbortSignal): Promise<Resource> {
    const id = `${ref.apiVersion}/${ref.kind}`;
    const known = knownResource(ref) ?? this.#lookedUp.get(id);
    if (known) return known;
    const call: Call = {
      attempt: { verb: 'get', resource: versionPath(ref.apiVersion) },
      method: 'GET',
      path: versionPath(ref.apiVersion),
    };
    const { resources = [] } = await this.#telling(() => this.#json<ResourceListAnswer>(call, signal));
    const found = resources.find(({ kind, name }) => kind === ref.kind && !name.includes('/'));
    if (!found) throw this.#told(new ApiFailure(404, call.attempt, { message: `the cluster has no kind ${id}` }));
    const resource = { plural: found.name, namespaced: found.namespaced };
    this.#lookedUp.set(id, resource);
    return resource;
  }

  /** The answer of a call that succeeded, read whole. Repeats what failed by accident. */
  async #json<T>(call: Call, signal: AbortSignal): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        const answer = await this.#send(call, signal);
        return JSON.parse(await textOf(answer, call, signal)) as T;
      } catch (error) {
        const wait = RETRY_WAITS_MS[tries];
        if (wait === undefined || call.method === 'POST' || !isTransient(error)) throw error;
        await this.#clock.sleep(wait, signal);
      }
    }
  }

  async *#lines(call: Call, signal: AbortSignal): AsyncGenerator<string> {
    const answer = await this.#send(call, signal);
    try {
      yield* linesOf(answer);
    } catch (error) {
      signal.throwIfAborted();
      throw new NoAnswer(call.attempt, error);
    } finally {
      answer.destroy();
    }
  }

  async #send(call: Call, signal: AbortSignal): Promise<IncomingMessage> {
    const answer = await this.#transport.send(call, signal);
    const status = answer.statusCode ?? 0;
    if (status >= 200 && status < 300) return answer;
    throw new ApiFailure(status, call.attempt, statusAnswer(await textOf(answer, call, signal)));
  }

  async #orAbsent<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 404) return undefined;
      throw this.#told(error);
    }
  }

  /** Whether a call succeeded, when these refusals are an answer too. */
  async #unless(refusals: readonly number[], call: Call, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#json(call, signal);
      return true;
    } catch (error) {
      if (error instanceof ApiFailure && refusals.includes(error.status)) return false;
      throw this.#told(error);
    }
  }

  async #telling<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#told(error);
    }
  }

  #told(error: unknown): unknown {
    return toInputError(error, this.#transport.server);
  }
}

interface ListAnswer<T> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[];
}

interface ResourceListAnswer {
  readonly resources?: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[];
}

function attempt(verb: Attempt['verb'], resource: Resource, at: { namespace?: string; name?: string }): Attempt {
  return {
    verb,
    resource: resource.plural,
    ...(resource.namespaced && at.namespace !== undefined && { namespace: at.namespace }),
    ...(at.name !== undefined && { name: at.name }),
  };
}

function selectors({ labelSelector, fieldSelector }: ListQuery): Record<string, string | undefined> {
  return { labelSelector, fieldSelector };
}

function dryRun({ dryRun: wanted }: WriteOptions): Record<string, string> {
  return wanted ? { dryRun: 'All' } : {};
}

async function textOf(answer: IncomingMessage, call: Call, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = [];
  try {
    for await (const part of answer) parts.push(Buffer.from(part));
  } catch (error) {
    signal.throwIfAborted();
    throw new NoAnswer(call.attempt, error);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** A refusal as the API server words it; a proxy's page in its place says nothing. */
function statusAnswer(text: string): StatusAnswer {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null ? answer : {};
  } catch {
    return {};
  }
}

function watchEvent<T extends LiveObject>(line: string): WatchEvent<T> | undefined {
  if (line.trim() === '') return undefined;
  const { type, object } = JSON.parse(line) as { type: string; object: T & StatusAnswer & { code?: number } };
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return { type, object };
    case 'ERROR':
      return { type, status: object.code ?? 500, message: object.message ?? 'the watch failed' };
    default:
      return undefined;
  }
}

/** With `timestamps`, a line begins with when it was written. */
function logLine(line: string): LogLine {
  const parts = /^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) ?(.*)$/s.exec(line);
  return parts ? { at: parts[1] ?? '', text: parts[2] ?? '' } : { at: '', text: line };
}
