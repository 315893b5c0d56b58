/** How many tries the backend grants a second, as far as its refusals have told. */
export interface LearnedRate {
  /** Milliseconds until the next try may go; 0 when it may go now. */
  waitMs(now: number): number;
  /** A try goes out. */
  sent(now: number): void;
  /** The try that was sent at `sentAt` was refused for its rate, and `now` we know. */
  refused(sentAt: number, now: number): void;
  readonly perSecond: number;
}

/** Tries since the last refusal from which the time they took is a measure of the backend's rate. */
const ENOUGH_TO_MEASURE = 8;
/** Tries without a refusal after which the backend may grant more than we ask for. */
const QUIET = 26;
const GROWTH = 1.08;
const CUT = 0.7;
const SLOWEST_PER_SECOND = 1 / 30;
/** A refusal says the backend's bucket holds less than one; this much more than one is waited for, lest the next be refused too. */
const MARGIN = 0.25;

/**
 * Learns a backend's token bucket from its refusals alone. A refusal says that the bucket is empty, so between two
 * of them the tries granted were what flowed in: that is the rate. Two close together cut it; a long quiet
 * lets it grow, until a refusal measures it again.
 * @param first tries a second to begin with
 * @param burst the most that may go at once after a pause
 * @param refusedAt when the try was sent whose refusal was the first
 */
export function learnRate(first: number, burst: number, refusedAt: number, now: number): LearnedRate {
  let perSecond = first;
  let tokens = -MARGIN;
  let filledAt = now;
  /** When the backend's bucket was known to be empty; nothing once ours has been full, as its own may have been. */
  let emptyAt: number | undefined = refusedAt;
  let learnedAt = now;
  let sent = 0;
  let growingSince = now;

  const fill = (now: number): void => {
    tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * perSecond);
    filledAt = now;
    if (tokens === burst) emptyAt = undefined;
  };

  /** At least this much flowed in while the rate grew, even if the backend's bucket was full when that began. */
  const grantedWhileGrowing = (sentAt: number): number => {
    const seconds = (sentAt - growingSince) / 1000;
    return sent > QUIET && seconds > 0 ? (sent - 1 - QUIET - burst) / seconds : 0;
  };

  const measure = (sentAt: number): void => {
    if (emptyAt === undefined) return;
    const granted = sent - 1;
    const seconds = (sentAt - emptyAt) / 1000;
    const measured = granted >= ENOUGH_TO_MEASURE && seconds > 0 ? granted / seconds : perSecond * CUT;
    perSecond = Math.max(SLOWEST_PER_SECOND, measured, grantedWhileGrowing(sentAt));
  };

  return {
    waitMs(now) {
      fill(now);
      return tokens >= 1 ? 0 : ((1 - tokens) / perSecond) * 1000;
    },
    sent(now) {
      fill(now);
      tokens -= 1;
      sent += 1;
      if (sent === QUIET) growingSince = now;
      if (sent > QUIET) perSecond *= GROWTH;
    },
    refused(sentAt, now) {
      fill(now);
      if (sentAt < learnedAt) return;
      measure(sentAt);
      emptyAt = sentAt;
      learnedAt = now;
      sent = 0;
      tokens = -MARGIN;
    },
    get perSecond() {
      return perSecond;
    },
  };
}
