import type { ScaleSetStatistics } from '@rungar/model';
import { asShape, integerOf, type Shape } from './read.js';

const countOf = (shape: Shape, name: string): number => Math.max(0, integerOf(shape, name));

/** Nothing where GitHub sent none. */
export function decodeStatistics(value: unknown): ScaleSetStatistics | undefined {
  const shape = asShape(value);
  return (
    shape && {
      availableJobs: countOf(shape, 'totalAvailableJobs'),
      acquiredJobs: countOf(shape, 'totalAcquiredJobs'),
      assignedJobs: countOf(shape, 'totalAssignedJobs'),
      runningJobs: countOf(shape, 'totalRunningJobs'),
      registeredRunners: countOf(shape, 'totalRegisteredRunners'),
      busyRunners: countOf(shape, 'totalBusyRunners'),
      idleRunners: countOf(shape, 'totalIdleRunners'),
    }
  );
}
