import { parseDuration, type RungarEvent } from '@rungar/model';
import { eventRow } from './event-row.js';
import type { StartedJob } from './job-row.js';
import type { EventRow } from './view.js';
import { dayStart, type Wait } from './waits.js';

const EVENTS_KEPT = 200;
const JOBS_KEPT = 1_000;
const WAITS_KEPT = 20_000;
/** Far more than there are: an entry stays only where the event of its end was never seen. */
const RUNNERS_KEPT = 20_000;

interface KnownRunner {
  machine?: number;
  connected?: number;
  job?: string;
}

/** What the page remembers of events, bounded whatever comes. Takes them in the order in which they happened. */
export class EventBook {
  readonly #runners = new Map<string, KnownRunner>();
  readonly #jobs = new Map<string, StartedJob>();
  #waits: Wait[] = [];
  #events: EventRow[] = [];
  #firstKnown: number | undefined;

  /** The jobs that have been started, the latest last. */
  get jobs(): ReadonlyMap<string, StartedJob> {
    return this.#jobs;
  }

  /** The waits of jobs that got a runner, oldest first. */
  get waits(): readonly Wait[] {
    return this.#waits;
  }

  /** The latest, oldest first. */
  get events(): readonly EventRow[] {
    return this.#events;
  }

  /** When the first event it was given happened. */
  get firstKnown(): number | undefined {
    return this.#firstKnown;
  }

  /** Takes the next event. Events come in the order in which they happened. */
  take(event: RungarEvent): void {
    this.#firstKnown ??= event.time;
    this.#events.push(eventRow(event));
    if (this.#events.length > 2 * EVENTS_KEPT) this.#events = this.#events.slice(-EVENTS_KEPT);
    const { action, name, time } = event;
    if (action === 'created') this.#note(name, { machine: time });
    if (action === 'connected') this.#note(name, { connected: time });
    if (action === 'job_started') this.#start(event);
    if (action === 'removed' || action === 'lost') this.#end(event);
  }

  #note(runner: string, more: KnownRunner): void {
    const known = this.#runners.get(runner);
    this.#runners.set(runner, { ...known, ...more });
    if (!known) dropFirst(this.#runners, RUNNERS_KEPT);
  }

  #start({ name: runner, time, scaleSet = '', provider, attributes = {} }: RungarEvent): void {
    const { job_id: id, job_name: name, repository = '' } = attributes;
    if (id === undefined) return;
    const { machine, connected } = this.#runners.get(runner) ?? {};
    const queued = instantOf(attributes.queued);
    const assigned = instantOf(attributes.assigned);
    const started = instantOf(attributes.started) ?? time;
    // One that is started again, by another runner, is the latest again.
    this.#jobs.delete(id);
    this.#jobs.set(id, {
      ...{ id, name: name ?? id, repository, scaleSet, runner },
      ...(provider !== undefined && { provider }),
      at: {
        ...(queued !== undefined && { queued }),
        ...(assigned !== undefined && { assigned }),
        ...(machine !== undefined && { machine }),
        ...(connected !== undefined && { connected }),
        started,
      },
    });
    dropFirst(this.#jobs, JOBS_KEPT);
    this.#note(runner, { job: id });
    this.#noteWait(attributes.wait, time, scaleSet);
  }

  #noteWait(text: string | undefined, at: number, scaleSet: string): void {
    const nanoseconds = text === undefined ? undefined : parseDuration(text);
    if (nanoseconds === undefined) return;
    this.#waits.push({ at, ms: Number(nanoseconds) / 1e6, scaleSet });
    if (this.#waits.length > WAITS_KEPT) {
      const start = dayStart(at);
      this.#waits = this.#waits.filter((wait) => wait.at >= start).slice(-WAITS_KEPT / 2);
    }
  }

  /** A runner takes one job and goes after it, so its end is the end of the job. */
  #end({ name: runner, action, time, attributes = {} }: RungarEvent): void {
    const id = this.#runners.get(runner)?.job;
    this.#runners.delete(runner);
    const job = id === undefined ? undefined : this.#jobs.get(id);
    if (!job || job.runner !== runner) return;
    const { reason = action } = attributes;
    const otherwise = reason === 'job_completed' ? 'completed' : `runner ${action}: ${reason.replaceAll('_', ' ')}`;
    this.#jobs.set(job.id, {
      ...job,
      at: { ...job.at, finished: instantOf(attributes.finished) ?? time },
      result: attributes.result ?? otherwise,
    });
  }
}

function dropFirst(map: Map<string, unknown>, keep: number): void {
  if (map.size <= keep) return;
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}

/** Epoch milliseconds of an instant that GitHub told. */
function instantOf(text: string | undefined): number | undefined {
  const instant = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}
