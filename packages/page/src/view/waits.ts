import type { HourOfWaits, ScaleSetWaits, WaitFigures, WaitsView } from './view.js';

const HOUR_MS = 3_600_000;
const HOURS = 24;
const SCALE_SETS_SHOWN = 20;

/** How long one job waited, and when it started. */
export interface Wait {
  readonly at: number;
  readonly ms: number;
  readonly scaleSet: string;
}

/** When the earliest hour begins that is shown at `now`. Hours begin when they do in UTC. */
export function dayStart(now: number): number {
  return Math.floor(now / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS;
}

/**
 * The waits of the latest 24 hours.
 * @param firstKnown when the oldest event known happened
 */
export function waitsView(waits: readonly Wait[], firstKnown: number | undefined, now: number): WaitsView {
  const start = dayStart(now);
  const recent = waits.filter(({ at }) => at >= start);
  const byHour = grouped(recent, ({ at }) => Math.min(HOURS - 1, Math.floor((at - start) / HOUR_MS)));
  const hours = Array.from(
    { length: HOURS },
    (_, hour): HourOfWaits => ({ from: start + hour * HOUR_MS, ...figures(byHour.get(hour) ?? []) }),
  );
  const scaleSets = [...grouped(recent, ({ scaleSet }) => scaleSet)]
    .map(([scaleSet, all]): ScaleSetWaits => ({ scaleSet, ...figures(all) }))
    .sort((a, b) => (b.p95 ?? 0) - (a.p95 ?? 0) || (a.scaleSet < b.scaleSet ? -1 : 1))
    .slice(0, SCALE_SETS_SHOWN);
  return {
    hours,
    day: figures(recent),
    scaleSets,
    ...(firstKnown !== undefined && firstKnown > start && { knownSince: firstKnown }),
  };
}

function grouped<Key>(waits: readonly Wait[], keyOf: (wait: Wait) => Key): Map<Key, Wait[]> {
  const groups = new Map<Key, Wait[]>();
  for (const wait of waits) {
    const key = keyOf(wait);
    const group = groups.get(key);
    if (group) group.push(wait);
    else groups.set(key, [wait]);
  }
  return groups;
}

function figures(waits: readonly Wait[]): WaitFigures {
  const sorted = waits.map(({ ms }) => ms).sort((a, b) => a - b);
  const p50 = percentile(sorted, 50);
  const p95 = percentile(sorted, 95);
  return { jobs: sorted.length, ...(p50 !== undefined && { p50 }), ...(p95 !== undefined && { p95 }) };
}

/** The least value that is no less than `percent` of all: always one that occurred. */
export function percentile(sorted: readonly number[], percent: number): number | undefined {
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1];
}
