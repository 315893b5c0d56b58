import type { LeavingFacts, Memory, RunnerFacts, Seen } from '../decide/facts.js';
import type { PassPlan } from '../decide/plan.js';
import type { PassContext } from '../decide/plan-pass.js';
import type { ScalingPlan, ScalingQuestion } from '../decide/plan-scaling.js';
import { toPlain } from './plain.js';

/** The form of a recording; another one is not read. */
export const RECORD_VERSION = 1;

/** Takes a recording line by line; never waits and never throws. */
export interface Recorder {
  /**
   * Takes one line.
   * @param line one JSON document without a line break (docs/guides/plan-explain-replay.md)
   */
  record(line: string): void;
}

/** A pass: what was seen and remembered, and the plan made from it. */
export interface PassRecord {
  readonly kind: 'pass';
  readonly scaleSet: string;
  /** Epoch milliseconds by the wall clock. */
  readonly at: number;
  readonly context: PassContext;
  readonly seen: Seen;
  readonly memory: Memory;
  readonly plan: PassPlan;
}

/** A scaling decision that began something or changed the target. */
export interface ScalingRecord {
  readonly kind: 'scaling';
  readonly scaleSet: string;
  /** Epoch milliseconds by the wall clock. */
  readonly at: number;
  readonly question: ScalingQuestion;
  readonly plan: ScalingPlan;
}

/** One decision, with all it was made from (docs/guides/plan-explain-replay.md). */
export type DecisionRecord = PassRecord | ScalingRecord;

/** A record as a line. Everything is copied: what it was made from may change afterwards. */
export function recordLine(record: DecisionRecord): string {
  const { kind, scaleSet, at, ...rest } = record;
  const facts = record.kind === 'pass' ? { ...rest, seen: seenData(record.seen), memory: dataOf(record.memory) } : rest;
  return JSON.stringify({
    v: RECORD_VERSION,
    kind,
    scale_set: scaleSet,
    at: new Date(at).toISOString(),
    ...(toPlain(facts) as Record<string, unknown>),
  });
}

/** What planning reads of a listing, however its owner keeps it. */
function seenData({ fleet: { providers, machines }, ...rest }: Seen): Seen {
  return { fleet: { providers, machines }, ...rest };
}

/** What planning reads of a scale set's memory, less what its owner keeps there beside it. */
function dataOf(memory: Memory): Memory {
  return {
    ...memory,
    runners: new Map([...memory.runners].map(([name, runner]) => [name, runnerData(runner)])),
    creating: new Set(memory.creating.keys()),
    leaving: new Map([...memory.leaving].map(([name, leaving]) => [name, leavingData(leaving)])),
  };
}

/** Which facts of a runner are recorded. Its job is not: decisions read its state alone. */
const RUNNER_FACTS = {
  name: true,
  place: true,
  twins: true,
  state: true,
  job: false,
  size: true,
  adopted: true,
  revision: true,
  createdAt: true,
  countedAt: true,
  connectedAt: true,
  githubStatus: true,
  toldAt: true,
  offlineSince: true,
  listed: true,
  missingSince: true,
  unknownSince: true,
  removing: true,
} as const satisfies Record<keyof RunnerFacts, boolean>;

const LEAVING_FACTS = {
  runner: true,
  outcome: true,
  endedAt: true,
  endProof: true,
  deleted: true,
  deleting: true,
  deleteFailures: true,
  deleteAgainAt: true,
} as const satisfies Record<keyof LeavingFacts, boolean>;

/** A copy of what decisions read of a runner. */
export function runnerData(runner: RunnerFacts): RunnerFacts {
  return pick(runner, RUNNER_FACTS);
}

function leavingData(leaving: LeavingFacts): LeavingFacts {
  return { ...pick(leaving, LEAVING_FACTS), runner: runnerData(leaving.runner) };
}

/** The facts that are to be recorded and are there: what else its owner keeps in the same object stays out. */
function pick<T extends object>(from: T, wanted: Readonly<Record<keyof T & string, boolean>>): T {
  const keys = (Object.keys(wanted) as (keyof T & string)[]).filter((key) => wanted[key] && from[key] !== undefined);
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as T;
}
