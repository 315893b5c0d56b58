import type { ScaleSetAnswer } from '../control/answers.js';

/** A version of the runner program that runners of a scale set have. */
export type VersionUse = NonNullable<ScaleSetAnswer['runner_versions']>[number];

const DAY_MS = 24 * 3_600_000;
/** An end that is nearer than this is warned of. */
const NEAR_MS = 14 * DAY_MS;

/** `gets no jobs from 2027-01-09 on`, or nothing while GitHub has named no day. */
export function endInWords({ end_time: end, refused }: VersionUse): string {
  const day = end?.slice(0, 10);
  if (refused) return day === undefined ? 'gets no jobs any more' : `gets no jobs since ${day}`;
  return day === undefined ? '' : `gets no jobs from ${day} on`;
}

/** Whether somebody has to see to it. @param now epoch milliseconds */
export function isUrgent({ end_time: end, refused }: VersionUse, now: number): boolean {
  return refused === true || (end !== undefined && Date.parse(end) - now <= NEAR_MS);
}
