import type { EmulatorClock } from '../clock.js';
import { bootMachine } from '../machine/machine.js';
import { type EmulatorRandom, randomHex } from '../random.js';
import type { Capacity } from './capacity.js';
import { Ec2Error, instancesNotFound } from './errors.js';
import {
  currentState,
  type Instance,
  type InstanceState,
  isLive,
  type StateChange,
  type StateReason,
  stateAt,
} from './instance.js';
import type { LaunchPlan } from './launch-plan.js';
import { checkTagCount, type Tags } from './tags.js';

/** How long things take, in milliseconds. */
export interface FleetTimes {
  /** From the launch until the machine runs what it was given: always the same, or at random from a range. */
  readonly bootMs: number | readonly [least: number, most: number];
  /** From the end's begin until the instance is terminated. */
  readonly shutdownMs: number;
  /** How long a terminated instance is still listed. */
  readonly terminatedMs: number;
}

/** How far answers lag behind what has happened, in milliseconds. */
export interface Lag {
  /** For so long a new instance is in no listing. */
  readonly missingMs?: number;
  /** For so long calls that name a new instance by its id answer that it does not exist. */
  readonly notFoundMs?: number;
  /** For so long a new instance is listed without its tags. */
  readonly untaggedMs?: number;
  /** Listings show the state an instance had so long ago. */
  readonly stateMs?: number;
}

/** Something that happened to an instance. */
export interface InstanceEvent {
  readonly instanceId: string;
  readonly state: InstanceState;
  readonly reason?: StateReason;
}

export interface FleetOptions {
  readonly clock: EmulatorClock;
  readonly random: EmulatorRandom;
  readonly capacity: Capacity;
  readonly times: FleetTimes;
  readonly lag: Lag;
  readonly onChange: (event: InstanceEvent) => void;
}

/** An instance as a listing shows it at some instant. */
export interface ListedInstance {
  readonly instance: Instance;
  readonly change: StateChange;
  readonly tags: Tags;
}

export const USER_INITIATED: StateReason = {
  code: 'Client.UserInitiatedShutdown',
  message: 'Client.UserInitiatedShutdown: User initiated shutdown',
};
const INSTANCE_INITIATED: StateReason = {
  code: 'Client.InstanceInitiatedShutdown',
  message: 'Client.InstanceInitiatedShutdown: Instance initiated shutdown',
};
export const SPOT_RECLAIMED: StateReason = {
  code: 'Server.SpotInstanceTermination',
  message: 'Server.SpotInstanceTermination: Spot instance termination',
};

/** All instances, from their launch until they are forgotten. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #instances = new Map<string, Instance>();
  readonly #failures: StateReason[] = [];
  #lag: Lag;
  #launched = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#lag = options.lag;
  }

  /** Every instance that is not forgotten, in the order of their launches. */
  get all(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  /** What there really is under an id, whatever the API says already. */
  find(id: string): Instance | undefined {
    return this.#instances.get(id);
  }

  /** What a call that names an id finds under it. */
  findByCall(id: string): Instance | undefined {
    const instance = this.#instances.get(id);
    if (instance === undefined) return undefined;
    const age = this.#options.clock.now() - instance.launchedAt;
    return age < (this.#lag.notFoundMs ?? 0) ? undefined : instance;
  }

  setLag(lag: Lag): void {
    this.#lag = lag;
  }

  /** The next launches come to nothing: each is accepted, and its instance is terminated while still pending. */
  failNext(count: number, reason: StateReason): void {
    for (let index = 0; index < count; index++) this.#failures.push(reason);
  }

  /** Launches instances, all of one reservation. Their room must have been taken. */
  launch(plan: LaunchPlan, count: number, clientToken: string | undefined): Instance[] {
    const reservationId = `r-${this.#id()}`;
    return Array.from({ length: count }, (_, launchIndex) => {
      const instance = this.#newInstance(plan, reservationId, launchIndex, clientToken);
      this.#instances.set(instance.id, instance);
      this.#enter(instance, 'pending');
      const failure = this.#failures.shift();
      const { clock } = this.#options;
      if (failure === undefined) clock.after(this.#bootMs(), () => this.#boot(instance));
      else clock.after(this.#bootMs(), () => this.terminate(instance, failure));
      return instance;
    });
  }

  /** Puts an instance there that has been running for `ageMs` already. Nothing runs on it. */
  place(plan: LaunchPlan, ageMs: number): Instance {
    const launchedAt = this.#options.clock.now() - ageMs;
    const instance = { ...this.#newInstance(plan, `r-${this.#id()}`, 0, undefined), launchedAt };
    this.#instances.set(instance.id, instance);
    instance.history.push({ state: 'pending', at: launchedAt }, { state: 'running', at: launchedAt });
    return instance;
  }

  /** Begins an instance's end. One that is on its way out already stays as it is. */
  terminate(instance: Instance, reason: StateReason): void {
    if (!isLive(instance)) return;
    instance.machine?.kill();
    this.#enter(instance, 'shutting-down', reason);
    this.#options.capacity.giveBack(instance.plan.subnet.id, instance.plan.type.name);
    this.#options.clock.after(this.#options.times.shutdownMs, () => this.#terminated(instance, reason));
  }

  /**
   * Adds tags to instances and volumes; a key that is there gets the new value.
   * @throws Ec2Error when one of them does not exist, or would have too many tags; then none is changed
   */
  tag(ids: readonly string[], tags: Tags): void {
    const tagged = ids.map((id) => this.#tagsOf(id));
    for (const before of tagged) checkTagCount(new Map([...before, ...tags]));
    for (const before of tagged) for (const [key, value] of tags) before.set(key, value);
  }

  #tagsOf(id: string): Map<string, string> {
    if (id.startsWith('i-')) {
      const instance = this.findByCall(id);
      if (instance === undefined) throw instancesNotFound([id]);
      return instance.tags;
    }
    if (!id.startsWith('vol-')) throw new Ec2Error('InvalidID', `The ID '${id}' is not valid`);
    const owner = this.all.find(({ volumeId }) => volumeId === id);
    if (owner === undefined) throw new Ec2Error('InvalidVolume.NotFound', `The volume '${id}' does not exist.`);
    return owner.volumeTags;
  }

  /** What a listing shows now, which may lag behind. */
  listed(): ListedInstance[] {
    const now = this.#options.clock.now();
    const { missingMs = 0, untaggedMs = 0, stateMs = 0 } = this.#lag;
    return this.all
      .filter(({ launchedAt }) => now - launchedAt >= missingMs)
      .map((instance) => ({
        instance,
        change: stateAt(instance, now - stateMs),
        tags: now - instance.launchedAt < untaggedMs ? new Map() : instance.tags,
      }));
  }

  /** Cuts the power of every machine. */
  close(): void {
    for (const { machine } of this.#instances.values()) machine?.kill();
  }

  #boot(instance: Instance): void {
    if (currentState(instance).state !== 'pending') return;
    const { userData } = instance.plan;
    instance.machine = bootMachine({
      delivery: userData === undefined ? undefined : { kind: 'user-data', text: userData },
      bootMs: 0,
      clock: this.#options.clock,
      onPowerOff: () => this.#poweredOff(instance),
    });
    this.#enter(instance, 'running');
  }

  #poweredOff(instance: Instance): void {
    if (instance.plan.shutdownBehavior === 'terminate') {
      this.terminate(instance, INSTANCE_INITIATED);
      return;
    }
    this.#enter(instance, 'stopping', INSTANCE_INITIATED);
    this.#options.clock.after(this.#options.times.shutdownMs, () => {
      if (currentState(instance).state === 'stopping') this.#enter(instance, 'stopped', INSTANCE_INITIATED);
    });
  }

  #terminated(instance: Instance, reason: StateReason): void {
    this.#enter(instance, 'terminated', reason);
    this.#options.clock.after(this.#options.times.terminatedMs, () => this.#instances.delete(instance.id));
  }

  #enter(instance: Instance, state: InstanceState, reason?: StateReason): void {
    const why = reason === undefined ? {} : { reason };
    instance.history.push({ state, at: this.#options.clock.now(), ...why });
    this.#options.onChange({ instanceId: instance.id, state, ...why });
  }

  #newInstance(
    plan: LaunchPlan,
    reservationId: string,
    launchIndex: number,
    clientToken: string | undefined,
  ): Instance {
    const sequence = this.#launched++;
    const host = `${Math.floor(sequence / 250) % 256}.${(sequence % 250) + 4}`;
    return {
      plan,
      id: `i-${this.#id()}`,
      reservationId,
      sequence,
      launchIndex,
      clientToken,
      privateIp: `10.0.${host}`,
      publicIp: plan.publicIp ? `203.0.113.${(sequence % 250) + 4}` : undefined,
      networkInterfaceId: `eni-${this.#id()}`,
      attachmentId: `eni-attach-${this.#id()}`,
      volumeId: `vol-${this.#id()}`,
      spotRequestId: plan.spot ? `sir-${randomHex(this.#options.random, 4)}` : undefined,
      launchedAt: this.#options.clock.now(),
      tags: new Map(plan.tags),
      volumeTags: new Map(plan.volumeTags),
      history: [],
      terminationProtected: plan.terminationProtected,
      machine: undefined,
    };
  }

  /** The part of an id after its kind: 17 hexadecimal digits. */
  #id(): string {
    return `0${randomHex(this.#options.random, 8)}`;
  }

  #bootMs(): number {
    const { bootMs } = this.#options.times;
    if (typeof bootMs === 'number') return bootMs;
    const [least, most] = bootMs;
    return least + this.#options.random.fraction() * (most - least);
  }
}
