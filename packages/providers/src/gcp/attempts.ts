import type { Refusal } from './errors.js';

/** One way to make a machine. */
export interface Attempt {
  readonly zone: string;
  /** Absent when the instance template gives the type. */
  readonly machineType?: string;
}

/**
 * Every way to make a machine: zones first, in the order of the configuration, in each the types.
 * @param first which zone to begin with; any whole number
 */
export function planAttempts(
  zones: readonly string[],
  machineTypes: readonly string[],
  first: number,
): readonly Attempt[] {
  const start = first % zones.length;
  return [...zones.slice(start), ...zones.slice(0, start)].flatMap((zone) =>
    machineTypes.length === 0 ? [{ zone }] : machineTypes.map((machineType) => ({ zone, machineType })),
  );
}

/** The attempt to make next: the first that was not full a moment ago, else the first. */
export function nextAttempt(rest: readonly Attempt[], wasFull: (attempt: Attempt) => boolean): Attempt | undefined {
  return rest.find((attempt) => !wasFull(attempt)) ?? rest[0];
}

/** The attempts still worth making after `tried`, one of `rest`, came to nothing. */
export function attemptsLeft(
  rest: readonly Attempt[],
  tried: Attempt,
  refusal: Refusal | 'not offered',
): readonly Attempt[] {
  const others = rest.filter((attempt) => attempt !== tried);
  return refusal === 'quota' ? others.filter(({ machineType }) => machineType !== tried.machineType) : others;
}

/** The attempt as a key, and as a person reads it: `ZONE TYPE`. */
export function attemptText({ zone, machineType }: Attempt): string {
  return machineType === undefined ? zone : `${zone} ${machineType}`;
}
