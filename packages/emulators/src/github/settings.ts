import type { EmulatorClock } from '../clock.js';
import type { EmulatorRandom } from '../random.js';

/** How the emulated GitHub behaves. Every member may be changed while it runs; durations are milliseconds. */
export interface GitHubSettings {
  /**
   * `direct`: a job is assigned to a scale set at once, as github.com does now.
   * `acquire`: it is offered first and assigned when the listener acquires it, as Enterprise Server does.
   */
  personality: 'direct' | 'acquire';
  /**
   * Whether a scale set keeps nothing but its name as its label, as Enterprise Server does before 3.21: others are
   * dropped without a word.
   */
  singleLabel: boolean;
  /** Whether the Actions service begins the names of members with capitals, as some versions of it do. */
  capitalMembers: boolean;
  /** How long a message poll is held while there is nothing to say. */
  pollHoldMs: number;
  /** A session that has not been used for so long is over. */
  sessionExpiryMs: number;
  /** A scale set that has had no session for so long is purged. */
  unusedScaleSetMs: number;
  /** How long an assigned job waits for a runner before the assignment is taken back. */
  assignmentTimeoutMs: number;
  /** How often a job whose assignment was taken back is queued again, before it ends as cancelled. */
  requeues: number;
  /** The wait before it is queued again the first time; twice this the second time, and so on. */
  requeueDelayMs: number;
  /** How late `JobStarted` is sent. */
  jobStartedDelayMs: number;
  /** Of the program that runners on machines are: they say so as they connect. */
  runnerVersion: string;
  /** The versions that GitHub has published, with the day from which they get no jobs, ISO 8601; `null` while there is none. */
  runnerVersions: Readonly<Record<string, string | null>>;
  /** How long a runner's call for work is held while there is none. */
  runnerHoldMs: number;
  /** A runner that has not called for so long is offline. */
  runnerOfflineAfterMs: number;
  /** A job whose runner has been offline for so long has failed. */
  runnerLostAfterMs: number;
  /** The registration of an idle runner that has been offline for so long is removed. */
  runnerForgottenAfterMs: number;
  /** How far the ids in the REST runner listing are from the ids of the Actions service. 0 on github.com. */
  restRunnerIdOffset: number;
  installationTokenMs: number;
  registrationTokenMs: number;
  adminTokenMs: number;
  queueTokenMs: number;
  /** REST calls that one credential may make in a window. */
  rateLimit: number;
  rateWindowMs: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What GitHub does, as far as anybody outside knows. */
export const DEFAULT_SETTINGS: Readonly<GitHubSettings> = {
  personality: 'direct',
  singleLabel: false,
  capitalMembers: false,
  pollHoldMs: 50_000,
  sessionExpiryMs: MINUTE_MS,
  unusedScaleSetMs: 7 * 24 * HOUR_MS,
  assignmentTimeoutMs: 5 * MINUTE_MS,
  requeues: 3,
  requeueDelayMs: 10_000,
  jobStartedDelayMs: 0,
  runnerVersion: '2.337.0',
  runnerVersions: { '2.337.0': null },
  runnerHoldMs: 50_000,
  runnerOfflineAfterMs: 2_000,
  runnerLostAfterMs: 10 * MINUTE_MS,
  runnerForgottenAfterMs: 24 * HOUR_MS,
  restRunnerIdOffset: 0,
  installationTokenMs: HOUR_MS,
  registrationTokenMs: HOUR_MS,
  adminTokenMs: HOUR_MS,
  queueTokenMs: HOUR_MS,
  rateLimit: 5000,
  rateWindowMs: HOUR_MS,
};

/** What the emulated GitHub is like. Times are in milliseconds. */
export interface GitHubEmulatorOptions extends Partial<GitHubSettings> {
  /** A port to listen on; by default a free one. */
  readonly port?: number;
  /**
   * What exists: `acme` (an organisation), `acme/web` (a repository), `enterprises/acme`. The repositories of a listed
   * organisation exist too. Default `['acme']`.
   */
  readonly scopes?: readonly string[];
  /** Accounts of persons, which have no runners of their own. Default none. */
  readonly people?: readonly string[];
  /** Runner groups that every scope has besides `Default`, whose id is 1. They have the ids 2, 3, ... */
  readonly runnerGroups?: readonly string[];
  readonly clock?: EmulatorClock;
  readonly random?: EmulatorRandom;
}
