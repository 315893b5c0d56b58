/** What an event can be about. */
export type EventKind = 'runner' | 'provider' | 'scale_set' | 'daemon';

/** Every action an event can have, with the kind it belongs to. */
export const EVENT_ACTIONS = {
  /** A provider made its machine. */
  created: 'runner',
  /** A machine found on a provider counts as one of ours from now on. */
  adopted: 'runner',
  /** GitHub shows it connected for the first time. */
  connected: 'runner',
  /** It took a job. */
  job_started: 'runner',
  /** It was taken away; `reason` says why. */
  removed: 'runner',
  /** It is gone, or out of reach, without our doing; `reason` says which. */
  lost: 'runner',
  /** It had no room for a runner of that scale set, which tries it again later. */
  full: 'provider',
  /** It refused a runner for another reason; that scale set tries it again later. */
  failing: 'provider',
  /** A machine could not be deleted for the first time; it is tried until it works. */
  delete_failing: 'provider',
  /** That machine is deleted after all. */
  delete_recovered: 'provider',
  /** It takes no more jobs. */
  paused: 'scale_set',
  /** It takes jobs again. */
  resumed: 'scale_set',
  /** Its schedule changed the number of idle runners to keep. */
  min_runners_changed: 'scale_set',
  /** GitHub refused it; it is tried again every minute. */
  failed: 'scale_set',
  /** It serves again after that. */
  recovered: 'scale_set',
  /** Another daemon has served it for three minutes while this one leads. */
  split: 'scale_set',
  /** GitHub has named the day from which the version of its runners gets no jobs, and that day is near. */
  runner_version_ending: 'scale_set',
  /** GitHub gives no jobs to the version of its runners any more. */
  runner_version_refused: 'scale_set',
  /** It has read its configuration again. */
  reloaded: 'daemon',
  /** It was to read its configuration again, and that has errors: nothing changed. */
  reload_failed: 'daemon',
} as const satisfies Record<string, EventKind>;

/** What can happen (docs/reference/events.md). A later minor version may add one. */
export type EventAction = keyof typeof EVENT_ACTIONS;

/** Something that happened, for people and programs (docs/reference/events.md). */
export interface RungarEvent {
  /** Epoch milliseconds of the wall clock, with a fraction where known. */
  readonly time: number;
  readonly kind: EventKind;
  /** The runner, provider or scale set it is about; of the daemon, its installation. */
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
  /** Takes an event, and adds its time and kind. Never waits and never throws. */
  record(event: Omit<RungarEvent, 'time' | 'kind'>): void;
}
