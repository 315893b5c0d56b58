/** How runners are shared out over a scale set's providers. */
export type Placement = 'spread' | 'pack';

/** 0 is Monday, 6 is Sunday. */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** A part of the week, and the runners kept in it. It belongs to the day on which it opens. */
export interface ScheduleWindow {
  readonly days: ReadonlySet<Weekday>;
  /** Minutes after midnight, inclusive: 0 to 1439. */
  readonly from: number;
  /** Minutes after midnight, exclusive: 0 to 1440. At or before `from` it closes on the next day. */
  readonly to: number;
  readonly minRunners: number;
}

/** When a scale set keeps how many runners (docs/reference/configuration.md). */
export interface Schedule {
  /** An IANA name. */
  readonly timeZone: string;
  /** The first that contains the moment is in force. */
  readonly windows: readonly ScheduleWindow[];
}

/** A scale set's runner on one of its providers. */
export interface ScaleSetProvider {
  /** The provider's name. */
  readonly name: string;
  /** The specification, as the provider's own type parsed it. */
  readonly spec: unknown;
  readonly revision: string;
  readonly size: string;
}

/** A scale set as configured, checked and with defaults filled in. */
export interface ScaleSetPolicy {
  readonly name: string;
  /** What GitHub is told: the name first, then the further labels, each once. */
  readonly labels: readonly string[];
  readonly runnerGroup: string;
  readonly minRunners: number;
  readonly maxRunners: number;
  readonly schedule?: Schedule;
  /** Higher wins. */
  readonly priority: number;
  readonly placement: Placement;
  readonly startTimeoutMs: number;
  readonly maxIdleAgeMs?: number;
  readonly maxAgeMs?: number;
  readonly paused: boolean;
  /** In order of preference. */
  readonly providers: readonly ScaleSetProvider[];
}
