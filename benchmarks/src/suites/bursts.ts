import { strict as assert } from 'node:assert';
import type { Benchmark, Lab, Measurement, Result } from '../benchmark.js';
import { oncePerRun } from '../once.js';
import type { Seen } from './github-service.js';
import { openWorld } from './github-world.js';
import { forComparison, oneAtATimeMs } from './other-policies.js';

const JOBS = 500;
const REGISTER_MS = 200;
const REGISTERING = 32;
const CREATE_MS = 500;
const CREATING = 64;
/** Acknowledging a message and acquiring what it offers. */
const MESSAGE_MS = 200;
const REFUSAL_MS = 100;
const PAUSE_S = 10;
/** The registration that GitHub answers with 429. */
const REFUSED = 100;
const START_MS = 10_000;
const JOB_MS = 60_000;
const STEP_MS = 1_000;

/**
 * Jobs through two stages of servers, first come first served: each job takes the server that is free earliest.
 * @param from when each job comes
 * @returns when each has left
 */
function stage(from: readonly number[], servers: number, ms: number): readonly number[] {
  const free = new Array<number>(servers).fill(0);
  return from.map((at) => {
    const earliest = free.indexOf(Math.min(...free));
    const end = Math.max(at, free[earliest] ?? 0) + ms;
    free[earliest] = end;
    return end;
  });
}

/** When the last machine is there, if nothing is ever waited for but GitHub and the provider. */
function pipelineMs(jobs: number): number {
  const registered = stage(new Array<number>(jobs).fill(0), REGISTERING, REGISTER_MS);
  return Math.max(...stage(registered, CREATING, CREATE_MS));
}

/**
 * The same when one registration is refused for a while: those in flight with it are registered, and the rest of them
 * begins as the pause ends.
 */
function pausedPipelineMs(): number {
  const begunWith = Math.floor((REFUSED - 1) / REGISTERING) * REGISTERING;
  const resumedMs = (begunWith / REGISTERING) * REGISTER_MS + REFUSAL_MS + PAUSE_S * 1000;
  return resumedMs + pipelineMs(JOBS - begunWith - (REGISTERING - 1));
}

interface Burst {
  /** All from the message's delivery. */
  readonly firstRequestMs: number;
  readonly lastMachineMs: number;
  readonly calls: number;
  readonly registrations: readonly Seen[];
  /** The longest time without an outstanding poll, until all machines are gone again. */
  readonly longestSilenceMs: number;
}

/** One message assigns 500 jobs where there is no runner; all run, and all their machines are deleted. */
async function serveBurst(lab: Lab, refusal?: Readonly<Record<string, string>>): Promise<Burst> {
  const world = await openWorld(lab, { scaleSets: 1, idle: 0, maxRunners: JOBS, jobMs: JOB_MS });
  const { clock, github, provider } = world;
  const [name = ''] = world.names;
  if (refusal) {
    github.refuse = (operation, count) =>
      operation === 'register' && count === REFUSED ? { status: 429, headers: refusal } : undefined;
  }
  await clock.advance(START_MS);
  const begin = clock.now();
  world.assign(name, JOBS);
  for (const end = begin + 60 * JOB_MS; provider.deleted.size < JOBS && clock.now() < end; )
    await clock.advance(STEP_MS);
  await clock.advance(JOB_MS);
  await world.stop();
  assert.equal(provider.made.size, JOBS, 'every job has a machine, and only one');
  assert.equal(world.served, JOBS, 'every job ran');
  assert.equal(provider.machines.size, 0, 'every machine is gone');
  assert.equal(github.runners.count, 0, 'no registration is left');
  const removals = world.happened.filter(({ action }) => action === 'removed');
  assert.ok(
    removals.length === JOBS && removals.every(({ reason }) => reason === 'job_completed'),
    'no runner went but for its job',
  );
  const registrations = github.seen.filter(({ operation }) => operation === 'register');
  return {
    firstRequestMs: Math.min(...provider.asked) - begin,
    lastMachineMs: Math.max(...provider.made.values()) - begin,
    calls: registrations.length + provider.asked.length,
    registrations,
    longestSilenceMs: github.longestSilenceMs,
  };
}

const runBurst = oncePerRun((lab) => serveBurst(lab));
const askedToWait = oncePerRun((lab) => serveBurst(lab, { 'retry-after': String(PAUSE_S) }));

function measured(
  what: string,
  unit: string,
  measure: (lab: Lab) => Promise<{ ours: number; reference: number }>,
  limits: { target: number; bar: number },
): Measurement {
  return {
    what,
    async run(lab): Promise<Result> {
      const { ours, reference } = await measure(lab);
      return { ours, reference, unit, ratio: ours / reference, better: 'lower', ...limits };
    },
  };
}

export const burst: Benchmark = {
  id: 'P01',
  kind: 'virtual',
  what: `one message assigns ${JOBS} jobs where there is no runner`,
  measurements: [
    measured(
      'last machine ÷ the pipeline of registering and creating',
      'ms',
      async (lab) => ({ ours: (await runBurst(lab)).lastMachineMs, reference: pipelineMs(JOBS) }),
      { target: 1.02, bar: 1.05 },
    ),
    measured(
      'registrations and creations ÷ two each',
      'calls',
      async (lab) => ({ ours: (await runBurst(lab)).calls, reference: 2 * JOBS }),
      { target: 1, bar: 1 },
    ),
    forComparison('one machine after the other ÷ the pipeline', 'ms', () => oneAtATimeMs(JOBS), pipelineMs(JOBS)),
  ],
};

export const firstRequest: Benchmark = {
  id: 'P02',
  kind: 'virtual',
  what: 'the same, from the message to the first request for a machine',
  measurements: [
    measured(
      '÷ one registration',
      'ms',
      async (lab) => ({ ours: (await runBurst(lab)).firstRequestMs, reference: REGISTER_MS }),
      { target: 1, bar: 1.25 },
    ),
  ],
};

export const outstandingPoll: Benchmark = {
  id: 'P03',
  kind: 'virtual',
  what: `the longest time without an outstanding poll while ${JOBS} machines are made, and while they are deleted`,
  measurements: [
    measured(
      '÷ acknowledging and acquiring',
      'ms',
      async (lab) => ({ ours: (await runBurst(lab)).longestSilenceMs, reference: MESSAGE_MS }),
      { target: 1, bar: 2.5 },
    ),
  ],
};

export const askedToPause: Benchmark = {
  id: 'P07',
  kind: 'virtual',
  what: `GitHub answers registration ${REFUSED} of ${JOBS} with 429 and Retry-After: ${PAUSE_S}`,
  measurements: [
    measured(
      'last machine ÷ the pipeline with that pause',
      'ms',
      async (lab) => ({ ours: (await askedToWait(lab)).lastMachineMs, reference: pausedPipelineMs() }),
      { target: 1.05, bar: 1.1 },
    ),
    {
      what: 'registrations sent in the pause',
      async run(lab) {
        const { registrations } = await askedToWait(lab);
        const refusals = registrations.filter(({ status }) => status === 429);
        assert.equal(refusals.length, 1, 'it was asked to wait once');
        const from = refusals[0]?.at ?? 0;
        const ours = registrations.filter(({ sentAt }) => sentAt > from && sentAt < from + PAUSE_S * 1000).length;
        return { ours, reference: 0, unit: 'calls', ratio: ours, better: 'lower', target: 0, bar: 0 };
      },
    },
  ],
};
