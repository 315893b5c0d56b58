import { EventEmitter } from 'node:events';
import { realClock, type ScopedClock, scopedClock } from '../clock.js';
import type { Fault } from '../faults.js';
import { type EmulatorRandom, realRandom } from '../random.js';
import {
  type EmulatedAnswer,
  type EmulatedRequest,
  type EmulatorServer,
  type LoggedRequest,
  startServer,
} from '../server.js';
import type { Account, Paging } from './actions/action.js';
import { Capacity, type Quota, type StockScope } from './capacity.js';
import { defaultCatalogue, type Ec2Catalogue } from './catalogue.js';
import { ClientTokens } from './client-tokens.js';
import type { Ec2Emulator, Ec2EmulatorOptions, Ec2Events, Ec2Stats, ForeignInstance, Latency } from './contract.js';
import { actionOf, answerCall, complaintAnswer, type EndpointOptions, SIGNED_HEADERS } from './endpoint.js';
import { Fleet, type FleetTimes, type Lag, SPOT_RECLAIMED, USER_INITIATED } from './fleet.js';
import type { Instance, StateReason } from './instance.js';
import { type EmulatedInstance, viewOf } from './instance-view.js';
import { planLaunch } from './launch-plan.js';
import { Refusals } from './refusals.js';
import type { AccessKey } from './sigv4.js';
import { type Rate, Throttle } from './throttle.js';

const DEFAULT_REGION = 'eu-central-1';
const DEFAULT_ACCOUNT = '123456789012';
const DEFAULT_KEY: AccessKey = {
  accessKeyId: 'AKIAEMULATOR00000000',
  secretAccessKey: 'an/emulated/secret/access/key/0000000000',
};
const DEFAULT_TIMES: FleetTimes = { bootMs: [2000, 4000], shutdownMs: 1000, terminatedMs: 3_600_000 };
const DEFAULT_PAGING: Paging = { pageSize: 1000, beforeFilters: false };
const HOUR_MS = 3_600_000;
const INTERNAL_ERROR: StateReason = {
  code: 'Server.InternalError',
  message: 'Server.InternalError: Internal error on launch',
};

/** Starts an EC2 on 127.0.0.1, empty. */
export async function startEc2Emulator(options: Ec2EmulatorOptions = {}): Promise<Ec2Emulator> {
  const emulator = new RunningEmulator(options);
  await emulator.listen(options);
  return emulator;
}

class RunningEmulator implements Ec2Emulator {
  readonly credentials: AccessKey;
  readonly #clock: ScopedClock;
  readonly #random: EmulatorRandom;
  readonly #account: Account;
  readonly #throttle: Throttle;
  readonly #denied = new Set<string>();
  readonly #latency: Latency;
  readonly #refusals = new Refusals();
  readonly #refused: Record<string, number> = {};
  readonly #events = new EventEmitter();
  readonly #endpoint: EndpointOptions;
  #server: EmulatorServer | undefined;

  constructor(options: Ec2EmulatorOptions) {
    const { region = DEFAULT_REGION, accountId = DEFAULT_ACCOUNT, accessKeys: keys = [DEFAULT_KEY] } = options;
    const clock = scopedClock(options.clock ?? realClock);
    const random = options.random ?? realRandom;
    const capacity = new Capacity(options.quota ?? {});
    this.#clock = clock;
    this.#random = random;
    this.#latency = options.latency ?? {};
    this.#throttle = new Throttle(() => clock.now(), options.throttle ?? {});
    this.credentials = keys[0] ?? DEFAULT_KEY;
    this.#account = {
      id: accountId,
      region,
      catalogue: { ...defaultCatalogue(region), ...options.catalogue },
      capacity,
      tokens: new ClientTokens(),
      paging: { ...DEFAULT_PAGING, ...options.paging },
      fleet: new Fleet({
        clock,
        random,
        capacity,
        times: { ...DEFAULT_TIMES, ...options.times },
        lag: options.lag ?? {},
        onChange: (event) => this.#emit('instance', event),
      }),
    };
    this.#endpoint = {
      account: this.#account,
      keys,
      throttle: this.#throttle,
      refusals: this.#refusals,
      denied: this.#denied,
      random,
    };
  }

  async listen({ port, tls }: Ec2EmulatorOptions): Promise<void> {
    this.#server = await startServer({
      clock: this.#clock,
      random: this.#random,
      ...(port !== undefined && { port }),
      ...(tls && { tls }),
      refuse: (complaint) => complaintAnswer(complaint, this.#random),
      routes: [
        {
          method: 'POST',
          path: '/',
          operation: actionOf,
          headers: SIGNED_HEADERS,
          takesBody: true,
          handle: (call) => this.#answer(call),
        },
      ],
    });
  }

  get url(): string {
    return this.#running.url;
  }

  get region(): string {
    return this.#account.region;
  }

  get accountId(): string {
    return this.#account.id;
  }

  get catalogue(): Ec2Catalogue {
    return this.#account.catalogue;
  }

  get requests(): readonly LoggedRequest[] {
    return this.#running.requests;
  }

  get failures(): readonly Error[] {
    return this.#running.failures;
  }

  instances(): readonly EmulatedInstance[] {
    return this.#account.fleet.all.map(viewOf);
  }

  addForeignInstance(foreign: ForeignInstance = {}): EmulatedInstance {
    const { catalogue, id: accountId, fleet } = this.#account;
    const { imageId = catalogue.images[0]?.id, instanceType = catalogue.instanceTypes[0]?.name } = foreign;
    const { subnetId = catalogue.subnets[0]?.id } = foreign;
    const request = {
      groupIds: [],
      blockDevices: new Map(),
      tags: new Map([['instance', new Map(Object.entries(foreign.tags ?? {}))]]),
      ...(imageId !== undefined && { imageId }),
      ...(instanceType !== undefined && { instanceType }),
      ...(subnetId !== undefined && { subnetId }),
    };
    return viewOf(fleet.place(planLaunch(request, catalogue, accountId), foreign.ageMs ?? HOUR_MS));
  }

  setStock(scope: StockScope, free: number | undefined): void {
    this.#account.capacity.setStock(scope, free);
  }

  setQuota(quota: Quota): void {
    this.#account.capacity.setQuota(quota);
  }

  setThrottle(action: string, rate: Rate | undefined): void {
    this.#throttle.set(action, rate);
  }

  setLag(lag: Lag): void {
    this.#account.fleet.setLag(lag);
  }

  deny(action: string, denied = true): void {
    if (denied) this.#denied.add(action);
    else this.#denied.delete(action);
  }

  protect(instanceId: string, isProtected = true): void {
    this.#find(instanceId).terminationProtected = isProtected;
  }

  reclaimSpot(instanceId: string): void {
    const instance = this.#find(instanceId);
    if (!instance.plan.spot) throw new Error(`${instanceId} is not a spot instance`);
    this.#account.fleet.terminate(instance, SPOT_RECLAIMED);
  }

  terminate(instanceId: string): void {
    this.#account.fleet.terminate(this.#find(instanceId), USER_INITIATED);
  }

  failNextLaunches(count = 1, reason = INTERNAL_ERROR): void {
    this.#account.fleet.failNext(count, reason);
  }

  fault(fault: Fault): void {
    this.#running.faults.add(fault);
  }

  refuseNext(action: string, code: string, times = 1): void {
    this.#refusals.plan(action, { code }, times);
  }

  dropNextReply(action = 'RunInstances'): void {
    this.fault({ operation: action, kind: 'lost' });
  }

  echoNextRequest(action: string): void {
    this.#refusals.plan(action, { echo: true }, 1);
  }

  clearFaults(): void {
    this.#running.faults.clear();
    this.#refusals.clear();
  }

  stats(): Ec2Stats {
    return { calls: Object.fromEntries(this.#running.counts), refusals: { ...this.#refused } };
  }

  on<E extends keyof Ec2Events>(event: E, listener: (data: Ec2Events[E]) => void): () => void {
    this.#events.on(event, listener);
    return () => void this.#events.off(event, listener);
  }

  async close(): Promise<void> {
    this.#clock.close();
    this.#account.fleet.close();
    await this.#running.close();
  }

  get #running(): EmulatorServer {
    if (this.#server === undefined) throw new Error('the emulator is not listening yet');
    return this.#server;
  }

  #find(id: string): Instance {
    const instance = this.#account.fleet.find(id);
    if (instance === undefined) throw new Error(`there is no instance ${id}`);
    return instance;
  }

  #emit<E extends keyof Ec2Events>(event: E, data: Ec2Events[E]): void {
    this.#events.emit(event, data);
  }

  async #answer(call: EmulatedRequest): Promise<EmulatedAnswer> {
    const { answer, refused } = answerCall(call, this.#endpoint);
    if (refused !== undefined) this.#refused[refused] = (this.#refused[refused] ?? 0) + 1;
    this.#emit('call', { action: call.operation, ...(refused !== undefined && { refused }) });
    await this.#delay(call.operation, refused !== undefined);
    return answer;
  }

  async #delay(action: string, refused: boolean): Promise<void> {
    const ofAction = this.#latency.actions?.[action] ?? 0;
    const ms = refused ? (this.#latency.refusalMs ?? ofAction) : ofAction;
    if (ms > 0) await new Promise<void>((resolve) => void this.#clock.after(ms, resolve));
  }
}
