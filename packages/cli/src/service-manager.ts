import type { Clock } from '@rungar/model';

/** How long one message to the service manager may take. */
const LIMIT_MS = 10_000;

/** Pings sent within one watchdog interval: one that comes late does no harm. */
const PINGS_PER_INTERVAL = 3;

/** What systemd is told of a service of `Type=notify`. Telling never fails: the service is worth more than the message. */
export interface ServiceManager {
  /** Serving from now on. Pings its watchdog, where the unit asks for one, until `signal` aborts. */
  ready(signal: AbortSignal): Promise<void>;
  stopping(): Promise<void>;
}

/**
 * The systemd that started this process, by the environment it gives: `NOTIFY_SOCKET`, and `WATCHDOG_USEC` for a
 * watchdog. Without the first, nobody is told anything.
 *
 * Node.js has no datagrams over Unix sockets, so systemd's own `systemd-notify` sends the messages, and the unit needs
 * `NotifyAccess=all` (deploy/systemd/README.md).
 */
export function serviceManager(env: Readonly<Record<string, string | undefined>>, clock: Clock): ServiceManager {
  if (!env.NOTIFY_SOCKET) return { ready: async () => {}, stopping: async () => {} };
  const tell = async (...messages: string[]): Promise<void> => {
    const { execFile } = await import('node:child_process');
    await new Promise<void>((resolve) => {
      execFile('systemd-notify', messages, { env: { ...env }, timeout: LIMIT_MS }, () => resolve());
    });
  };
  const intervalMs = Number(env.WATCHDOG_USEC ?? 0) / 1000;
  return {
    async ready(signal) {
      await tell('--ready', '--status=Serving');
      if (intervalMs > 0) void ping(() => tell('WATCHDOG=1'), intervalMs / PINGS_PER_INTERVAL, clock, signal);
    },
    stopping: () => tell('STOPPING=1', '--status=Letting go: sessions are closed, runners stay'),
  };
}

/** Pings from the event loop itself, so that a process that hangs falls silent. */
async function ping(send: () => Promise<void>, everyMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await send();
      await clock.sleep(everyMs, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
