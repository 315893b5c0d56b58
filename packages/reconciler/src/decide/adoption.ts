import type { GitHubStatus, RunnerState } from '@rungar/model';
import { LEFT_GRACE_MS, type Memory, type SeenMachine } from './facts.js';

export type Adoption =
  /** Ours already, or not to be touched now. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'adopt'; readonly state: RunnerState; readonly unknown: boolean }
  /** Its machine had ended before we knew of it. */
  | { readonly kind: 'ended' }
  /** It left a while ago, its end is recorded, and yet its stopped machine is still there. */
  | { readonly kind: 'delete_again' };

export interface AdoptionQuestion {
  readonly seen: SeenMachine;
  readonly memory: Pick<Memory, 'runners' | 'creating' | 'leaving' | 'left' | 'writtenOff'>;
  /** Absent when GitHub was not asked or did not answer. */
  readonly status?: GitHubStatus;
  /** On the monotonic clock. */
  readonly createdAt?: number;
  readonly startTimeoutMs: number;
  readonly now: number;
}

/** What to do with a listed machine of this scale set. Only a listing begun after its name left can bring one back. */
export function decideAdoption({ seen, memory, status, createdAt, startTimeoutMs, now }: AdoptionQuestion): Adoption {
  const { name } = seen.machine;
  if (memory.runners.has(name) || memory.creating.has(name) || memory.leaving.has(name)) return { kind: 'skip' };
  const states = [seen, ...seen.twins].map(({ machine }) => machine.state);
  const ended = states.every((state) => state === 'stopped');
  const leftAt = memory.left.get(name);
  if (leftAt !== undefined) {
    if (seen.begunAt <= leftAt || now - leftAt <= LEFT_GRACE_MS) return { kind: 'skip' };
    if (ended) return { kind: 'delete_again' };
  }
  if (ended) return { kind: 'ended' };
  const unknown = !states.some((state) => state === 'starting' || state === 'running');
  if (unknown && memory.writtenOff.has(name)) return { kind: 'skip' };
  return { kind: 'adopt', state: adoptedState(status, createdAt, startTimeoutMs, now), unknown };
}

/** A runner nobody can vouch for is idle: its removal asks GitHub first, so that is safe. */
function adoptedState(
  status: GitHubStatus | undefined,
  createdAt: number | undefined,
  startTimeoutMs: number,
  now: number,
): RunnerState {
  if (status === 'busy') return 'busy';
  const young = createdAt !== undefined && now - createdAt <= startTimeoutMs;
  return (status === 'offline' || status === 'not_registered') && young ? 'starting' : 'idle';
}

/**
 * A backend's creation time on our own clock, so that ages need no wall clock later.
 * @param createdAt epoch milliseconds by the backend's clock
 * @param clockOffsetMs how far that clock is ahead of the host's
 */
export function onOwnClock(createdAt: number, clockOffsetMs: number, wallNow: number, now: number): number {
  return now - Math.max(0, wallNow - (createdAt - clockOffsetMs));
}
