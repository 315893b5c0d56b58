import type { GitHubStatus } from '@rungar/model';
import {
  isConnected,
  type LookUp,
  MINUTE,
  type RunnerFacts,
  SECOND_LISTING_MS,
  type SeenFleet,
  type SeenPart,
  type SeenProvider,
  WRITE_OFF_MS,
} from './facts.js';
import type { Proof } from './proof.js';

/** Whether the part of the fleet that would show a runner's machine has answered. */
export type Coverage =
  | { readonly kind: 'answered'; readonly begunAt: number; readonly upToDate: boolean }
  | { readonly kind: 'silent'; readonly keys: readonly string[] };

/** The name of a part in the memory of what does not answer. */
export const partKey = (provider: string, part = ''): string => `${provider}/${part}`;

/**
 * A machine's own part decides, where it is known. One that was never listed may be in any, so all have to answer.
 */
export function coverageOf(place: RunnerFacts['place'], fleet: SeenFleet): Coverage {
  const provider = fleet.providers.get(place.provider);
  if (!provider || provider.error !== undefined) return { kind: 'silent', keys: [partKey(place.provider)] };
  const own = place.part === undefined ? undefined : provider.parts.find(({ part }) => part === place.part);
  const relevant: readonly SeenPart[] = own ? [own] : provider.parts;
  const silent = relevant.filter(({ error }) => error !== undefined);
  if (silent.length > 0) return { kind: 'silent', keys: silent.map(({ part }) => partKey(provider.name, part)) };
  return {
    kind: 'answered',
    begunAt: relevant.reduce((least, { begunAt }) => Math.min(least, begunAt), Number.POSITIVE_INFINITY),
    upToDate: provider.upToDate ?? false,
  };
}

/**
 * Whether a creation that ended unknown at that instant has shown by now whether it made a machine: every part of its
 * provider has been listed since. One that stays silent is given up after a while, like its runners.
 */
export function isSettled(provider: SeenProvider | undefined, since: number, now: number): boolean {
  if (!provider || now - since > WRITE_OFF_MS) return true;
  return (
    provider.error === undefined && provider.parts.every(({ error, begunAt }) => error === undefined && begunAt > since)
  );
}

/** Whether everything that could show the runner has been silent for more than five minutes. */
export function isWrittenOff(keys: readonly string[], unreachable: ReadonlyMap<string, number>, now: number): boolean {
  return keys.every((key) => now - (unreachable.get(key) ?? now) > WRITE_OFF_MS);
}

/** What a listing without the runner's machine means. */
export type Absence =
  /** It proves nothing: too old, or of a machine that need not be visible yet. */
  | { readonly kind: 'none' }
  /** A suspicion: kept, counted, not deleted. */
  | { readonly kind: 'suspect'; readonly since: number; readonly why: string }
  /** A second source agrees. */
  | { readonly kind: 'ended'; readonly since: number; readonly proof: Proof }
  /** GitHub has shown it at rest all the while: it goes, but only once GitHub has given the registration up. */
  | { readonly kind: 'unseen'; readonly since: number; readonly proof: Proof };

export interface AbsenceQuestion {
  readonly runner: RunnerFacts;
  /** When the listing that lacks it was begun. */
  readonly begunAt: number;
  /** Whether that listing has a machine as soon as its creation was answered. */
  readonly upToDate: boolean;
  /** The newest known status, and the look-up made after the listing, if any. */
  readonly status?: GitHubStatus;
  readonly lookUp?: LookUp;
  readonly startTimeoutMs: number;
  readonly now: number;
}

/** A machine missing from one listing is only a suspect; it has ended when a second proof agrees. */
export function decideAbsence(question: AbsenceQuestion): Absence {
  const { runner, begunAt, upToDate, status, lookUp, startTimeoutMs, now } = question;
  if (begunAt <= runner.countedAt) return { kind: 'none' };
  const born = runner.createdAt ?? runner.countedAt;
  if (!runner.listed && !upToDate && now - born <= startTimeoutMs) return { kind: 'none' };
  const since = runner.missingSince ?? begunAt;
  if (lookUp && lookUp.at >= begunAt && lookUp.registration === undefined) {
    return { kind: 'ended', since, proof: ['machine_not_listed', 'not_registered'] };
  }
  if (isConnected(status)) {
    if (now - since <= startTimeoutMs) return { kind: 'suspect', since, why: 'GitHub still shows it connected' };
    if (status === 'busy' || runner.state === 'busy')
      return { kind: 'suspect', since, why: 'GitHub shows it running a job' };
    return { kind: 'unseen', since, proof: ['machine_not_listed', 'machine_not_listed_again'] };
  }
  if (begunAt - since >= SECOND_LISTING_MS) {
    return { kind: 'ended', since, proof: ['machine_not_listed', 'machine_not_listed_again'] };
  }
  return { kind: 'suspect', since, why: 'its machine is missing from a listing' };
}

/** Whether a runner cannot be counted on to take a job, though it still counts. */
export function isSuspect(runner: RunnerFacts, now: number): boolean {
  if (runner.state === 'busy') return false;
  if (runner.state === 'idle' && runner.githubStatus === 'not_registered') return true;
  const doubt = runner.unknownSince ?? (isConnected(runner.githubStatus) ? undefined : runner.missingSince);
  return doubt !== undefined && now - doubt > MINUTE;
}
