import { EventEmitter } from 'node:events';
import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { CreateInstanceRequestSchema, DaemonService, InstanceState } from '@rungar/dicer-api';
import { realClock, type ScopedClock, scopedClock } from '../clock.js';
import type { Fault } from '../faults.js';
import { randomHex, realRandom } from '../random.js';
import { Calls, type LoggedCall } from './calls.js';
import type {
  DicerEmulator,
  DicerEmulatorOptions,
  DicerInstanceEvent,
  DicerStats,
  ForeignInstance,
  RefusalCode,
} from './contract.js';
import { type DicerTimes, Fleet } from './fleet.js';
import { DEFAULT_HOST, type DicerHost } from './host.js';
import { Images, RUNNER_IMAGE } from './images.js';
import { type EmulatedDicerInstance, newInstance, viewOf } from './instance.js';
import { daemonService } from './service.js';
import { type ClientTls, Wire } from './wire.js';

const DEFAULT_TIMES: DicerTimes = { bootMs: [2000, 4000], stopMs: 1000 };
const DEFAULT_PULL_MS = 2000;
const DEFAULT_MIN_PING_INTERVAL_MS = 10_000;
const DEFAULT_VERSION = '0.3.0';

const CODES: Readonly<Record<RefusalCode, Code>> = {
  INVALID_ARGUMENT: Code.InvalidArgument,
  NOT_FOUND: Code.NotFound,
  ALREADY_EXISTS: Code.AlreadyExists,
  PERMISSION_DENIED: Code.PermissionDenied,
  RESOURCE_EXHAUSTED: Code.ResourceExhausted,
  FAILED_PRECONDITION: Code.FailedPrecondition,
  UNIMPLEMENTED: Code.Unimplemented,
  INTERNAL: Code.Internal,
  UNAVAILABLE: Code.Unavailable,
  DEADLINE_EXCEEDED: Code.DeadlineExceeded,
};

/** Starts a Dicer host on 127.0.0.1 or a Unix socket, without an instance. */
export async function startDicerEmulator(options: DicerEmulatorOptions = {}): Promise<DicerEmulator> {
  const emulator = new RunningEmulator(options);
  await emulator.listen();
  return emulator;
}

class RunningEmulator implements DicerEmulator {
  readonly host: DicerHost;
  readonly #clock: ScopedClock;
  readonly #images: Images;
  readonly #fleet: Fleet;
  readonly #calls: Calls;
  readonly #wire: Wire;
  readonly #events = new EventEmitter();
  readonly #newId: () => string;

  constructor(options: DicerEmulatorOptions) {
    const { registry = [RUNNER_IMAGE], random = realRandom, latency = {}, socketPath, tls } = options;
    const clock = scopedClock(options.clock ?? realClock);
    const present = options.images ?? registry.map(({ ref }) => ref);
    const host = { ...DEFAULT_HOST, ...options.host };
    const images = new Images({ clock, random, registry, present, pullMs: options.pullMs ?? DEFAULT_PULL_MS });
    const times = { ...DEFAULT_TIMES, ...options.times };
    const onChange = (name: string, state: DicerInstanceEvent['state']): void =>
      void this.#events.emit('instance', { name, state });
    const fleet = new Fleet({ clock, random, host, images, times, onChange });
    const calls = new Calls({ clock, random, latency });
    const { version = DEFAULT_VERSION, port = 0, minPingIntervalMs = DEFAULT_MIN_PING_INTERVAL_MS } = options;
    const service = daemonService({ calls, fleet, images, host, version, address: () => this.address });
    const serve = connectNodeAdapter({
      connect: false,
      grpcWeb: false,
      routes: (router) => void router.service(DaemonService, service),
      contextValues: (request) => calls.contextOf(request),
    });
    this.#wire = new Wire({
      clock,
      random,
      port,
      minPingIntervalMs,
      ...(socketPath !== undefined && { socketPath }),
      ...(tls && { tls }),
      handle: (request, response) => {
        if (calls.arrived(request, response)) serve(request, response);
      },
    });
    this.host = host;
    this.#clock = clock;
    this.#images = images;
    this.#fleet = fleet;
    this.#calls = calls;
    this.#newId = () => randomHex(random, 16);
  }

  listen(): Promise<void> {
    return this.#wire.listen();
  }

  get address(): string {
    return this.#wire.address;
  }

  get tls(): ClientTls | undefined {
    return this.#wire.clientTls;
  }

  get calls(): readonly LoggedCall[] {
    return this.#calls.log;
  }

  get failures(): readonly Error[] {
    return this.#calls.failures;
  }

  instances(): readonly EmulatedDicerInstance[] {
    return this.#fleet.records.map(viewOf);
  }

  addForeignInstance({ name, labels = {}, env = {} }: ForeignInstance): EmulatedDicerInstance {
    const request = create(CreateInstanceRequestSchema, {
      name,
      labels: { ...labels },
      env: { ...env },
      imageRef: RUNNER_IMAGE.ref,
      vcpus: 1,
      memoryBytes: 1024n ** 3n,
      diskBytes: 1024n ** 3n,
    });
    const instance = newInstance(request, this.host, this.#newId(), this.#clock.now());
    instance.state = InstanceState.RUNNING;
    instance.startTime = timestampFromMs(this.#clock.now());
    return viewOf(this.#fleet.place(instance));
  }

  crash(name: string): void {
    this.#fleet.crash(name);
  }

  setState(name: string, state: keyof typeof InstanceState, error = ''): void {
    this.#fleet.setState(name, InstanceState[state], error);
  }

  setRegistry(isUp: boolean): void {
    this.#images.setRegistry(isUp);
  }

  removeImage(ref: string): void {
    this.#images.remove(ref);
  }

  renewClient(): void {
    this.#wire.renewClient();
  }

  dropConnections(): void {
    this.#wire.dropConnections();
  }

  sendAway(): void {
    this.#wire.sendAway();
  }

  fault(fault: Fault): void {
    if (fault.kind === 'bom' || fault.kind === 'special') throw new Error(`gRPC knows no fault of kind ${fault.kind}`);
    this.#calls.faults.add(fault);
  }

  refuseNext(method: string, code: RefusalCode, times = 1, message = 'the call was refused'): void {
    this.#calls.refusals.plan(method, { code: CODES[code], message }, times);
  }

  dropNextReply(method = 'CreateInstance'): void {
    this.fault({ operation: method, kind: 'lost' });
  }

  echoNextRequest(method: string, times = 1): void {
    this.#calls.refusals.plan(method, { echo: true }, times);
  }

  clearFaults(): void {
    this.#calls.faults.clear();
    this.#calls.refusals.clear();
  }

  stats(): DicerStats {
    return {
      calls: Object.fromEntries(this.#calls.counts),
      refusals: Object.fromEntries(this.#calls.refused),
      connections: this.#wire.connections,
      pings: this.#wire.pings,
    };
  }

  onInstance(listener: (event: DicerInstanceEvent) => void): () => void {
    this.#events.on('instance', listener);
    return () => void this.#events.off('instance', listener);
  }

  async close(): Promise<void> {
    this.#clock.close();
    this.#fleet.close();
    await this.#wire.close();
  }
}
