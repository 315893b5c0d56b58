import type {
  CallOptions,
  Clock,
  JobMessage,
  JobMessageHandler,
  MessageSession,
  ScaleSetStatistics,
} from '@rungar/model';

const CLOSE_MS = 100;
/** How long GitHub holds a poll that it has nothing to say to. */
const POLL_MS = 50_000;

/** The one session of a scale set: messages are handed on in order, one a poll. */
export class MemorySession implements MessageSession {
  readonly id = 'memory';
  open = true;
  readonly #clock: Clock;
  readonly #statistics: () => ScaleSetStatistics;
  readonly #waiting: JobMessage[] = [];
  readonly #lost = new AbortController();
  #wake = new AbortController();

  constructor(clock: Clock, statistics: () => ScaleSetStatistics) {
    this.#clock = clock;
    this.#statistics = statistics;
  }

  get statistics(): ScaleSetStatistics {
    return this.#statistics();
  }

  push(message: JobMessage): void {
    this.#waiting.push(message);
    this.#wake.abort();
  }

  lose(error: Error): void {
    this.open = false;
    this.#lost.abort(error);
  }

  async listen(handler: JobMessageHandler, { signal, capacity }: CallOptions & { capacity(): number }): Promise<never> {
    const ended = AbortSignal.any([signal, this.#lost.signal]);
    handler.onStatistics(this.statistics, undefined);
    for (;;) {
      capacity();
      const message = await this.#poll(ended);
      for (const job of message?.started ?? []) handler.onJobStarted(job);
      for (const job of message?.completed ?? []) handler.onJobCompleted(job);
      handler.onStatistics(message?.statistics ?? this.statistics, message);
    }
  }

  async close(): Promise<void> {
    await this.#clock.sleep(CLOSE_MS);
    this.open = false;
  }

  async #poll(ended: AbortSignal): Promise<JobMessage | undefined> {
    ended.throwIfAborted();
    if (this.#waiting.length === 0) {
      this.#wake = new AbortController();
      await this.#clock.sleep(POLL_MS, AbortSignal.any([ended, this.#wake.signal])).catch(() => {});
      ended.throwIfAborted();
    }
    return this.#waiting.shift();
  }
}
