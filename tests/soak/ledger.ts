import type { SimJob } from '../simulation/github.js';
import type { CallCounts } from './calls.js';
import type { ByHour, IncidentSeen, SoakResult, Waits } from './result.js';
import { WaitCounts } from './waits.js';

/** What is there at an instant. */
export interface Present {
  readonly machines: number;
  readonly busy: number;
  /** Connected, and waiting for a job. */
  readonly idle: number;
}

/** When something went on, in milliseconds of the run's clock. */
export interface Window {
  readonly what: string;
  readonly from: number;
  readonly to: number;
}

const MINUTES_PER_HOUR = 60;
const round = (value: number, digits: number): number => Number(value.toFixed(digits));

/** Everything the report is made of, summed up as it happens: what it keeps does not grow with the number of jobs. */
export class Ledger {
  readonly #calls: CallCounts;
  readonly #start: number;
  readonly #windows: readonly { readonly window: Window; readonly waits: WaitCounts }[];
  readonly #all = new WaitCounts();
  readonly #calm = new WaitCounts();
  readonly #inIncidents = new WaitCounts();
  readonly #thisHour = new WaitCounts();
  readonly #bySet = new Map<string, WaitCounts>();
  readonly #hours = { jobs: [0], machines: [0], busy: [0] };
  readonly #waitP50: (number | null)[] = [];
  readonly #waitP99: (number | null)[] = [];
  readonly #minutes = { machines: 0, busy: 0, idle: 0 };
  #most = 0;

  constructor(calls: CallCounts, start: number, windows: readonly Window[]) {
    this.#calls = calls;
    this.#start = start;
    this.#windows = windows.map((window) => ({ window, waits: new WaitCounts() }));
  }

  onQueued(): void {
    add(this.#hours.jobs, 1);
  }

  onBegin({ scaleSet, queuedAt, takenAt }: SimJob): void {
    const ms = takenAt - queuedAt;
    this.#all.add(ms);
    this.#thisHour.add(ms);
    let own = this.#bySet.get(scaleSet);
    if (!own) {
      own = new WaitCounts();
      this.#bySet.set(scaleSet, own);
    }
    own.add(ms);
    const met = this.#windows.filter(({ window }) => queuedAt < window.to && takenAt >= window.from);
    for (const { waits } of met) waits.add(ms);
    (met.length > 0 ? this.#inIncidents : this.#calm).add(ms);
  }

  /** Once a minute. */
  sample({ machines, busy, idle }: Present): void {
    this.#minutes.machines += machines;
    this.#minutes.busy += busy;
    this.#minutes.idle += idle;
    this.#most = Math.max(this.#most, machines);
    add(this.#hours.machines, machines / MINUTES_PER_HOUR);
    add(this.#hours.busy, busy / MINUTES_PER_HOUR);
  }

  endHour(): void {
    this.#calls.endHour();
    const waits = this.#thisHour.summary();
    this.#waitP50.push(waits?.p50 ?? null);
    this.#waitP99.push(waits?.p99 ?? null);
    this.#thisHour.clear();
    for (const hours of Object.values(this.#hours)) hours.push(0);
  }

  waits(): SoakResult['waits'] {
    const named = (name: 'all' | 'calm' | 'incidents', counts: WaitCounts): { [key: string]: Waits } => {
      const summary = counts.summary();
      return summary ? { [name]: summary } : {};
    };
    const byScaleSet = [...this.#bySet].flatMap(([name, counts]) => {
      const summary = counts.summary();
      return summary ? [[name, summary] as const] : [];
    });
    return {
      ...named('all', this.#all),
      ...named('calm', this.#calm),
      ...named('incidents', this.#inIncidents),
      byScaleSet: Object.fromEntries(byScaleSet),
    };
  }

  incidents(): IncidentSeen[] {
    return this.#windows.map(({ window: { what, from, to }, waits }) => {
      const summary = waits.summary();
      const minute = (ms: number): number => Math.round(ms / 60_000);
      return { what, from: minute(from - this.#start), minutes: minute(to - from), ...(summary && { waits: summary }) };
    });
  }

  machines(made: number): SoakResult['machines'] {
    const { machines, busy, idle } = this.#minutes;
    const share = (minutes: number): number => round(machines === 0 ? 0 : minutes / machines, 4);
    return {
      hours: round(machines / MINUTES_PER_HOUR, 1),
      busyShare: share(busy),
      idleShare: share(idle),
      otherShare: share(machines - busy - idle),
      most: this.#most,
      made,
    };
  }

  /** Of the hours that have ended. */
  byHour(): ByHour {
    const { jobs, machines, busy } = this.#hours;
    const ended = this.#waitP50.length;
    return {
      jobs: jobs.slice(0, ended),
      machines: machines.slice(0, ended).map((value) => round(value, 1)),
      busy: busy.slice(0, ended).map((value) => round(value, 1)),
      waitP50: this.#waitP50,
      waitP99: this.#waitP99,
      calls: this.#calls.byHour,
    };
  }
}

function add(hours: number[], amount: number): void {
  hours[hours.length - 1] = (hours.at(-1) ?? 0) + amount;
}
