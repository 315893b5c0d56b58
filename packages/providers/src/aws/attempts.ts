import { createHash } from 'node:crypto';
import type { Refusal } from './errors.js';

/** One way to make a machine. */
export interface Attempt {
  readonly subnet: string;
  /** Absent when the launch template gives the type. */
  readonly instanceType?: string;
}

/** Every way to make a machine, subnets first, in the order of the configuration. */
export function planAttempts(subnets: readonly string[], instanceTypes: readonly string[]): readonly Attempt[] {
  return subnets.flatMap((subnet) =>
    instanceTypes.length === 0 ? [{ subnet }] : instanceTypes.map((instanceType) => ({ subnet, instanceType })),
  );
}

/** The attempt to make next: the first that was not full a moment ago, else the first. */
export function nextAttempt(rest: readonly Attempt[], wasFull: (attempt: Attempt) => boolean): Attempt | undefined {
  return rest.find((attempt) => !wasFull(attempt)) ?? rest[0];
}

/** The attempts still worth making after `tried`, one of `rest`, was refused. */
export function attemptsLeft(rest: readonly Attempt[], tried: Attempt, refusal: Refusal): readonly Attempt[] {
  switch (refusal) {
    case 'full':
    case 'unsupported':
      return rest.filter((attempt) => attempt !== tried);
    case 'quota':
      return rest.filter((attempt) => attempt !== tried && attempt.instanceType !== tried.instanceType);
    case 'throttled':
    case 'invalid':
    case 'uncertain':
    case 'unreachable':
    case 'other':
      return [];
  }
}

/** The attempt as a key, and as a person reads it: `SUBNET TYPE`. */
export function attemptText({ subnet, instanceType }: Attempt): string {
  return instanceType === undefined ? subnet : `${subnet} ${instanceType}`;
}

/**
 * The token by which EC2 knows a repetition: the same for every request of one attempt, another for each attempt,
 * as EC2 refuses one token with other parameters. 64 characters, the most EC2 takes.
 */
export function clientToken(runner: string, { subnet, instanceType = '' }: Attempt): string {
  return createHash('sha256')
    .update(JSON.stringify([runner, subnet, instanceType]))
    .digest('hex');
}
