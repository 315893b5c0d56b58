import { setMaxListeners } from 'node:events';
import { type ControlClient, createControlClient } from '@rungar/daemon/client';

/** Followers of the daemon's events. */
export interface Followers {
  /** How many events each has had. */
  readonly received: readonly number[];
  /** Ends them. @throws what ended one of them before */
  stop(): Promise<void>;
}

/** Follows new events as so many clients, each over a connection of its own. */
export function follow(socket: string, count: number): Followers {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const received = new Array<number>(count).fill(0);
  const one = async (at: number): Promise<void> => {
    const client = createControlClient(socket);
    try {
      for await (const { events } of client.listEvents({ follow: true, limit: 1 }, { signal: stopping.signal })) {
        received[at] = (received[at] ?? 0) + events.length;
      }
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  };
  const all = Promise.all(received.map((_, at) => one(at)));
  all.catch(() => {});
  return {
    received,
    async stop() {
      stopping.abort();
      await all;
    },
  };
}

/** How many runners the daemon shows as idle. */
export async function idleRunners(client: ControlClient): Promise<number> {
  const { scaleSets } = await client.getStatus({});
  return scaleSets.reduce((sum, { runnerCounts }) => sum + (runnerCounts?.idle ?? 0), 0);
}
