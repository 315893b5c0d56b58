import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ControlClient, createControlClient } from '@rungar/daemon/client';
import type { Lab } from '../benchmark.js';
import { type DaemonProcess, startDaemonProcess, type Usage } from './daemon-process.js';
import type { LoadOptions } from './options.js';
import { type JobCounts, type Services, startServices } from './services.js';
import { follow, idleRunners } from './watchers.js';

const FILL_LIMIT_MS = 900_000;
/** Before memory is looked at for the first time: until then caches and histories fill. */
const SETTLE_SHARE = 0.25;
const STATUS_EVERY_MS = 200;
/** What a heap may differ by from one moment to the next without having grown. */
const SLACK = { factor: 1.15, bytes: 4 * 1024 * 1024 } as const;

export interface LoadResult {
  readonly fillMs: number;
  readonly first: Usage;
  readonly last: Usage;
  readonly betweenMs: number;
  /** Milliseconds each, in ascending order. */
  readonly statusMs: readonly number[];
  readonly jobs: JobCounts;
  /** Events that the followers had, all together. */
  readonly received: number;
  readonly idleAtEnd: number;
}

/** Whether the heap has grown by more than it comes and goes. */
export function hasGrown({ first, last }: Pick<LoadResult, 'first' | 'last'>): boolean {
  return last.heapBytes > first.heapBytes * SLACK.factor + SLACK.bytes;
}

/** A daemon that is full of idle runners. */
export interface FullDaemon {
  readonly daemon: DaemonProcess;
  readonly services: Services;
  readonly socket: string;
  readonly client: ControlClient;
  /** How long it took to fill. */
  readonly fillMs: number;
}

/** Fills a daemon with runners, keeps it busy for a while and measures it. Ends everything it started. */
export function runLoad(options: LoadOptions, lab: Lab): Promise<LoadResult> {
  return withFullDaemon(options, lab, (full) => loadDaemon(full, options, lab));
}

/** Fills a daemon with runners, uses it, and ends everything that was started. */
export async function withFullDaemon<T>(
  options: Pick<LoadOptions, 'runners' | 'scaleSets'>,
  lab: Lab,
  use: (full: FullDaemon) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp('/tmp/rgb-'); // short: the name of a socket may have 103 bytes
  const socket = join(folder, 's');
  const services = await startServices(lab, join(folder, 'd'), options.scaleSets);
  try {
    const config = join(folder, 'config.yaml');
    await writeFile(config, configText(folder, services, options), { mode: 0o600 });
    const daemon = await startDaemonProcess(lab, config);
    try {
      const client = createControlClient(socket);
      const fillMs = await fill(daemon, client, options.runners, lab);
      return await use({ daemon, services, socket, client, fillMs });
    } finally {
      daemon.kill();
    }
  } finally {
    services.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(daemon: DaemonProcess, client: ControlClient, runners: number, lab: Lab): Promise<number> {
  const begun = lab.now();
  // A look at its usage also tells of a daemon that did not start.
  while ((await daemon.usage()) && (await idleRunners(client).catch(() => 0)) < runners) {
    if (lab.now() - begun > FILL_LIMIT_MS) throw new Error(`no ${runners} runners were idle in time`);
    await pause(1_000);
  }
  return lab.now() - begun;
}

async function loadDaemon(
  { daemon, services, socket, client, fillMs }: FullDaemon,
  options: LoadOptions,
  lab: Lab,
): Promise<LoadResult> {
  const followers = follow(socket, options.followers);
  const statusMs: number[] = [];
  const keepBusy = async (ms: number): Promise<void> => {
    const start = lab.now();
    let queued = 0;
    while (lab.now() - start < ms) {
      const due = Math.floor(((lab.now() - start) / 1000) * options.jobsPerSecond);
      if (due > queued) await services.queue(due - queued);
      queued = due;
      const asked = lab.now();
      await client.getStatus({});
      statusMs.push(lab.now() - asked);
      await pause(STATUS_EVERY_MS);
    }
  };
  await keepBusy(options.seconds * 1000 * SETTLE_SHARE);
  const first = await daemon.usage();
  const from = lab.now();
  statusMs.length = 0;
  await keepBusy(options.seconds * 1000 * (1 - SETTLE_SHARE));
  const last = await daemon.usage();
  const betweenMs = lab.now() - from;
  const idleAtEnd = await idleRunners(client);
  const received = followers.received.reduce((sum, count) => sum + count, 0);
  await followers.stop();
  const jobs = await services.queue(0);
  await daemon.stop();
  statusMs.sort((a, b) => a - b);
  return { fillMs, first, last, betweenMs, statusMs, jobs, received, idleAtEnd };
}

/** The events kept are few, so that they are complete before memory is looked at for the first time. */
function configText(
  folder: string,
  { githubUrl, token, dicer }: Services,
  options: Pick<LoadOptions, 'runners' | 'scaleSets'>,
): string {
  const least = Math.ceil(options.runners / options.scaleSets);
  const sets = Array.from(
    { length: options.scaleSets },
    (_, at) => `  - {name: set-${at}, min_runners: ${least}, max_runners: ${least + 10}, providers: [host]}`,
  );
  return `version: 1
github: {url: "${githubUrl}", token: "${token}"}
socket: ${folder}/s
events: {file: ${folder}/events.jsonl, max_count: 100}
providers:
  - name: host
    type: dicer
    address: "${dicer}"
    runner: {image: "ghcr.io/actions/actions-runner:latest", vcpus: 1, memory: 1GiB}
scale_sets:
${sets.join('\n')}
`;
}
