import type { InstanceState } from '@rungar/dicer-api';
import type { EmulatorClock } from '../clock.js';
import type { Fault } from '../faults.js';
import type { EmulatorRandom } from '../random.js';
import type { LoggedCall } from './calls.js';
import type { DicerTimes } from './fleet.js';
import type { DicerHost } from './host.js';
import type { RegistryImage } from './images.js';
import type { EmulatedDicerInstance } from './instance.js';
import type { ClientTls, TlsOptions } from './wire.js';

/** What the emulated Dicer daemon is like. */
export interface DicerEmulatorOptions {
  /** Default: a free one of 127.0.0.1. */
  readonly port?: number;
  /** A Unix socket to listen on, in place of a port. */
  readonly socketPath?: string;
  /** Default: in the clear. */
  readonly tls?: TlsOptions;
  /** A client that pings more often is sent away. Default 10 s. */
  readonly minPingIntervalMs?: number;
  /** The daemon's version. Default `0.3.0`. */
  readonly version?: string;
  /** What the host has; parts that are left out are those of `DEFAULT_HOST`. */
  readonly host?: Partial<DicerHost>;
  /** What can be pulled. Default: GitHub's runner image. */
  readonly registry?: readonly RegistryImage[];
  /** The references that are on the host from the start. Default: all of the registry. */
  readonly images?: readonly string[];
  /** Default: boots at random in 2 to 4 s, stops within 1 s. */
  readonly times?: Partial<DicerTimes>;
  /** Default 2 s. */
  readonly pullMs?: number;
  /** How long an answer takes, by method, in milliseconds. Default 0. */
  readonly latency?: Readonly<Record<string, number>>;
  readonly clock?: EmulatorClock;
  readonly random?: EmulatorRandom;
}

/** A machine for {@link DicerEmulator.addForeignInstance}. */
export interface ForeignInstance {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** What an instance has entered: a state, or nothing when it was deleted. */
export interface DicerInstanceEvent {
  readonly name: string;
  readonly state: keyof typeof InstanceState | undefined;
}

/** Counts since the start. */
export interface DicerStats {
  /** Calls by method, whatever became of them. */
  readonly calls: Readonly<Record<string, number>>;
  /** Refusals by code. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly connections: number;
  readonly pings: number;
}

/** The words gRPC has for a refusal. */
export type RefusalCode =
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'UNIMPLEMENTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'DEADLINE_EXCEEDED';

/** A Dicer host on loopback, and the hand that moves it. */
export interface DicerEmulator {
  /** `127.0.0.1:<port>`, or `unix://` and the path of its socket. */
  readonly address: string;
  /** What a client needs to be let in, when it speaks TLS. */
  readonly tls: ClientTls | undefined;
  readonly host: DicerHost;
  /** Every instance, in the order in which they were made. */
  instances(): readonly EmulatedDicerInstance[];
  /** Puts somebody else's running machine on the host. */
  addForeignInstance(foreign: ForeignInstance): EmulatedDicerInstance;
  /** The guest of an instance ends by itself. */
  crash(name: string): void;
  /** Shows an instance in another state than it is in, with what the daemon says of it. */
  setState(name: string, state: keyof typeof InstanceState, error?: string): void;
  /** Whether the registry of images can be reached. */
  setRegistry(isUp: boolean): void;
  /** Somebody deletes an image from the host. */
  removeImage(ref: string): void;
  /** From now on another client certificate is let in, and the old one is not. */
  renewClient(): void;
  /** Cuts every connection. */
  dropConnections(): void;
  /** Asks every client to go on over another connection. */
  sendAway(): void;
  /** Sets a fault of the connection or the HTTP answer; its operation is a method, such as `CreateInstance`. */
  fault(fault: Fault): void;
  /** The next calls of `method` are refused. Default: one. */
  refuseNext(method: string, code: RefusalCode, times?: number, message?: string): void;
  /** The next call of `method` is carried out and its answer lost with the connection. Default: CreateInstance. */
  dropNextReply(method?: string): void;
  /** The next calls of `method` fail with an error that repeats the whole request. Default: one. */
  echoNextRequest(method: string, times?: number): void;
  /** Takes back every fault and refusal that has not struck yet. */
  clearFaults(): void;
  /** The last calls that reached the service, oldest first. */
  readonly calls: readonly LoggedCall[];
  /** Errors that were no refusals: flaws of the emulator. */
  readonly failures: readonly Error[];
  /** What was asked and made since it started. */
  stats(): DicerStats;
  /** @returns what ends the listening */
  onInstance(listener: (event: DicerInstanceEvent) => void): () => void;
  /** Cuts every machine's power and stops listening. */
  close(): Promise<void>;
}
