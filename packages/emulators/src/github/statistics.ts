import type { ScaleSet } from './entities.js';

/** The counts that go with every message and session. */
export interface Statistics {
  /** Offered, and not acquired yet. */
  readonly totalAvailableJobs: number;
  /** Acquired, and waiting for a runner. */
  readonly totalAcquiredJobs: number;
  /** The scale set's and not finished, running ones included. */
  readonly totalAssignedJobs: number;
  readonly totalRunningJobs: number;
  readonly totalRegisteredRunners: number;
  readonly totalBusyRunners: number;
  readonly totalIdleRunners: number;
}

/** The statistics of a scale set as it is now. */
export function statisticsOf(scaleSet: ScaleSet): Statistics {
  const runners = [...scaleSet.runners];
  const busy = runners.filter(({ job }) => job !== undefined).length;
  return {
    totalAvailableJobs: scaleSet.offered.size,
    totalAcquiredJobs: [...scaleSet.assigned].filter(({ requestId }) => requestId !== 0).length,
    totalAssignedJobs: scaleSet.assigned.size + scaleSet.running.size,
    totalRunningJobs: scaleSet.running.size,
    totalRegisteredRunners: runners.length,
    totalBusyRunners: busy,
    totalIdleRunners: runners.filter(({ online, job }) => online && job === undefined).length,
  };
}

/** What a confused service sends. */
export const ZERO_STATISTICS: Statistics = {
  totalAvailableJobs: 0,
  totalAcquiredJobs: 0,
  totalAssignedJobs: 0,
  totalRunningJobs: 0,
  totalRegisteredRunners: 0,
  totalBusyRunners: 0,
  totalIdleRunners: 0,
};
