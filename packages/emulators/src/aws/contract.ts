import type { EmulatorClock } from '../clock.js';
import type { Fault } from '../faults.js';
import type { EmulatorRandom } from '../random.js';
import type { LoggedRequest } from '../server.js';
import type { Paging } from './actions/action.js';
import type { Quota, StockScope } from './capacity.js';
import type { Ec2Catalogue } from './catalogue.js';
import type { FleetTimes, InstanceEvent, Lag } from './fleet.js';
import type { StateReason } from './instance.js';
import type { EmulatedInstance } from './instance-view.js';
import type { AccessKey } from './sigv4.js';
import type { Rate } from './throttle.js';

/** How long the emulator takes to answer, in milliseconds. A call is carried out as it arrives; its answer waits. */
export interface Latency {
  /** By action. Default 0. */
  readonly actions?: Readonly<Record<string, number>>;
  /** Of any refusal. Default: that of the action. */
  readonly refusalMs?: number;
}

/** What the emulated region is like. */
export interface Ec2EmulatorOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** A certificate to speak TLS with, and its key, as PEM. Default: none, and it speaks in the clear. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Requests signed for any other are refused. Default `eu-central-1`. */
  readonly region?: string;
  /** Twelve digits. Default `123456789012`. */
  readonly accountId?: string;
  /** The keys EC2 knows. Default: one, `AKIAEMULATOR00000000`. */
  readonly accessKeys?: readonly AccessKey[];
  /** What the account has; parts that are left out are those of `defaultCatalogue`. */
  readonly catalogue?: Partial<Ec2Catalogue>;
  /** Default: boots at random in 2 to 4 s, ends within 1 s, is listed as terminated for an hour. */
  readonly times?: Partial<FleetTimes>;
  /** Default: no lag. */
  readonly lag?: Lag;
  readonly quota?: Quota;
  /** By action. Default: no throttle. EC2's own for RunInstances is a bucket of 5 that regains 2 a second. */
  readonly throttle?: Readonly<Record<string, Rate>>;
  readonly latency?: Latency;
  /** Default: pages of 1000, cut after filtering. */
  readonly paging?: Partial<Paging>;
  readonly clock?: EmulatorClock;
  readonly random?: EmulatorRandom;
}

/** A machine for {@link Ec2Emulator.addForeignInstance}. */
export interface ForeignInstance {
  readonly tags?: Readonly<Record<string, string>>;
  /** How long it has been running. Default one hour. */
  readonly ageMs?: number;
  /** Defaults: the first of the catalogue. */
  readonly instanceType?: string;
  readonly imageId?: string;
  readonly subnetId?: string;
}

/** One call of the API, as it was answered. */
export interface CallEvent {
  readonly action: string;
  /** The code it was refused with. */
  readonly refused?: string;
}

/** What {@link Ec2Emulator.on} can listen to. */
export interface Ec2Events {
  /** An instance has entered a state. */
  readonly instance: InstanceEvent;
  /** A call has been carried out, or refused by EC2 itself. */
  readonly call: CallEvent;
}

/** Counts since the start. */
export interface Ec2Stats {
  /** Calls by action, whatever became of them. */
  readonly calls: Readonly<Record<string, number>>;
  /** Refusals by code. */
  readonly refusals: Readonly<Record<string, number>>;
}

/** EC2 on loopback, and the hand that moves it. */
export interface Ec2Emulator {
  /** `http://127.0.0.1:<port>`, or `https:` with {@link Ec2EmulatorOptions.tls} */
  readonly url: string;
  readonly region: string;
  readonly accountId: string;
  /** A key it takes. */
  readonly credentials: AccessKey;
  readonly catalogue: Ec2Catalogue;
  /** Every instance that is not forgotten yet, in the order of their launches. */
  instances(): readonly EmulatedInstance[];
  /** Puts somebody else's running machine into the account. */
  addForeignInstance(foreign?: ForeignInstance): EmulatedInstance;
  /** Says how many more instances can be launched within `scope`; `undefined` lifts that limit. */
  setStock(scope: StockScope, free: number | undefined): void;
  /** Replaces the account's limits, from the next request on. */
  setQuota(quota: Quota): void;
  /** Limits how often an action may be called; without a rate it is limited no more. */
  setThrottle(action: string, rate: Rate | undefined): void;
  /** Sets how long what happened stays unseen in listings. */
  setLag(lag: Lag): void;
  /** Whether the key lacks the permission for `action`. */
  deny(action: string, denied?: boolean): void;
  /** Whether TerminateInstances refuses this one. */
  protect(instanceId: string, isProtected?: boolean): void;
  /** Amazon takes a spot instance back: its machine loses power at once. */
  reclaimSpot(instanceId: string): void;
  /** Somebody ends an instance by other means than this API. */
  terminate(instanceId: string): void;
  /** The next launches are accepted and come to nothing. Default: one, for an internal error. */
  failNextLaunches(count?: number, reason?: StateReason): void;
  /** Sets a fault of the connection or the HTTP answer; its operation is an action. */
  fault(fault: Fault): void;
  /** The next calls of `action` are refused with a code of EC2's, and the status that goes with it. Default: one. */
  refuseNext(action: string, code: string, times?: number): void;
  /** The next call of `action` is carried out and its answer lost with the connection. Default: RunInstances. */
  dropNextReply(action?: string): void;
  /** The next call of `action` fails with an error that repeats the whole request. */
  echoNextRequest(action: string): void;
  /** Takes back every fault and refusal that has not struck yet. */
  clearFaults(): void;
  /** The last calls, oldest first. */
  readonly requests: readonly LoggedRequest[];
  /** Errors that were no refusals: flaws of the emulator. */
  readonly failures: readonly Error[];
  /** What was asked and made since it started. */
  stats(): Ec2Stats;
  /** @returns what ends the listening */
  on<E extends keyof Ec2Events>(event: E, listener: (data: Ec2Events[E]) => void): () => void;
  /** Cuts every machine's power and stops listening. */
  close(): Promise<void>;
}
