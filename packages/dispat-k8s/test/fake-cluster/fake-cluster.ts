import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Api, type RoleRule } from './api.js';
import { podsOf, reconcile, resourceOf } from './controllers.js';
import type { FakeObject } from './objects.js';
import { Refusal } from './objects.js';
import { Store } from './store.js';

/** One call the fake got. */
export interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly body: string;
}

export const TOKEN = 'fake-cluster-token';

/**
 * An API server for tests: HTTP on the loopback, objects, server-side apply, lists and watches, pods' logs, deletion
 * with its propagation policies, and rights that can be taken away. Jobs and StatefulSets get their pods at once, all
 * pending; what becomes of them the test says.
 */
export class FakeCluster implements AsyncDisposable {
  readonly store = new Store();
  readonly calls: SeenCall[] = [];
  /** Whether it asks for no token. */
  isOpen = false;
  /** Whether it answers nothing at all. */
  silent = false;
  readonly #api = new Api(this.store);
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #answerNext: Refusal[] = [];

  private constructor() {
    this.#server = createServer((request, response) => void this.#handle(request, response));
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(): Promise<FakeCluster> {
    const cluster = new FakeCluster();
    await new Promise<void>((resolve) => cluster.#server.listen(0, '127.0.0.1', resolve));
    return cluster;
  }

  /** How many connections are open, whatever they carry. */
  get connections(): number {
    return this.#sockets.size;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A kubeconfig that leads here, as YAML. */
  get kubeconfig(): string {
    return [
      'apiVersion: v1',
      'kind: Config',
      'current-context: fake',
      `clusters: [{name: fake, cluster: {server: "${this.url}", insecure-skip-tls-verify: true}}]`,
      `users: [{name: me, user: {token: ${TOKEN}}}]`,
      'contexts: [{name: fake, context: {cluster: fake, user: me}}]',
      '',
    ].join('\n');
  }

  /** Takes a right away: `deny('watch', 'pods')`. */
  deny(verb: string, resource: string): void {
    this.#api.denied.add(`${verb} ${resource}`);
  }

  /** Allows what these rules of a Role do, and nothing else. */
  allowOnly(rules: readonly RoleRule[]): void {
    this.#api.rules = rules;
  }

  /** Answers the next calls so, before looking at them. */
  answerNext(...refusals: Refusal[]): void {
    this.#answerNext.push(...refusals);
  }

  /** Keeps an object as it is, as if another program had created it. */
  add(object: FakeObject): FakeObject {
    return this.store.put(resourceOf(object.kind), object);
  }

  get(kind: string, namespace: string | undefined, name: string): FakeObject | undefined {
    return this.store.get(resourceOf(kind), namespace, name);
  }

  list(kind: string, namespace?: string): FakeObject[] {
    return this.store.list({ resource: resourceOf(kind), namespace, labels: '', fields: '' });
  }

  /** The pod of an index. */
  pod(workload: string, index: number): FakeObject {
    const pod = this.list('Pod').find(({ metadata }) => metadata.name.startsWith(`${workload}-${index}`));
    if (!pod) throw new Error(`no pod of index ${index}`);
    return pod;
  }

  setPod(workload: string, index: number, status: Record<string, unknown>): void {
    this.store.put(resourceOf('Pod'), { ...this.pod(workload, index), status });
  }

  /** The worker container of an index begins. */
  run(workload: string, index: number): void {
    const pod = this.pod(workload, index);
    const running = {
      name: 'worker',
      started: true,
      restartCount: 0,
      state: { running: { startedAt: '2027-01-04T09:00:00Z' } },
    };
    this.#api.logs.open(pod.metadata.name);
    this.store.put(resourceOf('Pod'), { ...pod, status: { phase: 'Running', containerStatuses: [running] } });
  }

  /** The worker container of an index ends. */
  end(workload: string, index: number, exitCode: number): void {
    const pod = this.pod(workload, index);
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    const ended = { name: 'worker', started: false, state: { terminated: { exitCode, reason } } };
    const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
    this.store.put(resourceOf('Pod'), { ...pod, status: { phase, containerStatuses: [ended] } });
    this.#api.logs.close(pod.metadata.name);
  }

  /** The worker of an index writes a line. */
  log(workload: string, index: number, line: string | Record<string, unknown>): void {
    const { name } = this.pod(workload, index).metadata;
    this.#api.logs.write(name, typeof line === 'string' ? line : JSON.stringify(line), this.store.nextTime());
  }

  finish(job: string, type: 'Complete' | 'Failed', namespace = 'release'): void {
    const object = this.get('Job', namespace, job);
    if (!object) throw new Error(`no job ${job}`);
    const conditions = [
      { type, status: 'True', reason: type === 'Failed' ? 'BackoffLimitExceeded' : 'CompletionsReached' },
    ];
    this.store.put(resourceOf('Job'), { ...object, status: { conditions } });
  }

  /** The cluster warns about an object. */
  warn(kind: string, name: string, reason: string, message: string, namespace = 'release'): void {
    this.add({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${reason.toLowerCase()}`, namespace },
      type: 'Warning',
      reason,
      message,
      involvedObject: { kind, name, namespace },
      lastTimestamp: this.store.nextTime(),
    });
  }

  /** What waits for dependents to go: finishes a foreground deletion. */
  collectGarbage(): void {
    this.#api.collectGarbage();
  }

  podsOf(workload: FakeObject): FakeObject[] {
    return podsOf(this.store, workload);
  }

  reconcile(workload: FakeObject): void {
    reconcile(this.store, workload);
  }

  /** How many watches and followed logs are open now. */
  get openStreams(): { watches: number; logs: number } {
    return { watches: this.#api.watches.size, logs: this.#api.logs.followers };
  }

  /** Ends every watch, as a server does from time to time; `gone` says 410 in it first. */
  endWatches(how: 'quietly' | 'gone' = 'quietly'): void {
    this.#api.endWatches(how);
  }

  /** Cuts every connection in the middle of whatever it carries. */
  cutConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  callsOf(method: string, path: RegExp): readonly SeenCall[] {
    return this.calls.filter((call) => call.method === method && path.test(call.path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cutConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    let body = '';
    for await (const part of request) body += part;
    const contentType = request.headers['content-type'] ?? '';
    const call = { method: request.method ?? '', path: url.pathname, query: url.searchParams, contentType, body };
    this.calls.push(call);
    if (this.silent) return;
    try {
      const isKnown = this.isOpen || request.headers.authorization === `Bearer ${TOKEN}`;
      if (!isKnown) throw new Refusal(401, 'Unauthorized', 'Unauthorized');
      const refusal = this.#answerNext.shift();
      if (refusal) throw refusal;
      this.#api.answer(call, response);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(500, 'InternalError', String(error));
      response.writeHead(refusal.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(refusal.toStatus()));
    }
  }
}

export type { FakeObject };
