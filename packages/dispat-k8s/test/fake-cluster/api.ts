import type { ServerResponse } from 'node:http';
import { podsOf, reconcile, refuseImmutable, resourceOf, withDefaults } from './controllers.js';
import { discovery } from './discovery.js';
import type { SeenCall } from './fake-cluster.js';
import { ownByUpdate, serverSideApply } from './field-sets.js';
import { type FakeObject, type FakeResource, isRecord, RESOURCES, Refusal } from './objects.js';
import { PodLogs } from './pod-logs.js';
import type { Query, Store } from './store.js';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A rule of a Role. */
export interface RoleRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

interface Route {
  readonly resource: FakeResource;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly part: string | undefined;
}

/** Answers the calls of the API. */
export class Api {
  readonly logs = new PodLogs();
  readonly watches = new Set<ServerResponse>();
  readonly denied = new Set<string>();
  /** When there are any, what no rule allows is refused. */
  rules: readonly RoleRule[] = [];
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  answer(call: SeenCall, response: ServerResponse): void {
    const found = discovery(call.path);
    if (found) {
      send(response, 200, found);
      return;
    }
    const route = routeOf(call.path);
    const verb = verbOf(call, route);
    this.#authorise(verb, route);
    if (verb === 'get' && route.part === 'log') this.#log(call, route, response);
    else if (verb === 'watch') this.#watch(call, route, response);
    else {
      const { status, body } = this.#document(verb, call, route);
      send(response, status, body);
    }
  }

  #document(verb: string, call: SeenCall, route: Route): Answer {
    switch (verb) {
      case 'get':
        return { status: 200, body: route.part === 'scale' ? scaleOf(this.#existing(route)) : this.#existing(route) };
      case 'list':
        return { status: 200, body: this.#list(call, route) };
      case 'create':
        return { status: 201, body: this.#create(call, route) };
      case 'update':
        return { status: 200, body: this.#update(call, route) };
      case 'patch':
        return this.#patch(call, route);
      default:
        return { status: 200, body: this.#delete(call, route) };
    }
  }

  endWatches(how: 'quietly' | 'gone'): void {
    for (const response of this.watches) {
      const object = new Refusal(410, 'Expired', 'too old resource version: 1 (2)').toStatus();
      if (how === 'gone') response.write(`${JSON.stringify({ type: 'ERROR', object })}\n`);
      response.end();
    }
  }

  /** Removes what has no dependents left, and dependents whose owner is gone. */
  collectGarbage(): void {
    for (const resource of RESOURCES) {
      for (const object of this.#store.list({ resource, namespace: undefined, labels: '', fields: '' })) {
        if (!object.metadata.finalizers?.includes('foregroundDeletion')) continue;
        for (const pod of podsOf(this.#store, object)) this.#store.delete(resourceOf('Pod'), pod);
        this.#store.delete(resource, object);
      }
    }
  }

  #authorise(verb: string, { resource, part, namespace, name }: Route): void {
    const what = part === undefined ? resource.plural : `${resource.plural}/${part}`;
    const group = resource.apiVersion.includes('/') ? (resource.apiVersion.split('/')[0] ?? '') : '';
    const allows = ({ apiGroups, resources, verbs, resourceNames }: RoleRule): boolean =>
      apiGroups.includes(group) &&
      resources.includes(what) &&
      verbs.includes(verb) &&
      (resourceNames === undefined || resourceNames.includes(name ?? ''));
    const isAllowed = this.rules.length === 0 || this.rules.some(allows);
    if (isAllowed && !this.denied.has(`${verb} ${what}`)) return;
    const target = name === undefined ? what : `${what} "${name}"`;
    const place = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
    const message = `${target} is forbidden: User "me" cannot ${verb} resource "${what}" in API group "${group}" ${place}`;
    throw new Refusal(403, 'Forbidden', message);
  }

  #existing({ resource, namespace, name = '' }: Route): FakeObject {
    const object = this.#store.get(resource, namespace, name);
    if (object) return object;
    throw new Refusal(404, 'NotFound', `${resource.plural} "${name}" not found`);
  }

  #list(call: SeenCall, route: Route): object {
    const all = this.#store.list(queryOf(call, route));
    const limit = Number(call.query.get('limit') ?? 0) || all.length;
    const start = Number(call.query.get('continue') ?? 0);
    const items = all.slice(start, start + limit).map(({ apiVersion: _, kind: __, ...item }) => item);
    const isMore = start + limit < all.length;
    return {
      kind: `${route.resource.kind}List`,
      apiVersion: route.resource.apiVersion,
      metadata: { resourceVersion: `${this.#store.version}`, ...(isMore && { continue: `${start + limit}` }) },
      items,
    };
  }

  #watch(call: SeenCall, route: Route, response: ServerResponse): void {
    const from = Number(call.query.get('resourceVersion') ?? 0);
    this.#store.refuseForgotten(from);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const write = (type: string, object: unknown): void => void response.write(`${JSON.stringify({ type, object })}\n`);
    const stop = this.#store.watch(queryOf(call, route), from, ({ type, object }) => write(type, object));
    this.watches.add(response);
    response.on('close', () => {
      stop();
      this.watches.delete(response);
    });
    if (call.query.get('allowWatchBookmarks') !== 'true') return;
    const { kind, apiVersion } = route.resource;
    write('BOOKMARK', { kind, apiVersion, metadata: { resourceVersion: `${this.#store.version}` } });
  }

  #log(call: SeenCall, route: Route, response: ServerResponse): void {
    const pod = this.#existing({ ...route, part: undefined });
    const { name } = pod.metadata;
    if (this.logs.has(name)) {
      this.logs.answer(name, call.query, response);
      return;
    }
    const message = `container "worker" in pod "${name}" is waiting to start: ContainerCreating`;
    throw new Refusal(400, 'BadRequest', message);
  }

  #create(call: SeenCall, route: Route): FakeObject {
    const object = JSON.parse(call.body) as FakeObject;
    const { name } = object.metadata;
    if (this.#store.get(route.resource, route.namespace, name)) {
      throw new Refusal(409, 'AlreadyExists', `${route.resource.plural} "${name}" already exists`);
    }
    ownByUpdate(object, object, managerOf(call), this.#store.nextTime());
    return this.#keep(route, object, isDryRun(call));
  }

  #update(call: SeenCall, route: Route): FakeObject {
    const before = this.#existing(route);
    const object = JSON.parse(call.body) as FakeObject;
    const { resourceVersion } = object.metadata;
    if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion) {
      throw new Refusal(
        409,
        'Conflict',
        'the object has been modified; please apply your changes to the latest version',
      );
    }
    ownByUpdate(object, object, managerOf(call), this.#store.nextTime());
    return this.#keep(route, object, isDryRun(call), before);
  }

  #patch(call: SeenCall, route: Route): Answer {
    const patch = JSON.parse(call.body) as FakeObject;
    if (call.contentType.startsWith('application/apply-patch+yaml')) return this.#apply(call, route, patch);
    if (!call.contentType.startsWith('application/merge-patch+json')) {
      throw new Refusal(415, 'UnsupportedMediaType', `the body has the type ${call.contentType}`);
    }
    const before = this.#existing(route);
    const object = merged(before, patch) as FakeObject;
    ownByUpdate(
      object,
      { ...patch, metadata: { ...patch.metadata, name: object.metadata.name } },
      managerOf(call),
      this.#store.nextTime(),
    );
    const kept = this.#keep(route, object, isDryRun(call), before);
    return { status: 200, body: route.part === 'scale' ? scaleOf(kept) : kept };
  }

  #apply(call: SeenCall, route: Route, applied: FakeObject): Answer {
    const { resource, namespace, name = '' } = route;
    const manager = call.query.get('fieldManager');
    if (!manager)
      throw new Refusal(422, 'Invalid', 'PatchOptions.meta.k8s.io is invalid: fieldManager: Required value');
    if (applied.kind !== resource.kind || applied.metadata.name !== name) {
      throw new Refusal(400, 'BadRequest', 'the object in the body does not match the path');
    }
    if (namespace !== undefined && !this.#store.get(resourceOf('Namespace'), undefined, namespace)) {
      throw new Refusal(404, 'NotFound', `namespaces "${namespace}" not found`);
    }
    const before = this.#store.get(resource, namespace, name);
    const time = this.#store.nextTime();
    const object = serverSideApply(before, applied, manager, call.query.get('force') === 'true', time);
    const kept = this.#keep(route, object, isDryRun(call), before);
    return { status: before ? 200 : 201, body: kept };
  }

  #keep(route: Route, object: FakeObject, dryRun: boolean, before?: FakeObject): FakeObject {
    if (before) refuseImmutable(before, object);
    if (dryRun) return { ...object, metadata: { ...object.metadata, uid: before?.metadata.uid ?? 'dry-run' } };
    const kept = this.#store.put(route.resource, before ? object : withDefaults(object, `job-${this.#store.version}`));
    reconcile(this.#store, kept);
    return this.#store.get(route.resource, route.namespace, kept.metadata.name) ?? kept;
  }

  #delete(call: SeenCall, route: Route): object {
    const object = this.#existing(route);
    const options: unknown = call.body === '' ? {} : JSON.parse(call.body);
    const { propagationPolicy, preconditions, dryRun } = isRecord(options) ? options : {};
    if (isRecord(preconditions) && preconditions.uid !== undefined && preconditions.uid !== object.metadata.uid) {
      const message = `Precondition failed: UID in precondition: ${preconditions.uid}, UID in object meta: ${object.metadata.uid}`;
      throw new Refusal(409, 'Conflict', message);
    }
    if (Array.isArray(dryRun) || isDryRun(call)) return { kind: 'Status', status: 'Success' };
    const pods = podsOf(this.#store, object);
    if (propagationPolicy === 'Foreground') {
      const metadata = {
        ...object.metadata,
        deletionTimestamp: this.#store.nextTime(),
        finalizers: ['foregroundDeletion'],
      };
      this.#store.put(route.resource, { ...object, metadata });
    } else {
      // Asked directly, the API server leaves a workload's pods behind unless it is told otherwise.
      this.#store.delete(route.resource, object);
      if (propagationPolicy === 'Background') for (const pod of pods) this.#store.delete(resourceOf('Pod'), pod);
    }
    return { kind: 'Status', apiVersion: 'v1', status: 'Success' };
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function routeOf(path: string): Route {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const isCore = parts[0] === 'api';
  const apiVersion = isCore ? parts[1] : `${parts[1]}/${parts[2]}`;
  const rest = parts.slice(isCore ? 2 : 3);
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2;
  const [plural, name, part] = isInNamespace ? rest.slice(2) : rest;
  const resource = RESOURCES.find((known) => known.apiVersion === apiVersion && known.plural === plural);
  if (!resource) throw new Refusal(404, 'NotFound', 'the server could not find the requested resource');
  return { resource, namespace: isInNamespace ? rest[1] : undefined, name, part };
}

function verbOf({ method, query }: SeenCall, { name }: Route): string {
  switch (method) {
    case 'GET':
      if (name !== undefined) return 'get';
      return query.get('watch') === 'true' || query.get('watch') === '1' ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    default:
      return 'delete';
  }
}

function queryOf({ query }: SeenCall, { resource, namespace }: Route): Query {
  return { resource, namespace, labels: query.get('labelSelector') ?? '', fields: query.get('fieldSelector') ?? '' };
}

function managerOf({ query }: SeenCall): string {
  return query.get('fieldManager') ?? 'unknown';
}

function isDryRun({ query }: SeenCall): boolean {
  return query.get('dryRun') === 'All';
}

function scaleOf({ metadata: { name, namespace, uid }, spec }: FakeObject): object {
  const replicas = isRecord(spec) ? spec.replicas : 0;
  return { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name, namespace, uid }, spec: { replicas } };
}

function merged(before: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(before) ? { ...before } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}
