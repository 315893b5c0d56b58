import type { Machine, MachineState } from '@rungar/model';
import type { LeavingFacts, Memory, RunnerFacts, SeenFleet, SeenMachine, SeenPart } from '../src/decide/facts.js';
import { labelsOf } from './world.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** Some instant on the monotonic clock. */
export const NOW = 1_900_000_000_000;

/** An idle runner an hour old, on provider `a`, of the current revision and seen by both sides. Undefined takes a fact away. */
export function aRunner(over: { [K in keyof RunnerFacts]?: RunnerFacts[K] | undefined } = {}): RunnerFacts {
  const facts = {
    name: 'vm-00000001',
    place: { provider: 'a', part: 'zone', id: 'i-1' },
    twins: [],
    state: 'idle',
    size: 'small',
    adopted: false,
    revision: 'current',
    createdAt: NOW - HOUR,
    countedAt: NOW - HOUR,
    listed: true,
    removing: false,
    ...over,
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as unknown as RunnerFacts;
}

export function aSeenMachine(
  over: {
    name?: string;
    state?: MachineState;
    begunAt?: number;
    createdAt?: number;
    twins?: SeenMachine[];
    provider?: string;
  } = {},
): SeenMachine {
  const { name = 'vm-00000001', state = 'running', begunAt = NOW, twins = [], provider = 'a' } = over;
  const machine: Machine = {
    name,
    id: 'i-1',
    labels: labelsOf(name, { revision: 'current' }),
    state,
    size: 'small',
    ...(over.createdAt !== undefined && { createdAt: over.createdAt }),
  };
  return { provider, part: 'zone', begunAt, machine, twins };
}

/** A fleet of one provider `a`. */
export function aFleet(machines: SeenMachine[], over: { error?: string; parts?: SeenPart[] } = {}): SeenFleet {
  const { error, parts = [{ part: 'zone', begunAt: NOW }] } = over;
  return {
    providers: new Map([
      [
        'a',
        { name: 'a', parts: error === undefined ? parts : [], clockOffsetMs: 0, ...(error !== undefined && { error }) },
      ],
    ]),
    machines: new Map(machines.map((seen) => [seen.machine.name, seen])),
  };
}

export function aMemory(over: Partial<Memory> = {}): Memory {
  return {
    runners: new Map(),
    creating: new Set(),
    leaving: new Map(),
    left: new Map(),
    orphans: new Map(),
    unreachable: new Map(),
    writtenOff: new Set(),
    creationFailed: false,
    desired: 1,
    alive: 1,
    hasCandidate: true,
    ...over,
  };
}

export const named = (...runners: RunnerFacts[]): Map<string, RunnerFacts> =>
  new Map(runners.map((runner) => [runner.name, runner]));

export function aLeaving(over: Partial<LeavingFacts> = {}): LeavingFacts {
  return { runner: aRunner(), deleted: false, deleting: false, deleteFailures: 0, deleteAgainAt: 0, ...over };
}
