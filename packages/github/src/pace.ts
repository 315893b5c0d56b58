import type { Clock } from '@rungar/model';
import { type Answer, type RequestName, toldWaitMs } from './answer.js';
import type { CallLimit } from './call-limit.js';
import type { Failures } from './errors.js';
import type { ServerClock } from './server-clock.js';

/** How one ledger of GitHub's (the REST API of a credential, the Actions service of a scope) wants to be asked. */
export interface Pace {
  /**
   * Waits out a pause GitHub asked for.
   * @throws RungarError `unavailable`, at once, when it is longer than the call may take
   */
  admit(request: RequestName, limit: CallLimit): Promise<void>;
  /** Takes note of an answer's wishes, and says how long it asked to wait. */
  note(answer: Answer): number | undefined;
}

export function createPace(clock: Clock, serverClock: ServerClock, failures: Failures): Pace {
  let pausedUntil = 0;
  return {
    async admit(request, { signal, endsAt }) {
      for (let wait = pausedUntil - clock.now(); wait > 0; wait = pausedUntil - clock.now()) {
        if (pausedUntil > endsAt) throw failures.ofPause(request, wait);
        await clock.sleep(wait, signal);
      }
    },
    note(answer) {
      const wait = toldWaitMs(answer, serverClock.now());
      if (wait !== undefined) pausedUntil = Math.max(pausedUntil, clock.now() + wait);
      return wait;
    },
  };
}
