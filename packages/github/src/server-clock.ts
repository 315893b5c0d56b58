import type { Clock } from '@rungar/model';

/** GitHub's clock, as its answers tell it. */
export interface ServerClock {
  /** Takes note of an answer's `Date` header, if it has one. */
  note(date: string | undefined): void;
  /** GitHub's time in epoch milliseconds; this host's until an answer told. */
  now(): number;
  /** How far this host's clock is ahead of GitHub's, in milliseconds; negative when behind. */
  aheadMs(): number;
}

/** @param onNote hears of {@link ServerClock.aheadMs} whenever an answer told */
export function createServerClock(clock: Clock, onNote: (aheadMs: number) => void = () => {}): ServerClock {
  // Held against the monotonic clock, so that a later step of the host's clock changes nothing.
  let offset: number | undefined;
  const now = (): number => (offset === undefined ? clock.wallNow() : clock.now() + offset);
  const aheadMs = (): number => clock.wallNow() - now();
  return {
    note(date) {
      const at = date === undefined ? Number.NaN : Date.parse(date);
      if (Number.isNaN(at)) return;
      offset = at - clock.now();
      onNote(aheadMs());
    },
    now,
    aheadMs,
  };
}
