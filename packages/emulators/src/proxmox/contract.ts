import type { EmulatorClock } from '../clock.js';
import type { Fault } from '../faults.js';
import type { EmulatorRandom } from '../random.js';
import type { LoggedRequest } from '../server.js';
import type { PveCatalogue, PveToken } from './catalogue.js';
import type { EmulatedVm, PveStatus } from './vm.js';

/** How long things take, in milliseconds. */
export interface ClusterTimes {
  readonly linkedCloneMs: number;
  readonly fullCloneMs: number;
  readonly startMs: number;
  /** From the start of a VM until its guest agent answers. */
  readonly agentMs: number;
  readonly stopMs: number;
  readonly destroyMs: number;
  /** How long a clone waits for the lock of its storage before it gives up; one storage works on one clone at a time. */
  readonly lockWaitMs: number;
  /** How far `cluster/resources` lags behind with names, statuses and sizes: nodes broadcast them every ten seconds. */
  readonly broadcastMs: number;
}

/** The range free VMIDs are looked for in; the upper end is not part of it. */
export interface NextIdRange {
  readonly lower?: number;
  readonly upper?: number;
}

/** What the emulated cluster is like. */
export interface PveEmulatorOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** Default `9.0.3`. Before 9, the guest agent needs `VM.Monitor`. */
  readonly version?: string;
  /** What the cluster has; parts that are left out are those of `defaultCatalogue`. */
  readonly catalogue?: Partial<PveCatalogue>;
  readonly times?: Partial<ClusterTimes>;
  /** The datacenter option `next-id`; not set by default. */
  readonly nextId?: NextIdRange;
  /** How long answers take, by operation, in milliseconds; `refusal` is for any refusal. */
  readonly latency?: Readonly<Record<string, number>>;
  readonly clock?: EmulatorClock;
  readonly random?: EmulatorRandom;
}

/** A VM for {@link PveEmulator.addVm}. */
export interface ForeignVm {
  readonly name: string;
  /** Default: the lowest that is free. */
  readonly vmid?: number;
  /** Default: the first. */
  readonly node?: string;
  readonly tags?: readonly string[];
  readonly description?: string;
  /** Default `running`. */
  readonly status?: PveStatus;
  readonly lock?: string;
  /** Default 2. */
  readonly cores?: number;
  /** MiB. Default 2048. */
  readonly memory?: number;
}

/** A call that does not come over the network. */
export interface InProcessCall {
  readonly method: string;
  /** Below `/api2/json`, with a slash in front. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
}

/** An answer that was given without a network. */
export interface InProcessAnswer {
  readonly status: number;
  /** What stands after the status. */
  readonly reason: string;
  readonly body: string;
}

/** Something that happened to a VM. */
export interface VmEvent {
  readonly vmid: number;
  readonly status: PveStatus | 'destroyed';
}

/** What a call is refused with. */
export interface PlannedRefusal {
  readonly message: string;
  /** Default 500. */
  readonly status?: number;
  /** How many calls. Default 1. */
  readonly times?: number;
}

/** What {@link PveEmulator.on} can listen to. */
export interface PveEvents {
  readonly vm: VmEvent;
}

/** A Proxmox VE cluster on loopback, and the hand that moves it. */
export interface PveEmulator {
  /** `https://127.0.0.1:<port>` */
  readonly url: string;
  /** Its certificate, as PEM: the authority to trust. */
  readonly certificate: string;
  /** SHA-256 of the certificate, as the web interface shows it. */
  readonly fingerprint: string;
  /** A token it takes. */
  readonly token: PveToken;
  readonly catalogue: PveCatalogue;
  /** Every VM but templates. */
  vms(): readonly EmulatedVm[];
  /** Puts a VM there that was not made through the API. */
  addVm(vm: ForeignVm): EmulatedVm;
  /** Moves a VM to another node, as a migration does. */
  migrate(vmid: number, node: string): void;
  /** Locks a VM, as a backup does, or unlocks it. */
  lock(vmid: number, lock: string | undefined): void;
  /** Whether a VM refuses to be destroyed. */
  protect(vmid: number, isProtected?: boolean): void;
  /** Somebody edits a VM's configuration. */
  edit(vmid: number, change: { readonly tags?: string; readonly description?: string; readonly name?: string }): void;
  /** The VM ends by itself. */
  powerOff(vmid: number): void;
  /** Somebody destroys a VM by other means than this API. */
  remove(vmid: number): void;
  /** Whether a node can be reached. Its VMs go on. */
  setOnline(node: string, online: boolean): void;
  /** Whether the tokens lack a privilege. */
  deny(privilege: string, denied?: boolean): void;
  /** Sets a fault of the connection or the HTTP answer. */
  fault(fault: Fault): void;
  /** The next calls of an operation are refused with a message. */
  refuse(operation: string, refusal: PlannedRefusal): void;
  /** The next tasks of a type (`qmclone`, `qmstart`, …) end with a message and do nothing. Default: one. A clone that ends with
   * `unexpected status` was cut off, and leaves its VM locked. */
  failTasks(type: string, message: string, times?: number): void;
  /** The next call of an operation fails with an error that repeats the whole request. */
  echoNextRequest(operation: string): void;
  /** The next call of an operation is carried out and its answer lost with the connection. */
  dropNextReply(operation: string): void;
  /** Takes back every fault and refusal that has not struck yet. */
  clearFaults(): void;
  /**
   * Answers a call of the first token without the network, for simulations on a clock of their own. Faults of the
   * connection and planned refusals do not strike it.
   */
  ask(call: InProcessCall): Promise<InProcessAnswer>;
  /** How often each operation was called. */
  calls(): Readonly<Record<string, number>>;
  /** The last calls, oldest first. */
  readonly requests: readonly LoggedRequest[];
  /** Errors that were no refusals: flaws of the emulator. */
  readonly failures: readonly Error[];
  /** @returns what ends the listening */
  on<E extends keyof PveEvents>(event: E, listener: (data: PveEvents[E]) => void): () => void;
  /** Cuts every machine's power and stops listening. */
  close(): Promise<void>;
}
