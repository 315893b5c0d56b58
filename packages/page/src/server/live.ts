import type { Clock, RungarEvent } from '@rungar/model';
import type { PageSource } from '../source.js';
import { EventBook } from '../view/event-book.js';
import { eventRow } from '../view/event-row.js';
import { pageView } from '../view/page-view.js';
import type { EventRow, PageView } from '../view/view.js';

/** How often what has changed is sent. */
const UPDATE_EVERY_MS = 1_000;
/** How long nothing may be said, so that a lost connection shows. */
const SILENCE_MS = 15_000;

/** What somebody who looks is sent: all of it first, then what has changed, and events as they come. */
export type PageMessage = Partial<PageView> & {
  /** Epoch milliseconds, by which the page counts. */
  readonly now: number;
  /** Whether what was sent before is to be forgotten. */
  readonly all: boolean;
};

export interface Looker {
  send(message: string): void;
  /** There is nothing to come. */
  end(): void;
}

/** What is worked out once for everybody who looks, and only while somebody does. */
export class Live {
  readonly #source: PageSource;
  readonly #clock: Clock;
  readonly #lookers = new Set<Looker>();
  #watch: Watch | undefined;

  constructor(source: PageSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  get lookers(): number {
    return this.#lookers.size;
  }

  /** All that the page shows now, for one who does not stay. */
  view(): PageView {
    const book = new EventBook();
    for (const event of this.#source.recentEvents()) book.take(event);
    return pageView(this.#source.status(), book, this.#clock.wallNow());
  }

  join(looker: Looker): void {
    // Nobody is told twice what came a moment ago.
    this.#watch?.say();
    this.#watch ??= this.#start();
    this.#lookers.add(looker);
    looker.send(this.#watch.everything());
  }

  leave(looker: Looker): void {
    this.#lookers.delete(looker);
    if (this.#lookers.size > 0) return;
    this.#watch?.end();
    this.#watch = undefined;
  }

  /** Ends it for everybody. */
  end(): void {
    for (const looker of [...this.#lookers]) {
      this.leave(looker);
      looker.end();
    }
  }

  #start(): Watch {
    return new Watch(this.#source, this.#clock, (message) => {
      for (const looker of this.#lookers) looker.send(message);
    });
  }
}

const SECTIONS = ['daemon', 'fleet', 'jobs', 'waits', 'providers'] as const;

class Watch {
  readonly #source: PageSource;
  readonly #clock: Clock;
  readonly #tell: (message: string) => void;
  readonly #over = new AbortController();
  #book = new EventBook();
  /** What came since the latest message. */
  #fresh: EventRow[] = [];
  readonly #sent = new Map<string, string>();
  #saidAt: number;
  /** Whether what was told is to be told anew, from the beginning. */
  #forget = false;

  constructor(source: PageSource, clock: Clock, tell: (message: string) => void) {
    this.#source = source;
    this.#clock = clock;
    this.#tell = tell;
    this.#saidAt = clock.now();
    void this.#follow();
    void this.#update();
  }

  end(): void {
    this.#over.abort(new Error('nobody looks any more'));
  }

  everything(): string {
    const now = this.#clock.wallNow();
    return messageOf({ ...pageView(this.#source.status(), this.#book, now), now, all: true });
  }

  async #follow(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      try {
        const { history, coming } = this.#source.followEvents(signal);
        this.#begin(history);
        for await (const event of coming) this.#take(event);
        return;
      } catch {
        // It came faster than it could be taken: what is kept has what was missed.
        await this.#clock.sleep(UPDATE_EVERY_MS, signal).catch(() => {});
        this.#forget = true;
      }
    }
  }

  #begin(history: readonly RungarEvent[]): void {
    this.#book = new EventBook();
    this.#fresh = [];
    for (const event of history) this.#book.take(event);
  }

  #take(event: RungarEvent): void {
    this.#book.take(event);
    this.#fresh.push(eventRow(event));
  }

  async #update(): Promise<void> {
    const { signal } = this.#over;
    for (;;) {
      await this.#clock.sleep(UPDATE_EVERY_MS, signal).catch(() => {});
      if (signal.aborted) return;
      this.say();
    }
  }

  /** Tells what has changed since it was told last. */
  say(): void {
    const now = this.#clock.wallNow();
    const view = pageView(this.#source.status(), this.#book, now);
    const events = this.#fresh.slice(-view.events.length);
    this.#fresh = [];
    const all = this.#forget;
    this.#forget = false;
    const changed = SECTIONS.filter((section) => {
      const text = JSON.stringify(view[section]);
      const before = this.#sent.get(section);
      this.#sent.set(section, text);
      return text !== before;
    });
    if (all) {
      this.#send({ ...view, now, all });
      return;
    }
    const quiet = changed.length === 0 && events.length === 0;
    if (quiet && this.#clock.now() - this.#saidAt < SILENCE_MS) return;
    const sections = Object.fromEntries(changed.map((section) => [section, view[section]]));
    this.#send({ ...sections, ...(events.length > 0 && { events }), now, all });
  }

  #send(message: PageMessage): void {
    this.#saidAt = this.#clock.now();
    this.#tell(messageOf(message));
  }
}

/** As a Server-Sent Event. JSON has no line breaks of its own. */
const messageOf = (message: PageMessage): string => `data: ${JSON.stringify(message)}\n\n`;
