import type { PageStatus, ScaleSetFacts } from '../source.js';
import { tenths, wholeSecond } from './rounding.js';
import type { Counts, FleetRow, FleetView } from './view.js';

const NONE: Counts = { starting: 0, idle: 0, busy: 0 };

/** The fleet as a grid at `now`. A provider that has runners and is configured no more gets a column too. */
export function fleetView({ scaleSets, providers }: PageStatus, now: number): FleetView {
  const found = scaleSets.flatMap(({ countsByProvider = {} }) => Object.keys(countsByProvider));
  const columns = [...new Set([...providers.map(({ name }) => name), ...found])];
  const rows = scaleSets.map((scaleSet) => fleetRow(scaleSet, columns, now));
  return {
    providers: columns,
    rows,
    total: sum(rows.flatMap(({ total }) => total ?? [])),
    waitingJobs: rows.reduce((count, row) => count + row.waitingJobs, 0),
  };
}

function fleetRow(scaleSet: ScaleSetFacts, columns: readonly string[], now: number): FleetRow {
  const { name, counts, countsByProvider = {}, desired, retryAt } = scaleSet;
  const own = new Set(scaleSet.providers);
  return {
    scaleSet: name,
    phase: scaleSet.phase,
    paused: scaleSet.paused,
    ...(scaleSet.pause?.until !== undefined && { pausedUntil: wholeSecond(scaleSet.pause.until) }),
    role: scaleSet.role,
    machineHours: tenths(scaleSet.machineHours),
    notes: notesOf(scaleSet, now),
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

/** An end that is nearer than this is warned of. */
const NEAR_MS = 14 * 24 * 3_600_000;

function notesOf({ phaseReason, holdingBackReason, pause, versions }: ScaleSetFacts, now: number): string[] {
  const ending = versions.map(({ version, endsAt, refused }) => {
    if (refused) return `GitHub gives no jobs to version ${version} of the runner program`;
    if (endsAt === undefined || endsAt - now > NEAR_MS) return '';
    return `GitHub gives no jobs to version ${version} of the runner program from ${new Date(endsAt).toISOString().slice(0, 10)} on`;
  });
  const paused = pause?.reason ? `Paused: ${pause.reason}` : '';
  return [phaseReason ?? '', holdingBackReason, paused, ...ending].filter((note) => note !== '');
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
