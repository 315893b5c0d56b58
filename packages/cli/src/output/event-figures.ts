import type { EventMeasure, EventStatsDocument } from '../events/stats.js';
import type { TimelineDocument, TimelineStep } from '../events/timeline.js';
import { type ListColumn, listTable } from './listing.js';
import type { View } from './view.js';
import { localTime, span } from './words.js';

const MEASURE_COLUMNS: readonly ListColumn<EventMeasure>[] = [
  { title: 'SCALE SET', cell: (one, { style }) => style.cyan(one.scale_set || '-') },
  { title: 'PROVIDER', cell: ({ provider }) => provider || '-' },
  { title: 'MEASURE', cell: ({ measure }) => measure.replace('_', ' ') },
  { title: 'COUNT', cell: ({ count }) => String(count) },
  { title: 'P50', cell: (one) => seconds(one.p50_seconds) },
  { title: 'P95', cell: (one) => seconds(one.p95_seconds) },
  { title: 'MAX', cell: (one) => seconds(one.max_seconds) },
];

/** How long things took, line by line. */
export function statsLines({ from, to, measures }: EventStatsDocument, view: View): string[] {
  if (from === null || to === null) return [view.style.dim('no events')];
  const range = view.style.dim(`events from ${localTime(Date.parse(from))} to ${localTime(Date.parse(to))}`);
  if (measures.length === 0) return [range, view.style.dim('none of them tells how long something took')];
  return [range, ...listTable(measures, MEASURE_COLUMNS, { wide: false, headers: true }, view)];
}

const STEP_COLUMNS: readonly ListColumn<TimelineStep>[] = [
  { title: 'TIME', cell: ({ time }) => localTime(Date.parse(time)) },
  { title: 'AFTER', cell: (one) => `+${seconds(one.after_seconds)}` },
  { title: 'TOTAL', expendable: 2, cell: (one) => seconds(one.total_seconds) },
  { title: 'BY', expendable: 3, cell: ({ by }) => (by === 'github' ? 'GitHub' : 'Rungar') },
  { title: 'WHAT', cell: ({ what }) => what },
  { title: 'MESSAGE', expendable: 1, cell: ({ message }) => message },
];

/** One runner's life, line by line. */
export function timelineLines(
  { runner, scale_set: scaleSet, provider, steps }: TimelineDocument,
  view: View,
): string[] {
  const { style } = view;
  return [
    `${style.bold(runner)} ${style.dim(`of ${scaleSet || '-'} on ${provider || '-'}`)}`,
    ...listTable(steps, STEP_COLUMNS, { wide: false, headers: true, indent: 2 }, view),
  ];
}

/** Below a minute with a tenth: `4.2s`, `1m30s`. */
function seconds(value: number): string {
  return value < 60 ? `${Number(value.toFixed(1))}s` : span(value * 1000);
}
