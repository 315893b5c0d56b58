import { EventEmitter } from 'node:events';
import { realClock, type ScopedClock, scopedClock } from '../clock.js';
import type { Fault } from '../faults.js';
import { type EmulatorRandom, realRandom } from '../random.js';
import { type EmulatedRequest, type EmulatorServer, type LoggedRequest, startServer } from '../server.js';
import { Capacity, type GceQuota, type GceStockScope } from './capacity.js';
import { DEFAULT_CATALOGUE, type GceCatalogue } from './catalogue.js';
import type {
  ForeignGceInstance,
  GceEmulator,
  GceEmulatorOptions,
  GceEvents,
  GceLatency,
  GceStats,
} from './contract.js';
import { complaintAnswer, type EndpointOptions, routesOf } from './endpoint.js';
import { Fleet, type GceTimes } from './fleet.js';
import { planInstance } from './insert-plan.js';
import { type GceStatus, type Instance, isSpot } from './instance.js';
import { type EmulatedGceInstance, viewOf } from './instance-view.js';
import { linksOf } from './links.js';
import { type OperationError, Operations } from './operations.js';
import { type GceRates, RateQuota } from './rate-quota.js';
import { type PlannedRefusal, Refusals } from './refusals.js';

const DEFAULT_PROJECT = 'emulated-project';
const DEFAULT_TIMES: GceTimes = {
  insertMs: [4000, 8000],
  bootMs: 2000,
  deleteMs: 4000,
  setLabelsMs: 1000,
  stopMs: 2000,
};
const PAGE = 500;
const HOUR_MS = 3_600_000;
const PREEMPTED = 'compute.instances.preempted';
const INTERNAL_ERROR: OperationError = {
  code: 'INTERNAL_ERROR',
  message: 'Internal error. Please try again or contact Google Support.',
};

/** Starts a Compute Engine on 127.0.0.1, empty. */
export async function startGceEmulator(options: GceEmulatorOptions = {}): Promise<GceEmulator> {
  const emulator = new RunningEmulator(options);
  await emulator.listen(options);
  return emulator;
}

class RunningEmulator implements GceEmulator {
  readonly project: string;
  readonly catalogue: GceCatalogue;
  readonly #clock: ScopedClock;
  readonly #random: EmulatorRandom;
  readonly #capacity: Capacity;
  readonly #operations: Operations;
  readonly #fleet: Fleet;
  readonly #rates: RateQuota;
  readonly #refusals = new Refusals();
  readonly #denied = new Set<string>();
  readonly #unreachable = new Set<string>();
  readonly #latency: GceLatency;
  readonly #refused: Record<string, number> = {};
  readonly #events = new EventEmitter();
  #server: EmulatorServer | undefined;

  constructor(options: GceEmulatorOptions) {
    const clock = scopedClock(options.clock ?? realClock);
    this.#clock = clock;
    this.#random = options.random ?? realRandom;
    this.project = options.project ?? DEFAULT_PROJECT;
    this.catalogue = { ...DEFAULT_CATALOGUE, ...options.catalogue };
    this.#latency = options.latency ?? {};
    this.#capacity = new Capacity(options.quota ?? {});
    this.#rates = new RateQuota(() => clock.now(), options.rates ?? {});
    this.#operations = new Operations(clock, this.#random);
    this.#fleet = new Fleet({
      clock,
      random: this.#random,
      project: this.project,
      capacity: this.#capacity,
      operations: this.#operations,
      times: { ...DEFAULT_TIMES, ...options.times },
      onChange: (event) => this.#emit('instance', event),
    });
  }

  async listen({ port, tls, accessTokens = [], pageSize = PAGE }: GceEmulatorOptions): Promise<void> {
    const endpoint = (): EndpointOptions => ({
      project: {
        id: this.project,
        clock: this.#clock,
        catalogue: this.catalogue,
        fleet: this.#fleet,
        operations: this.#operations,
        links: linksOf(this.url, this.project),
        unreachable: this.#unreachable,
        pageSize,
      },
      accessTokens,
      rates: this.#rates,
      refusals: this.#refusals,
      denied: this.#denied,
      answered: (call, refused) => this.#answered(call, refused),
    });
    this.#server = await startServer({
      clock: this.#clock,
      random: this.#random,
      ...(port !== undefined && { port }),
      ...(tls && { tls }),
      refuse: complaintAnswer,
      routes: routesOf(endpoint),
    });
  }

  get url(): string {
    return this.#running.url;
  }

  get requests(): readonly LoggedRequest[] {
    return this.#running.requests;
  }

  get failures(): readonly Error[] {
    return this.#running.failures;
  }

  instances(): readonly EmulatedGceInstance[] {
    return this.#fleet.all.map(viewOf);
  }

  addForeignInstance(foreign: ForeignGceInstance): EmulatedGceInstance {
    const { zone = this.catalogue.zones[0] ?? '', machineType = this.catalogue.machineTypes[0]?.name ?? '' } = foreign;
    const image = this.catalogue.images[0];
    const plan = planInstance(
      {
        name: foreign.name,
        machineType: `zones/${zone}/machineTypes/${machineType}`,
        labels: foreign.labels ?? {},
        metadata: { items: Object.entries(foreign.metadata ?? {}).map(([key, value]) => ({ key, value })) },
        disks: [
          { boot: true, autoDelete: true, initializeParams: { sourceImage: `global/images/${image?.name ?? ''}` } },
        ],
        networkInterfaces: [{}],
      },
      { catalogue: this.catalogue, links: linksOf(this.url, this.project), zone, now: this.#clock.now() },
    );
    return viewOf(this.#fleet.place(plan, foreign.ageMs ?? HOUR_MS));
  }

  setStock(scope: GceStockScope, free: number | undefined): void {
    this.#capacity.setStock(scope, free);
  }

  setQuota(quota: GceQuota): void {
    this.#capacity.setQuota(quota);
  }

  setRates(rates: GceRates): void {
    this.#rates.set(rates);
  }

  deny(permission: string, denied = true): void {
    if (denied) this.#denied.add(permission);
    else this.#denied.delete(permission);
  }

  setReachable(zone: string, reachable: boolean): void {
    if (reachable) this.#unreachable.delete(zone);
    else this.#unreachable.add(zone);
  }

  preempt(name: string): void {
    const instance = this.#find(name);
    if (!isSpot(instance)) throw new Error(`${name} is not a spot instance`);
    this.#fleet.end(instance, PREEMPTED);
  }

  setStatus(name: string, status: GceStatus): void {
    this.#fleet.setStatus(this.#find(name), status);
  }

  delete(name: string): void {
    this.#fleet.delete(this.#find(name), undefined);
  }

  failNextInserts(count = 1, error = INTERNAL_ERROR): void {
    this.#fleet.failNext(count, error);
  }

  fault(fault: Fault): void {
    this.#running.faults.add(fault);
  }

  refuseNext(operation: string, refusal: PlannedRefusal, times = 1): void {
    this.#refusals.plan(operation, refusal, times);
  }

  clearFaults(): void {
    this.#running.faults.clear();
    this.#refusals.clear();
  }

  stats(): GceStats {
    return { calls: Object.fromEntries(this.#running.counts), refusals: { ...this.#refused } };
  }

  on<E extends keyof GceEvents>(event: E, listener: (data: GceEvents[E]) => void): () => void {
    this.#events.on(event, listener);
    return () => void this.#events.off(event, listener);
  }

  async close(): Promise<void> {
    this.#clock.close();
    this.#fleet.close();
    await this.#running.close();
  }

  get #running(): EmulatorServer {
    if (this.#server === undefined) throw new Error('the emulator is not listening yet');
    return this.#server;
  }

  #find(name: string): Instance {
    const instance = this.#fleet.all.find(({ plan }) => plan.name === name);
    if (instance === undefined) throw new Error(`there is no instance ${name}`);
    return instance;
  }

  #emit<E extends keyof GceEvents>(event: E, data: GceEvents[E]): void {
    this.#events.emit(event, data);
  }

  async #answered({ operation }: EmulatedRequest, refused: string | undefined): Promise<void> {
    if (refused !== undefined) this.#refused[refused] = (this.#refused[refused] ?? 0) + 1;
    this.#emit('call', { operation, ...(refused !== undefined && { refused }) });
    const ofOperation = this.#latency.operations?.[operation] ?? 0;
    const ms = refused === undefined ? ofOperation : (this.#latency.refusalMs ?? ofOperation);
    if (ms > 0) await new Promise<void>((resolve) => void this.#clock.after(ms, resolve));
  }
}
