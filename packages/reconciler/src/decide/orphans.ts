import type { RunnerStatuses } from '@rungar/model';
import type { LookUp } from './facts.js';

export interface OrphanQuestion {
  /** Absent when GitHub was not asked or did not answer: clocks stay as they are. */
  readonly statuses?: RunnerStatuses;
  /** Whether everything that could hold a machine has answered, or been silent for so long that it is given up. */
  readonly fleetKnown: boolean;
  readonly clocks: ReadonlyMap<string, number>;
  readonly lookUps: ReadonlyMap<string, LookUp>;
  readonly isOurName: (name: string) => boolean;
  /** Whether the name is a runner, a creation, leaving, just left, or a machine in the listing. */
  readonly isTracked: (name: string) => boolean;
  readonly scaleSetId: number;
  readonly startTimeoutMs: number;
}

export interface OrphanPlan {
  readonly clocks: ReadonlyMap<string, number>;
  /** Names to look up before they can go. */
  readonly lookUps: readonly string[];
  readonly remove: readonly { readonly name: string; readonly id: number; readonly since: number }[];
}

/**
 * Registrations of this scale set that stay offline without a machine. Two answers more than the start timeout
 * apart have to show one so, and the look-up by name after them has to give it to this very scale set.
 */
export function decideOrphans(question: OrphanQuestion): OrphanPlan {
  const { statuses, fleetKnown, lookUps } = question;
  if (!statuses || !fleetKnown) return { clocks: question.clocks, lookUps: [], remove: [] };
  const clocks = new Map<string, number>();
  const wanted: string[] = [];
  const remove: { name: string; id: number; since: number }[] = [];
  for (const [name, { status }] of statuses.runners) {
    if (status !== 'offline' || !question.isOurName(name) || question.isTracked(name)) continue;
    const since = question.clocks.get(name) ?? statuses.begunAt;
    clocks.set(name, since);
    if (statuses.begunAt - since <= question.startTimeoutMs) continue;
    const lookUp = lookUps.get(name);
    if (!lookUp || lookUp.at < statuses.begunAt) wanted.push(name);
    else if (lookUp.registration?.name === name && lookUp.registration.scaleSetId === question.scaleSetId) {
      remove.push({ name, id: lookUp.registration.id, since });
    }
  }
  return { clocks, lookUps: wanted, remove };
}
