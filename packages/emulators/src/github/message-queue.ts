import { Bell } from './hold.js';

/** One entry of a message's body. */
export type JobMessage = Readonly<Record<string, unknown>>;

/** A message as it stays in the queue. Its statistics are worked out at each delivery. */
export interface Envelope {
  readonly id: number;
  readonly entries: readonly JobMessage[];
}

/** GitHub puts no more into one message. */
const MAX_ENTRIES = 50;

/** The messages for one scale set's listener. They outlive its sessions. */
export class MessageQueue {
  readonly bell = new Bell();
  readonly #takeId: () => number;
  #envelopes: Envelope[] = [];
  #pending: JobMessage[] = [];
  #last: Envelope | undefined;

  /** @param takeId gives an id larger than any before */
  constructor(takeId: () => number) {
    this.#takeId = takeId;
  }

  /** Adds an entry; it is delivered with the next new message. */
  push(entry: JobMessage): void {
    this.#pending.push(entry);
    this.bell.ring();
  }

  /**
   * The first message after `lastId` that was not deleted. When there is none and something has happened since the
   * last message was made, a new one is made of it.
   */
  next(lastId: number): Envelope | undefined {
    const kept = this.#envelopes.find(({ id }) => id > lastId);
    if (kept) return this.#deliver(kept);
    if (this.#pending.length === 0) return undefined;
    const made = { id: this.#takeId(), entries: this.#pending.splice(0, MAX_ENTRIES) };
    this.#envelopes.push(made);
    return made.id > lastId ? this.#deliver(made) : undefined;
  }

  /** The message delivered last, deleted or not. */
  get last(): Envelope | undefined {
    return this.#last;
  }

  /** Deletes a message; one that is not there is none either afterwards. */
  delete(id: number): void {
    this.#envelopes = this.#envelopes.filter((envelope) => envelope.id !== id);
  }

  #deliver(envelope: Envelope): Envelope {
    this.#last = envelope;
    return envelope;
  }
}
