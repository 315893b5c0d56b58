import type { SimulatedRun, Simulator } from './simulate.js';
import { finish, type Steps } from './steps.js';

/** One pool size, and what it buys. Times are in the unit of the durations. */
export interface CurvePoint {
  readonly n: number;
  readonly time: number;
  readonly busy: number;
  readonly longestGap: number;
  readonly peakBuilds: number;
  readonly fellOver: number;
}

/** What is known before any run. */
export interface CurveBounds {
  /** The largest size of interest. */
  readonly most: number;
  /** The time no run can be shorter than. */
  readonly lowerBound: number;
  /** Whether a run without a lack of slots is the same in everything on a larger pool. */
  readonly sameOnMore: boolean;
}

/** Every pool size up to this one is simulated: larger ones are not generated. */
const EVERY_SIZE = 1000;
/** With the shortest time reached, sizes beyond this are looked at in steps. */
const EVERY_SIZE_AFTER_BOUND = 64;
const STEP = 1.25;

/**
 * Runs the plan on 1, 2, 3 … nodes.
 *
 * A run that never lacks a free slot is the same on any larger pool, so it is not simulated again. Where nothing can
 * be gained any more (the lower bound is reached) or no pool is that large, only some sizes are looked at: each is
 * simulated, none is made up.
 */
export function sizeCurve(run: Simulator, bounds: CurveBounds): CurvePoint[] {
  return finish(curveSteps(run, bounds));
}

/** {@link sizeCurve}, a step for each size. */
export function* curveSteps(run: Simulator, { most, lowerBound, sameOnMore }: CurveBounds): Steps<CurvePoint[]> {
  const points: CurvePoint[] = [];
  let enough: SimulatedRun | undefined;
  let bounded = false;
  for (let n = 1; n <= most; n = nextSize(n, most, bounded)) {
    const result = enough ?? run(n);
    if (sameOnMore && !result.shortOfNodes) enough = result;
    if (result.time <= lowerBound) bounded = true;
    points.push({
      n,
      time: result.time,
      busy: result.busy,
      longestGap: result.longestGap,
      peakBuilds: result.peakBuilds,
      fellOver: result.fellOver,
    });
    if (enough === undefined) yield;
  }
  return points;
}

function nextSize(n: number, most: number, bounded: boolean): number {
  const inSteps = n >= EVERY_SIZE || (bounded && n >= EVERY_SIZE_AFTER_BOUND);
  const next = inSteps ? Math.ceil(n * STEP) : n + 1;
  return n < most && next > most ? most : next;
}

/**
 * The smallest size whose time is within `percent` of the best one. Times may rise with the size, so the best one is
 * looked for among all.
 */
export function kneeOf(points: readonly CurvePoint[], percent: number): CurvePoint | undefined {
  const best = points.reduce((least, { time }) => Math.min(least, time), Number.POSITIVE_INFINITY);
  return points.find(({ time }) => time * 100 <= best * (100 + percent));
}
