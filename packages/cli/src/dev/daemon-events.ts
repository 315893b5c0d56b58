import type { EventAnswer, EventsAnswer } from '../control/answers.js';
import { stream } from '../control/call.js';

/**
 * Hands on each event of a daemon until it ends or `signal` aborts. Never rejects: a daemon that is killed takes its
 * stream with it.
 * @param since RFC 3339; older history is left out
 */
export async function followEvents(
  socket: string,
  signal: AbortSignal,
  since: string,
  hear: (event: EventAnswer) => void,
): Promise<void> {
  try {
    for await (const { events = [] } of stream<EventsAnswer>({
      socket,
      method: 'ListEvents',
      body: { follow: true, since },
      signal,
    })) {
      for (const event of events) hear(event);
    }
  } catch {
    // The daemon has gone, or the demonstration has ended.
  }
}
