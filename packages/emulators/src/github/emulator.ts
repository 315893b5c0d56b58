import type { Fault } from '../faults.js';
import type { EmulatedMachine } from '../machine/machine.js';
import type { JobResult } from '../machine/runner-client.js';
import type { LoggedRequest } from '../server.js';
import type { EmulatedApp, Grants, NewApp } from './credentials.js';
import type { GitHubListener } from './events.js';
import type { NewJob } from './jobs.js';
import type { GitHubSettings } from './settings.js';
import type { JobView, RunnerView, ScaleSetView, SessionView } from './views.js';

/** A scale set to have from the start, as if somebody had created it before. */
export interface NewScaleSetOptions {
  /** Default: the first scope. */
  readonly scope?: string;
  readonly name: string;
  /** Default `Default`. */
  readonly runnerGroup?: string;
  /** Default: its name. */
  readonly labels?: readonly string[];
}

/** Everything that can be done to an emulated GitHub from outside. */
export interface GitHubControls {
  /** May be changed at any time; what is under way keeps the times it began with. */
  readonly settings: GitHubSettings;

  /** Makes a GitHub App and installs it. */
  createApp(app?: NewApp): Promise<EmulatedApp>;
  /** @returns a personal access token */
  createToken(grants?: Grants): string;
  /** Makes all tokens of a kind worthless before their time. */
  expireTokens(kind: 'installation' | 'admin' | 'queue'): void;

  /** Queues one job. */
  queueJob(job: NewJob): JobView;
  /** Queues jobs in one go, so that a listener hears of them in one message. */
  queueJobs(jobs: readonly NewJob[]): readonly JobView[];
  /** @throws RangeError when there is no such job */
  cancelJob(id: string): void;
  /** Ends a job before its time, as if its runner had reported the result. @throws RangeError when it does not run */
  finishJob(id: string, result: JobResult): void;
  /** All jobs ever queued, oldest first. */
  jobs(): readonly JobView[];
  /** The registrations there are. */
  runners(): readonly RunnerView[];
  /** The scale sets there are. */
  scaleSets(): readonly ScaleSetView[];
  /** The sessions that are open. */
  sessions(): readonly SessionView[];

  /** @throws RangeError when the scope or the group does not exist, or the name is taken */
  addScaleSet(scaleSet: NewScaleSetOptions): ScaleSetView;
  /** Removes a scale set as GitHub does one that nobody has used for a week. @throws RangeError when it does not exist */
  purgeScaleSet(id: number): void;
  /**
   * Opens a session on a scale set as somebody else would; it never expires.
   * @returns closes it
   * @throws RangeError when the scale set does not exist, or has a session
   */
  holdSession(scaleSetId: number, ownerName: string): () => void;
  /** Ends a session as GitHub does one it has forgotten. @throws RangeError when there is no such session */
  endSession(id: string): void;
  /** Switches a machine on that was given this JIT configuration. It ends with the emulator, at the latest. */
  startRunner(encodedJitConfig: string, options?: { readonly bootMs?: number }): EmulatedMachine;

  /**
   * Cuts the power of the machine that {@link GitHubControls.startRunner} started for a runner. The registration stays,
   * and is offline a moment later.
   * @throws RangeError when there is no such machine
   */
  disconnectRunner(name: string): void;

  /** @throws RangeError when there is no such operation */
  setFault(fault: Fault): void;
  /** Takes back all faults, or those of one operation. */
  clearFaults(operation?: string): void;

  /** @returns stops listening */
  on(listener: GitHubListener): () => void;
  /**
   * Resolves as soon as `check` holds; it is asked now, after each event, and whenever a poll begins or ends.
   * @throws the signal's reason when `signal` aborts first
   */
  until(check: () => boolean, signal?: AbortSignal): Promise<void>;
}

/** GitHub on loopback. */
export interface GitHubEmulator extends GitHubControls {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** What a person would put into a configuration: the URL of the first scope. */
  readonly configUrl: string;
  /** The last calls, oldest first. */
  readonly requests: readonly LoggedRequest[];
  /** How often each operation was called. */
  readonly counts: ReadonlyMap<string, number>;
  /** Flaws of the emulator itself that have come up. */
  readonly failures: readonly Error[];

  /** Ends every connection, timer and runner. */
  close(): Promise<void>;
}
