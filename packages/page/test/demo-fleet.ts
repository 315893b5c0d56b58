import type { Random, RungarEvent } from '@rungar/model';
import { seededRandom } from '@rungar/model/testing';
import type { PageStatus, ScaleSetFacts } from '../src/source.js';
import { event, provider, scaleSet, waitingJob } from './fake-source.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A fleet at a moment, with the events that led to it. */
export interface DemoFleet {
  readonly status: PageStatus;
  readonly events: RungarEvent[];
}

const NAMES = ['build (linux)', 'test (20)', 'test (22)', 'lint', 'e2e', 'package', 'docs', 'release'];
const REPOSITORIES = ['acme/web', 'acme/api', 'acme/mobile', 'acme/infrastructure'];

const RUNNING = 24;

/** A day of a company's fleet, with a little of everything: also of what goes wrong. */
export function demoFleet(now: number): DemoFleet {
  const random = seededRandom(7);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random.fraction() * all.length)] as T;
  const events: RungarEvent[] = [];
  for (let n = 0; n < 420; n++) {
    // The latest ones still run.
    const fromEnd = 420 - n;
    const queued =
      fromEnd > RUNNING
        ? now - (23 * HOUR * fromEnd) / 420 - random.fraction() * MINUTE
        : now - (60 + 20 * fromEnd) * SECOND;
    const run = fromEnd > RUNNING ? (1 + 6 * random.fraction()) * MINUTE : HOUR;
    const isBad = Math.abs(now - queued - 6 * HOUR) < HOUR;
    const set = pick(['linux-small', 'linux-small', 'linux-small', 'linux-large', 'linux-arm']);
    const boot = (isBad ? 150 : 28) * SECOND * (0.7 + random.fraction());
    const fromReserve = set === 'linux-small' && random.fraction() < 0.5;
    events.push(...jobOf(n, { set, queued, boot, fromReserve, run }, pick));
  }
  events.push(
    {
      ...event('full', 'rack', now - 40 * SECOND),
      scaleSet: 'linux-large',
      provider: 'rack',
      message: 'Full: no host has 16 GiB free; linux-large moves on and tries it again in 1m0s',
    },
    {
      ...event('failing', 'frankfurt', now - 25 * SECOND),
      scaleSet: 'linux-arm',
      provider: 'frankfurt',
      message:
        'Failing: InvalidAMIID.NotFound: no ami-0a1b2c3d; linux-arm moves on and tries it again in 5m0s, 3 refusals in a row',
    },
  );
  events.sort((a, b) => a.time - b.time);
  return { status: demoStatus(now), events: events.filter(({ time }) => time <= now) };
}

interface DemoJob {
  readonly set: string;
  readonly queued: number;
  readonly boot: number;
  readonly fromReserve: boolean;
  readonly run: number;
}

function jobOf(n: number, { set, queued, boot, fromReserve, run }: DemoJob, pick: <T>(all: readonly T[]) => T) {
  const runner = `${set}-${(0x1000_0000 + n * 7919).toString(16)}`;
  const home = pick(set === 'linux-small' ? ['rack', 'rack', 'frankfurt'] : ['frankfurt', 'belgium']);
  const assigned = queued + 0.4 * SECOND;
  const created = fromReserve ? queued - 5 * MINUTE : assigned + 3 * SECOND;
  const connected = created + boot;
  const started = Math.max(assigned, connected) + 1.8 * SECOND;
  const finished = started + run;
  const text = (instant: number): string => new Date(instant).toISOString();
  const name = pick(NAMES);
  const repository = pick(REPOSITORIES);
  const place = { scaleSet: set, provider: home };
  return [
    { ...event('created', runner, created), ...place, message: `Created on ${home} in 2s` },
    {
      ...event('connected', runner, connected),
      ...place,
      message: `Connected ${Math.round(boot / SECOND)}s after its machine was created`,
    },
    {
      ...event('job_started', runner, started, {
        ...{ job_id: `j${n}`, job_name: name, repository, wait: `${Math.round(started - queued)}ms` },
        ...{ queued: text(queued), assigned: text(assigned), started: text(started) },
      }),
      ...place,
      message: `Took job ${name} of ${repository}, which had waited ${Math.round((started - queued) / SECOND)}s`,
    },
    {
      ...event('removed', runner, finished + 2 * SECOND, {
        ...{ reason: 'job_completed', job_id: `j${n}`, finished: text(finished) },
        result: n % 9 === 0 ? 'failed' : 'succeeded',
      }),
      ...place,
      message: `Removed from ${home} after its job`,
    },
  ];
}

function demoStatus(now: number): PageStatus {
  const queuedAt = (seconds: number): { queuedAt: number; assignedAt: number } => ({
    queuedAt: now - seconds * SECOND,
    assignedAt: now - seconds * SECOND + 400,
  });
  return {
    github: {
      rateLimit: { limit: 5_000, remaining: 4_321, resetsAt: now + 23 * 60 * SECOND },
      tokenEndsAt: now + 41 * 60 * SECOND,
    },
    scaleSets: [
      scaleSet('linux-small', {
        ...{ providers: ['rack', 'frankfurt', 'belgium'], minRunners: 4, maxRunners: 40, desired: 24, creating: 2 },
        ...{ role: 'lead', machineHours: 74.3 },
        versions: [{ version: '2.335.1', endsAt: now + 6 * 24 * 3600 * SECOND, refused: false }],
        counts: { starting: 3, idle: 4, busy: 17 },
        countsByProvider: {
          rack: { starting: 0, idle: 4, busy: 11 },
          frankfurt: { starting: 2, idle: 0, busy: 4 },
          belgium: { starting: 1, idle: 0, busy: 2 },
        },
        waitingJobs: [waitingJob('w1', { displayName: 'test (22)', ...queuedAt(21) })],
      }),
      scaleSet('linux-large', {
        ...{ providers: ['rack', 'frankfurt'], maxRunners: 12, desired: 7 },
        machineHours: 21.9,
        counts: { starting: 2, idle: 0, busy: 5 },
        countsByProvider: { rack: { starting: 0, idle: 0, busy: 2 }, frankfurt: { starting: 2, idle: 0, busy: 3 } },
        waitingJobs: [
          waitingJob('w2', { displayName: 'e2e', ...queuedAt(64) }),
          waitingJob('w3', { displayName: 'package', ...queuedAt(31) }),
        ],
      }),
      scaleSet('linux-arm', {
        ...{ providers: ['frankfurt', 'belgium'], maxRunners: 8, desired: 3 },
        counts: { starting: 0, idle: 1, busy: 2 },
        countsByProvider: { belgium: { starting: 0, idle: 1, busy: 2 } },
        holdingBackReason: 'linux-arm leaves frankfurt to linux-large, which waits for room there',
      }),
      scaleSet('gpu', {
        ...{ providers: ['belgium'], maxRunners: 2, desired: 0, paused: true },
        pause: { reason: 'new driver', until: now + 3 * 3600 * SECOND },
      }),
      scaleSet('windows', {
        ...{ providers: ['frankfurt'], maxRunners: 4, phase: 'waiting_for_session', retryAt: now + 20 * SECOND },
        ...{ role: 'standby', phaseReason: 'another daemon has its session' },
      }),
    ],
    providers: [
      provider('rack', {
        ...{ endpoint: 'unix:///run/dicer/dicer.sock', maxRunners: 20, runnerCount: 17, machineHours: 61.4 },
        scaleSets: [
          {
            scaleSet: 'linux-large',
            backoffForMs: 20 * SECOND,
            refusals: 1,
            refusal: 'no host has 16 GiB free',
            full: true,
          },
        ],
      }),
      provider('frankfurt', {
        ...{ type: 'aws', endpoint: 'aws:eu-central-1', runnerCount: 11, machineHours: 24.6 },
        scaleSets: [
          {
            scaleSet: 'linux-arm',
            backoffForMs: 275 * SECOND,
            refusals: 3,
            refusal: 'InvalidAMIID.NotFound: no ami-0a1b2c3d',
            full: false,
          },
        ],
        hold: { scaleSet: 'linux-large', remainingMs: 41 * SECOND },
      }),
      provider('belgium', { type: 'gcp', endpoint: 'gcp:acme-ci/europe-west1', runnerCount: 6, machineHours: 10.2 }),
      provider('attic', {
        ...{ type: 'proxmox', endpoint: 'https://pve.attic.example:8006', reachable: false },
        error: 'connect ECONNREFUSED 192.0.2.8:8006',
      }),
    ],
  };
}

const LARGE_PROVIDERS = Array.from({ length: 8 }, (_, n) => `site-${n + 1}`);

/** Fifty scale sets with a thousand runners on eight providers, each time a little different. */
export function largeStatus(random: Random): PageStatus {
  return {
    github: {},
    scaleSets: Array.from({ length: 50 }, (_, n) => largeScaleSet(`set-${n + 1}`, n, random)),
    providers: LARGE_PROVIDERS.map((name) => provider(name, { runnerCount: 125 })),
  };
}

function largeScaleSet(name: string, n: number, random: Random): ScaleSetFacts {
  const homes = [0, 1, 2, 3].map((offset) => LARGE_PROVIDERS[(n + offset) % LARGE_PROVIDERS.length] ?? '');
  const counts = { starting: 0, idle: 0, busy: 0 };
  const countsByProvider = Object.fromEntries(
    homes.map((home) => {
      const busy = Math.floor(random.fraction() * 5);
      const idle = Math.floor(random.fraction() * (6 - busy));
      const here = { starting: 5 - busy - idle, idle, busy };
      counts.starting += here.starting;
      counts.idle += here.idle;
      counts.busy += here.busy;
      return [home, here];
    }),
  );
  return scaleSet(name, { providers: homes, maxRunners: 40, desired: 20, counts, countsByProvider });
}

/** Everything that happens to some of a large fleet's runners between being made and being gone. */
export function largeEvents(from: number, count: number, time: number): RungarEvent[] {
  return Array.from({ length: count }, (_, n) => from + n).flatMap((n) => {
    const job = {
      set: `set-${(n % 50) + 1}`,
      queued: time - 60 * SECOND,
      boot: 30 * SECOND,
      fromReserve: false,
      run: 10 * SECOND,
    };
    return jobOf(n, job, ([first]) => first as never);
  });
}
