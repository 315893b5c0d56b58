import type { EmulatorClock } from '../clock.js';
import type { Fault } from '../faults.js';
import type { EmulatorRandom } from '../random.js';
import type { LoggedRequest } from '../server.js';
import type { GceQuota, GceStockScope } from './capacity.js';
import type { GceCatalogue } from './catalogue.js';
import type { GceInstanceEvent, GceTimes } from './fleet.js';
import type { GceStatus } from './instance.js';
import type { EmulatedGceInstance } from './instance-view.js';
import type { OperationError } from './operations.js';
import type { GceRates } from './rate-quota.js';
import type { PlannedRefusal } from './refusals.js';

/** How long the emulator takes to answer, in milliseconds. A call is carried out as it arrives; its answer waits. */
export interface GceLatency {
  /** By method, such as `instances.insert`. Default 0. */
  readonly operations?: Readonly<Record<string, number>>;
  /** Of any refusal. Default: that of the method. */
  readonly refusalMs?: number;
}

/** What the emulated project is like. */
export interface GceEmulatorOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** A certificate to speak TLS with, and its key, as PEM. Default: none, and it speaks in the clear. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The project there is. Default `emulated-project`. */
  readonly project?: string;
  /** Access tokens it takes. Default: none, and a call needs none. */
  readonly accessTokens?: readonly string[];
  /** What the project has; parts that are left out are those of `DEFAULT_CATALOGUE`. */
  readonly catalogue?: Partial<GceCatalogue>;
  /** Default: inserts take 4 to 8 s, a boot 2 s, deletions 4 s. */
  readonly times?: Partial<GceTimes>;
  /** Per region. Default: none. */
  readonly quota?: GceQuota;
  /** Default: any number of calls. */
  readonly rates?: GceRates;
  readonly latency?: GceLatency;
  /** How many a page of a listing has at most. Default 500. */
  readonly pageSize?: number;
  readonly clock?: EmulatorClock;
  readonly random?: EmulatorRandom;
}

/** A machine for {@link GceEmulator.addForeignInstance}. */
export interface ForeignGceInstance {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Defaults: the first of the catalogue. */
  readonly zone?: string;
  readonly machineType?: string;
  /** How long it has been running. Default one hour. */
  readonly ageMs?: number;
}

/** One call of the API, as it was answered. */
export interface GceCallEvent {
  readonly operation: string;
  /** The word of the refusal it was answered with. */
  readonly refused?: string;
}

/** What {@link GceEmulator.on} can listen to. */
export interface GceEvents {
  /** An instance has entered a status. */
  readonly instance: GceInstanceEvent;
  /** A call has been carried out, or refused by Compute Engine itself. */
  readonly call: GceCallEvent;
}

/** Counts since the start. */
export interface GceStats {
  /** Calls by method, whatever became of them. */
  readonly calls: Readonly<Record<string, number>>;
  /** Refusals by their words. */
  readonly refusals: Readonly<Record<string, number>>;
}

/** Compute Engine on loopback, and the hand that moves it. */
export interface GceEmulator {
  /** `http://127.0.0.1:<port>`, or `https:` with {@link GceEmulatorOptions.tls} */
  readonly url: string;
  readonly project: string;
  readonly catalogue: GceCatalogue;
  /** Every instance there is, in the order of their creation. */
  instances(): readonly EmulatedGceInstance[];
  /** Puts somebody else's running machine into the project. */
  addForeignInstance(foreign: ForeignGceInstance): EmulatedGceInstance;
  /** Says how many more instances fit within `scope`; `undefined` lifts that limit. */
  setStock(scope: GceStockScope, free: number | undefined): void;
  /** Replaces the project's quotas, from the next request on. */
  setQuota(quota: GceQuota): void;
  /** Replaces how many requests a minute are answered, from the next one on. */
  setRates(rates: GceRates): void;
  /** Whether a permission, such as `compute.instances.create`, is lacking. */
  deny(permission: string, denied?: boolean): void;
  /** Whether a zone can be reached. */
  setReachable(zone: string, reachable: boolean): void;
  /** Google takes a spot instance back: its machine loses power at once. */
  preempt(name: string): void;
  /** Somebody changes an instance's status by other means than this API. */
  setStatus(name: string, status: GceStatus): void;
  /** Somebody deletes an instance by other means than this API. */
  delete(name: string): void;
  /** The next inserts are accepted, and their operations end with an error. Default: one, with `INTERNAL_ERROR`. */
  failNextInserts(count?: number, error?: OperationError): void;
  /** Sets a fault of the connection or the HTTP answer; its operation is a method, such as `instances.insert`. */
  fault(fault: Fault): void;
  /** The next calls of a method are refused. Default: one. */
  refuseNext(operation: string, refusal: PlannedRefusal, times?: number): void;
  /** Takes back every fault and refusal that has not struck yet. */
  clearFaults(): void;
  /** The last calls, oldest first. */
  readonly requests: readonly LoggedRequest[];
  /** Errors that were no refusals: flaws of the emulator. */
  readonly failures: readonly Error[];
  /** What was asked and made since it started. */
  stats(): GceStats;
  /** @returns what ends the listening */
  on<E extends keyof GceEvents>(event: E, listener: (data: GceEvents[E]) => void): () => void;
  /** Cuts every machine's power and stops listening. */
  close(): Promise<void>;
}
