import { reasonOf } from './time-limit.js';

/** What a scale set may do now about a session. */
export type Turn =
  /** It leads: it asks for a session first, and the others wait for it. */
  | { readonly role: 'lead' }
  /** The lead holds its session: this one may ask for its own, until the term ends. */
  | { readonly role: 'follower'; readonly term: AbortSignal };

/**
 * Which scale set's session decides whether this daemon serves at all. The first configured one leads; one that
 * GitHub refuses for good hands the lead on until the next term, so that its trouble silences nobody else.
 */
export class Lead {
  #order: readonly string[];
  readonly #passed = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #holder: string | undefined;
  #term: AbortController | undefined;
  #yielded = false;

  /** @param order the scale sets' names as configured */
  constructor(order: readonly string[]) {
    this.#order = order;
  }

  get name(): string | undefined {
    return this.#holder ?? this.#order.find((name) => !this.#passed.has(name)) ?? this.#order[0];
  }

  /** Goes on with other scale sets, or in another order. A holder that is not among them ends its term itself. */
  reorder(order: readonly string[]): void {
    this.#order = order;
    for (const name of this.#passed) if (!order.includes(name)) this.#passed.delete(name);
    this.#notify();
  }

  /** Resolves once that scale set may ask for a session. @throws the signal's reason when it aborts first */
  async turn(name: string, signal: AbortSignal): Promise<Turn> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#term && this.#holder !== name) return { role: 'follower', term: this.#term.signal };
      if (!this.#term && this.name === name) return { role: 'lead' };
      await this.#change(signal);
    }
  }

  /** The lead holds its session: a term begins. @returns a signal that aborts when the term is to end early */
  begin(name: string): AbortSignal {
    this.#holder = name;
    this.#term = new AbortController();
    this.#notify();
    return this.#term.signal;
  }

  /** The lead lets its session go: the followers do too. */
  end(): void {
    const term = this.#term;
    this.#holder = undefined;
    this.#term = undefined;
    this.#passed.clear();
    term?.abort(new Error('the lead has let its session go'));
    this.#notify();
  }

  /** That scale set cannot lead now: the next one does. Once all have passed, the first leads again. */
  pass(name: string): void {
    if (this.#holder === name) return;
    this.#passed.add(name);
    if (this.#passed.size >= this.#order.length) this.#passed.clear();
    this.#notify();
  }

  /** Whether a term is on. */
  get holds(): boolean {
    return this.#term !== undefined;
  }

  /**
   * Gives every session up, once: two daemons whose orders differ would else share the scale sets for ever.
   * @returns whether it did
   */
  giveWay(): boolean {
    if (this.#yielded || !this.#term) return false;
    this.#yielded = true;
    this.#term.abort(new Error('sessions given up to another daemon'));
    return true;
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#waiting.delete(done);
        reject(reasonOf(signal));
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #notify(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
