import {
  type Clock,
  EVENT_ACTIONS,
  type EventAction,
  type EventKind,
  type EventSink,
  type Logger,
  type RungarEvent,
} from '@rungar/model';
import type { EventDraft } from './events.js';

/** What can be listened to: one action, all of one kind, or everything. */
export type EventName = EventAction | EventKind | 'event';

type KindOf<Action extends EventAction> = (typeof EVENT_ACTIONS)[Action];
type ActionsOf<Kind extends EventKind> = { [A in EventAction]: KindOf<A> extends Kind ? A : never }[EventAction];

/** An event with its kind and action as narrow as the name that was listened to tells. */
export type EventOf<Name extends EventName> = Name extends EventAction
  ? RungarEvent & { readonly action: Name; readonly kind: KindOf<Name> }
  : Name extends EventKind
    ? RungarEvent & { readonly action: ActionsOf<Name>; readonly kind: Name }
    : RungarEvent;

/** Told of each event of that name. What it throws is logged and stops nothing; what it returns is not waited for. */
export type EventListener<Name extends EventName> = (event: EventOf<Name>) => void | Promise<void>;

interface Listening {
  readonly name: EventName;
  readonly tell: (event: RungarEvent) => unknown;
}

/** Hands events to a sink and to whoever listens. One that throws, or rejects, is logged and disturbs nobody. */
export class Listeners implements EventSink {
  /** In the order they came, which is the order they are told in. */
  readonly #listening = new Set<Listening>();
  readonly #sink: EventSink;
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor({ events, clock, logger }: { events: EventSink; clock: Clock; logger: Logger }) {
    this.#sink = events;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** @returns what ends the listening */
  on<Name extends EventName>(name: Name, listener: EventListener<Name>): () => void {
    const entry = { name, tell: (event: RungarEvent) => listener(event as EventOf<Name>) };
    this.#listening.add(entry);
    return () => void this.#listening.delete(entry);
  }

  record(draft: EventDraft): void {
    this.#tell('An event sink failed', draft.action, () => this.#sink.record(draft));
    if (this.#listening.size === 0) return;
    const kind = EVENT_ACTIONS[draft.action];
    const event: RungarEvent = { ...draft, kind, time: this.#clock.wallNow() };
    for (const { name, tell } of this.#listening) {
      if (name === event.action || name === kind || name === 'event') {
        this.#tell('A listener failed', event.action, () => tell(event));
      }
    }
  }

  /** A listener may be an async function: nobody waits for it, and its failure is heard all the same. */
  #tell(failed: string, action: EventAction, tell: () => unknown): void {
    const log = (error: unknown): void => this.#logger.error(failed, { action, error });
    try {
      const answer = tell();
      if (answer instanceof Promise) answer.catch(log);
    } catch (error) {
      log(error);
    }
  }
}
