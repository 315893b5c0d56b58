import { randomHex, randomUuid } from '../random.js';
import type { ScaleSet, Session } from './entities.js';
import { holdUntil } from './hold.js';
import type { JobBoard } from './jobs.js';
import type { Envelope } from './message-queue.js';
import { viewSession } from './views.js';
import type { World } from './world.js';

/** What a poll comes to. */
export type PollResult = { readonly message: Envelope } | 'nothing' | 'ended';

export interface Poll {
  readonly session: Session;
  /** The id of the last message the listener has handled; 0 for none. */
  readonly lastId: number;
  /** How many runners the listener could provide. */
  readonly capacity: number;
  readonly signal: AbortSignal;
}

const noTimer = (): void => {};

/** The sessions in which listeners read their scale sets' messages: one at a time for each. */
export class Sessions {
  readonly #world: World;
  readonly #board: JobBoard;

  constructor(world: World, board: JobBoard) {
    this.#world = world;
    this.#board = board;
  }

  /** Opens a session on a scale set that has none. A foreign one never expires. */
  open(scaleSet: ScaleSet, ownerName: string, foreign = false): Session {
    const { clock, random } = this.#world;
    const session: Session = {
      id: randomUuid(random),
      scaleSet,
      ownerName,
      queueKey: '',
      queueToken: '',
      queueTokenExpiresAt: 0,
      capacity: undefined,
      held: 0,
      stopExpiry: noTimer,
      ended: false,
      foreign,
      openedAt: clock.now(),
    };
    scaleSet.session = session;
    this.#world.sessions.set(session.id, session);
    this.refresh(session);
    this.#tell(session, 'opened');
    return session;
  }

  /** Gives the session a new queue URL and token; the old ones are worth nothing any more. */
  refresh(session: Session): void {
    const { clock, random, settings } = this.#world;
    session.queueKey = randomHex(random, 8);
    session.queueToken = `queue_${randomHex(random, 20)}`;
    session.queueTokenExpiresAt = clock.now() + settings.queueTokenMs;
    this.touch(session);
  }

  /** Starts the time again after which an unused session expires. */
  touch(session: Session): void {
    session.stopExpiry();
    if (session.held > 0 || session.foreign || session.ended) return;
    session.stopExpiry = this.#world.clock.after(this.#world.settings.sessionExpiryMs, () => {
      this.#end(session, 'expired');
    });
  }

  close(session: Session): void {
    this.#end(session, 'closed');
  }

  /** Waits for the next message, for as long as a poll is held. */
  async poll({ session, lastId, capacity, signal }: Poll): Promise<PollResult> {
    const { clock, events, settings } = this.#world;
    const { queue } = session.scaleSet;
    session.capacity = capacity;
    session.held += 1;
    this.touch(session);
    this.#board.settle();
    events.stir();
    const look = (): PollResult | undefined => {
      if (session.ended) return 'ended';
      const message = queue.next(lastId);
      return message && { message };
    };
    const found = await holdUntil({ clock, ms: settings.pollHoldMs, bell: queue.bell, signal, look });
    session.held -= 1;
    this.touch(session);
    events.stir();
    return found ?? 'nothing';
  }

  #end(session: Session, change: 'closed' | 'expired'): void {
    session.ended = true;
    session.stopExpiry();
    session.scaleSet.session = undefined;
    session.scaleSet.unusedSince = this.#world.clock.now();
    this.#world.sessions.delete(session.id);
    session.scaleSet.queue.bell.ring();
    this.#tell(session, change);
  }

  #tell(session: Session, change: 'opened' | 'closed' | 'expired'): void {
    const { clock, events } = this.#world;
    events.emit({ at: clock.now(), type: 'session', change, session: viewSession(session) });
  }
}
