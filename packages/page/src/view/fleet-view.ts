import type { PageStatus, ScaleSetFacts } from '../source.js';
import type { Counts, FleetRow, FleetView } from './view.js';

const NONE: Counts = { starting: 0, idle: 0, busy: 0 };

/** The fleet as a grid. A provider that has runners and is configured no more gets a column too. */
export function fleetView({ scaleSets, providers }: PageStatus): FleetView {
  const found = scaleSets.flatMap(({ countsByProvider = {} }) => Object.keys(countsByProvider));
  const columns = [...new Set([...providers.map(({ name }) => name), ...found])];
  const rows = scaleSets.map((scaleSet) => fleetRow(scaleSet, columns));
  return {
    providers: columns,
    rows,
    total: sum(rows.flatMap(({ total }) => total ?? [])),
    waitingJobs: rows.reduce((count, row) => count + row.waitingJobs, 0),
  };
}

function fleetRow(scaleSet: ScaleSetFacts, columns: readonly string[]): FleetRow {
  const { name, counts, countsByProvider = {}, desired, retryAt } = scaleSet;
  const own = new Set(scaleSet.providers);
  return {
    scaleSet: name,
    phase: scaleSet.phase,
    paused: scaleSet.paused,
    notes: [scaleSet.phaseReason ?? '', scaleSet.holdingBackReason].filter((note) => note !== ''),
    ...(retryAt !== undefined && { retryAt: wholeSecond(retryAt) }),
    minRunners: scaleSet.minRunners,
    maxRunners: scaleSet.maxRunners,
    ...(desired !== undefined && { desired }),
    creating: scaleSet.creating,
    suspects: scaleSet.suspects,
    waitingJobs: scaleSet.waitingJobs.length,
    ...(counts && { total: counts }),
    cells: columns.map((column) => {
      const here = Object.hasOwn(countsByProvider, column) ? countsByProvider[column] : undefined;
      return here ?? (own.has(column) ? NONE : null);
    }),
  };
}

function sum(all: readonly Counts[]): Counts {
  const total = { ...NONE };
  for (const { starting, idle, busy } of all) {
    total.starting += starting;
    total.idle += idle;
    total.busy += busy;
  }
  return total;
}

/** An instant that is worked out anew each time moves a little each time: not so by whole seconds. */
export function wholeSecond(instant: number): number {
  return Math.round(instant / 1000) * 1000;
}
