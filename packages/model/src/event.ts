export type EventKind = 'runner' | 'provider' | 'scale_set';

/** Every action an event can have, with the kind it belongs to. */
export const EVENT_ACTIONS = {
  created: 'runner',
  adopted: 'runner',
  connected: 'runner',
  job_started: 'runner',
  removed: 'runner',
  lost: 'runner',
  full: 'provider',
  failing: 'provider',
  delete_failing: 'provider',
  delete_recovered: 'provider',
  paused: 'scale_set',
  resumed: 'scale_set',
  min_runners_changed: 'scale_set',
  failed: 'scale_set',
  recovered: 'scale_set',
  reloaded: 'scale_set',
  split: 'scale_set',
} as const satisfies Record<string, EventKind>;

export type EventAction = keyof typeof EVENT_ACTIONS;

/** Something that happened, for people and programs (docs/reference/events.md). */
export interface RungarEvent {
  /** Epoch milliseconds of the wall clock, with a fraction where known. */
  readonly time: number;
  readonly kind: EventKind;
  /** The runner, provider or scale set it is about. */
  readonly name: string;
  readonly action: EventAction;
  readonly scaleSet?: string;
  readonly provider?: string;
  /** One line for a person. */
  readonly message?: string;
  /** Facts for a program; durations as Go text (`1m30s`). */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Takes events; never waits and never throws. */
export interface EventSink {
  record(event: Omit<RungarEvent, 'time' | 'kind'>): void;
}
