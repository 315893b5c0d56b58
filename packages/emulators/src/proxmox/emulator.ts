import { EventEmitter } from 'node:events';
import { makeCertificate, type SelfMadeCertificate } from '../certificate.js';
import { realClock, type ScopedClock, scopedClock } from '../clock.js';
import type { Fault } from '../faults.js';
import { type EmulatorRandom, realRandom } from '../random.js';
import {
  type EmulatedAnswer,
  type EmulatedRequest,
  type EmulatorServer,
  json,
  type LoggedRequest,
  type Route,
  startServer,
} from '../server.js';
import { defaultCatalogue, type PveCatalogue, type PveToken } from './catalogue.js';
import { Cluster } from './cluster.js';
import type {
  ClusterTimes,
  ForeignVm,
  InProcessAnswer,
  InProcessCall,
  PlannedRefusal,
  PveEmulator,
  PveEmulatorOptions,
  PveEvents,
} from './contract.js';
import { PveError, refusal } from './errors.js';
import type { Operation } from './operation.js';
import { Parameters } from './parameters.js';
import { authenticate, Caller } from './permissions.js';
import { Refusals } from './refusals.js';
import { agentOperations } from './routes/agent.js';
import { clusterOperations } from './routes/cluster.js';
import { taskOperations } from './routes/tasks.js';
import { vmOperations } from './routes/vms.js';
import { type EmulatedVm, type Vm, viewOf } from './vm.js';

const API = '/api2/json';
const DEFAULT_VERSION = '9.0.3';
const DEFAULT_TIMES: ClusterTimes = {
  linkedCloneMs: 1000,
  fullCloneMs: 5000,
  startMs: 500,
  agentMs: 3000,
  stopMs: 500,
  destroyMs: 500,
  lockWaitMs: 10_000,
  broadcastMs: 0,
};
const OPERATIONS: readonly Operation[] = [...clusterOperations, ...vmOperations, ...agentOperations, ...taskOperations];

/** Starts a Proxmox VE cluster on 127.0.0.1, with its templates and no other VM. */
export async function startPveEmulator(options: PveEmulatorOptions = {}): Promise<PveEmulator> {
  const emulator = new RunningEmulator(options);
  await emulator.listen(options.port);
  return emulator;
}

class RunningEmulator implements PveEmulator {
  readonly catalogue: PveCatalogue;
  readonly #options: PveEmulatorOptions;
  readonly #clock: ScopedClock;
  readonly #random: EmulatorRandom;
  readonly #cluster: Cluster;
  readonly #tls: SelfMadeCertificate;
  readonly #refusals = new Refusals();
  readonly #denied = new Set<string>();
  readonly #events = new EventEmitter();
  readonly #asked: Record<string, number> = {};
  #server: EmulatorServer | undefined;

  constructor(options: PveEmulatorOptions) {
    this.#options = options;
    this.#clock = scopedClock(options.clock ?? realClock);
    this.#random = options.random ?? realRandom;
    this.#tls = makeCertificate(['localhost', '127.0.0.1'], this.#random);
    this.catalogue = { ...defaultCatalogue(), ...options.catalogue };
    this.#cluster = new Cluster({
      clock: this.#clock,
      catalogue: this.catalogue,
      times: { ...DEFAULT_TIMES, ...options.times },
      onChange: (event) => void this.#events.emit('vm', event),
    });
  }

  async listen(port: number | undefined): Promise<void> {
    this.#server = await startServer({
      clock: this.#clock,
      random: this.#random,
      tls: this.#tls,
      ...(port !== undefined && { port }),
      refuse: ({ status, message }) => refusal(complaint(status, message)),
      routes: OPERATIONS.map((operation) => this.#route(operation)),
    });
  }

  get url(): string {
    return this.#running.url;
  }

  get certificate(): string {
    return this.#tls.cert;
  }

  get fingerprint(): string {
    return this.#tls.fingerprint256;
  }

  get token(): PveToken {
    const [token] = this.catalogue.tokens;
    if (token === undefined) throw new Error('the cluster has no token');
    return token;
  }

  get requests(): readonly LoggedRequest[] {
    return this.#running.requests;
  }

  get failures(): readonly Error[] {
    return this.#running.failures;
  }

  vms(): readonly EmulatedVm[] {
    return this.#cluster.vms.filter((vm) => !vm.isTemplate).map(viewOf);
  }

  addVm({ name, vmid = this.#freeVmid(), node = this.catalogue.nodes[0]?.name ?? '', ...more }: ForeignVm): EmulatedVm {
    const { tags = [], description = '', status = 'running', lock, cores = 2, memory = 2048 } = more;
    return viewOf(
      this.#cluster.place({ vmid, node, name, tags: tags.join(';'), description, status, lock, cores, memory }),
    );
  }

  migrate(vmid: number, node: string): void {
    this.#find(vmid).node = node;
  }

  lock(vmid: number, lock: string | undefined): void {
    this.#find(vmid).lock = lock;
  }

  protect(vmid: number, isProtected = true): void {
    this.#find(vmid).isProtected = isProtected;
  }

  edit(vmid: number, change: { readonly tags?: string; readonly description?: string; readonly name?: string }): void {
    this.#cluster.configure(this.#find(vmid), change);
  }

  powerOff(vmid: number): void {
    this.#cluster.powerOff(this.#find(vmid));
  }

  remove(vmid: number): void {
    this.#cluster.remove(this.#find(vmid));
  }

  setOnline(node: string, online: boolean): void {
    this.#cluster.setOnline(node, online);
  }

  deny(privilege: string, denied = true): void {
    if (denied) this.#denied.add(privilege);
    else this.#denied.delete(privilege);
  }

  fault(fault: Fault): void {
    this.#running.faults.add(fault);
  }

  refuse(operation: string, { message, status = 500, times = 1 }: PlannedRefusal): void {
    this.#refusals.plan(operation, status, message, times);
  }

  failTasks(type: string, message: string, times = 1): void {
    this.#cluster.failTasks(type, message, times);
  }

  echoNextRequest(operation: string): void {
    this.#refusals.planEcho(operation);
  }

  dropNextReply(operation: string): void {
    this.fault({ operation, kind: 'lost' });
  }

  clearFaults(): void {
    this.#running.faults.clear();
    this.#refusals.clear();
    this.#cluster.forgetFailures();
  }

  calls(): Readonly<Record<string, number>> {
    const counts = { ...this.#asked };
    for (const [operation, count] of this.#running.counts) counts[operation] = (counts[operation] ?? 0) + count;
    return counts;
  }

  async ask({ method, path, params }: InProcessCall): Promise<InProcessAnswer> {
    for (const operation of OPERATIONS) {
      const named = operation.method === method ? matchPath(operation.path, path) : undefined;
      if (named === undefined) continue;
      this.#asked[operation.name] = (this.#asked[operation.name] ?? 0) + 1;
      const {
        status,
        reason = 'OK',
        body = '',
      } = await this.#delayed(operation, () =>
        this.#carryOut(operation, new Caller(this.token, this.#denied), Parameters.of(params), named),
      );
      return { status, reason, body };
    }
    const { status, reason = '', body = '' } = refusal(complaint(404, `${method} ${path}`));
    return { status, reason, body };
  }

  on<E extends keyof PveEvents>(event: E, listener: (data: PveEvents[E]) => void): () => void {
    this.#events.on(event, listener);
    return () => void this.#events.off(event, listener);
  }

  async close(): Promise<void> {
    this.#clock.close();
    this.#cluster.close();
    await this.#running.close();
  }

  get #running(): EmulatorServer {
    if (this.#server === undefined) throw new Error('the emulator is not listening yet');
    return this.#server;
  }

  #find(vmid: number): Vm {
    const vm = this.#cluster.vm(vmid);
    if (vm === undefined) throw new Error(`there is no VM ${vmid}`);
    return vm;
  }

  #freeVmid(): number {
    let vmid = 100;
    while (this.#cluster.vm(vmid) !== undefined) vmid += 1;
    return vmid;
  }

  #route(operation: Operation): Route {
    return {
      operation: operation.name,
      method: operation.method,
      path: API + operation.path,
      headers: ['authorization'],
      ...(operation.query && { query: operation.query }),
      takesBody: operation.method === 'POST' || operation.method === 'PUT',
      handle: (request) => this.#answer(operation, request),
    };
  }

  #answer(operation: Operation, request: EmulatedRequest): Promise<EmulatedAnswer> {
    return this.#delayed(operation, () => {
      const caller = authenticate(request.headers.authorization, this.catalogue.tokens, this.#denied);
      this.#refusals.strike(operation.name, request);
      const takesForm = operation.method === 'POST' || operation.method === 'PUT';
      const input = takesForm
        ? Parameters.ofForm(request.body, request.headers['content-type'] ?? '')
        : Parameters.ofQuery(request.query);
      return this.#carryOut(operation, caller, input, request.params);
    });
  }

  /** Carries a call out as it arrives, and lets its answer wait. */
  async #delayed(operation: Operation, carryOut: () => EmulatedAnswer): Promise<EmulatedAnswer> {
    const answer = orRefusal(carryOut);
    const { latency = {} } = this.#options;
    const ms = (answer.status === 200 ? undefined : latency.refusal) ?? latency[operation.name] ?? 0;
    if (ms > 0) await new Promise<void>((resolve) => void this.#clock.after(ms, resolve));
    return answer;
  }

  #carryOut(
    operation: Operation,
    caller: Caller,
    input: Parameters,
    path: Readonly<Record<string, string>>,
  ): EmulatedAnswer {
    const data = operation.run({
      path,
      input,
      caller,
      cluster: this.#cluster,
      version: this.#options.version ?? DEFAULT_VERSION,
      nextId: this.#options.nextId ?? {},
    });
    return json(200, { data }, { 'cache-control': 'max-age=0' });
  }
}

function orRefusal(carryOut: () => EmulatedAnswer): EmulatedAnswer {
  try {
    return carryOut();
  } catch (error) {
    if (error instanceof PveError) return refusal(error);
    throw error;
  }
}

/** The parts of a path that a pattern names; nothing when it is another path. */
function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const given = path.split('/');
  const segments = pattern.split('/');
  if (given.length !== segments.length) return undefined;
  const named: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = decodeURIComponent(given[index] ?? '');
    if (segment.startsWith(':')) named[segment.slice(1)] = value;
    else if (segment !== value) return undefined;
  }
  return named;
}

/** A complaint of the server about a call, as Proxmox VE would put it. */
function complaint(status: number, message: string): PveError {
  if (status === 404 || status === 405) return new PveError(501, `Method not implemented: ${message}`);
  return new PveError(status, message);
}
