export interface Wanted {
  readonly paused: boolean;
  /** In force now. */
  readonly minRunners: number;
  readonly maxRunners: number;
  /** Jobs GitHub has assigned and not seen completed, running ones included. */
  readonly assignedJobs: number;
}

/** How many runners there should be: a reserve on top of the jobs, within the maximum; none while paused. */
export function targetOf({ paused, minRunners, maxRunners, assignedJobs }: Wanted): number {
  return paused ? 0 : Math.max(0, Math.min(maxRunners, minRunners + assignedJobs));
}

/** How many runners a scale set has, by what they are good for. */
export interface Counts {
  /** Runners and creations in progress: never above the maximum. */
  readonly alive: number;
  /** Those of them that can take a job, or have one: not under suspicion and not on their way out. */
  readonly able: number;
  /** Of `alive`, those being removed already. */
  readonly removing: number;
  /** Runners GitHub has, and no listing shows, as a provider does not answer: none is created in their place. */
  readonly unseen: number;
}

/** How far to go up or down. At most one of the two is above zero. */
export interface Step {
  readonly create: number;
  readonly giveBack: number;
}

/**
 * What is missing is filled from the runners that can work, as far as the maximum allows for all of them; what is
 * too many is counted over all that are known.
 */
export function stepTowards(target: number, maxRunners: number, { alive, able, removing, unseen }: Counts): Step {
  const create = Math.max(0, Math.min(target - able, maxRunners - alive) - unseen);
  if (create > 0) return { create, giveBack: 0 };
  return { create: 0, giveBack: Math.max(0, alive - removing - target) };
}
