import {
  type CallOptions,
  type Clock,
  isRungarError,
  type JobFacts,
  type JobMessage,
  type JobMessageHandler,
  type Logger,
  messageOf,
  type Random,
  type ScaleSetStatistics,
} from '@rungar/model';
import { failureOf } from './errors.js';
import { type MessageQueue, POLL_HOLD_MS } from './message-queue.js';
import { backoffMs } from './retry.js';
import type { Polled } from './wire/job-message.js';

export interface ListenerDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** GitHub may give a session away after about a minute without a poll; failed polls are repeated for less. */
const SILENCE_LIMIT_MS = 45_000;
const LONGEST_WAIT_MS = 15_000;
/** Before the next poll after an answer of success with nothing in it, which GitHub did not hold. */
const EMPTY_ANSWER_PAUSE_MS = 1_000;

/** A poll that GitHub does not hold brings something; where many in a row do not, a pause spares both sides. */
const FRUITLESS_IN_A_ROW = 50;
const HELD_MS = 1_000;

const keyOf = (job: JobFacts): string => job.jobId || `#${job.runnerRequestId}`;

/**
 * Whether a message gives the scale set jobs that its own statistics deny. An assignment that the same message
 * takes back is none.
 */
export function contradictsItself(message: JobMessage): boolean {
  if (message.statistics?.assignedJobs !== 0) return false;
  const ended = new Set(message.completed.map(keyOf));
  return [...message.assigned, ...message.started].some((job) => !ended.has(keyOf(job)));
}

/**
 * Polls until the session is lost or `signal` aborts. A message takes effect the moment it arrives; then it is
 * acknowledged, offered jobs are acquired, and the next poll goes out. Nothing else stands between two polls.
 */
export async function listen(
  queue: MessageQueue,
  initial: ScaleSetStatistics,
  handler: JobMessageHandler,
  options: CallOptions & { capacity(): number },
  deps: ListenerDeps,
): Promise<never> {
  const { signal, capacity } = options;
  const { clock, random, logger } = deps;
  const knownStrange = new Set<string>();
  let statistics = initial;
  let lastMessageId = 0;
  let lastAnswerAt = clock.now();
  /** Jobs are on offer that no message told of, or that could not be acquired. */
  let offersWaiting = initial.availableJobs > 0;

  const handlerFailed = (error: unknown): void => {
    logger.error('A handler of job messages failed; the message counts as handled', { error: messageOf(error) });
  };

  /** A handler may be an async function all the same: nobody waits for it, and its failure must not end the process. */
  const guard = (effect: () => unknown): void => {
    try {
      const result = effect();
      if (result instanceof Promise) result.catch(handlerFailed);
    } catch (error) {
      handlerFailed(error);
    }
  };

  const report = (message: JobMessage | undefined): void => guard(() => handler.onStatistics(statistics, message));

  /** Polls, and repeats what failed for as long as GitHub keeps the session for us. */
  const poll = async (): Promise<Polled> => {
    let silentSince: number | undefined;
    for (let failures = 0; ; failures++) {
      try {
        const polled = await queue.poll(lastMessageId, capacity(), signal);
        lastAnswerAt = clock.now();
        return polled;
      } catch (error) {
        signal.throwIfAborted();
        const failure = failureOf(error);
        if (!failure || !isRungarError(error, 'unavailable')) throw error;
        silentSince ??= Math.min(clock.now(), lastAnswerAt + POLL_HOLD_MS);
        const leftMs = silentSince + SILENCE_LIMIT_MS - clock.now();
        const toldMs = failure.retryAfterMs ?? 0;
        if (leftMs <= 0 || toldMs > leftMs) throw error;
        const waitMs = Math.min(Math.max(Math.min(backoffMs(failures, random), LONGEST_WAIT_MS), toldMs), leftMs);
        logger.warn('A poll for jobs failed and is repeated', { error: messageOf(error), waitMs });
        await clock.sleep(waitMs, signal);
      }
    }
  };

  const acknowledge = async (messageId: number): Promise<void> => {
    try {
      await queue.acknowledge(messageId).catch((error: unknown) => {
        if (signal.aborted) throw error;
        return queue.acknowledge(messageId);
      });
    } catch (error) {
      // Its effect stays; when it comes again it changes nothing.
      logger.warn('A message could not be acknowledged', { messageId, error: messageOf(error) });
    }
  };

  const acquire = async (jobs: readonly JobFacts[]): Promise<void> => {
    const ids = jobs.map((job) => job.runnerRequestId).filter((id) => id !== 0);
    if (ids.length === 0) return;
    if (capacity() <= 0) {
      offersWaiting = true;
      return;
    }
    try {
      const acquired = await queue.acquire(ids);
      logger.debug('Acquired jobs on offer', { offered: ids.length, acquired });
    } catch (error) {
      offersWaiting = true;
      logger.warn('Jobs on offer could not be acquired; they are asked for again', {
        offered: ids.length,
        error: messageOf(error),
      });
    }
  };

  const acquireWaiting = async (): Promise<void> => {
    try {
      const ids = await queue.readOffers();
      if (ids.length > 0) await queue.acquire(ids);
      offersWaiting = false;
    } catch (error) {
      logger.warn('Jobs on offer could not be looked up and acquired; they are asked for again', {
        error: messageOf(error),
      });
    }
  };

  const warnOnce = (what: string): void => {
    if (knownStrange.has(what)) return;
    knownStrange.add(what);
    logger.warn('A message from GitHub, or a part of it, is unknown and was skipped', { what });
  };

  /** What a message says, made known at once and in order: jobs started, jobs completed, then the count. */
  const takeEffect = (message: JobMessage): void => {
    for (const kind of message.unknownKinds) warnOnce(`a job message of the kind "${kind}"`);
    for (const job of message.started) guard(() => handler.onJobStarted(job));
    for (const job of message.completed) guard(() => handler.onJobCompleted(job));
    if (!contradictsItself(message)) statistics = message.statistics ?? statistics;
    report(message);
  };

  /** Asks the scale set itself where a message cannot be trusted; the message's count holds if it does not answer. */
  const askScaleSet = async (told: ScaleSetStatistics | undefined): Promise<void> => {
    const own = await queue.readStatistics().catch(() => undefined);
    statistics = own ?? told ?? statistics;
    if (own) report(undefined);
  };

  const handle = async (message: JobMessage): Promise<void> => {
    const repeated = message.id === lastMessageId;
    lastMessageId = message.id;
    if (!repeated) takeEffect(message);
    await acknowledge(message.id);
    if (message.available.length > 0) await acquire(message.available);
    else if ((message.statistics?.availableJobs ?? 0) > 0) offersWaiting = true;
    if (repeated || signal.aborted || !contradictsItself(message)) return;
    logger.warn('A message assigns jobs and counts none; the scale set is asked', { messageId: message.id });
    await askScaleSet(message.statistics);
  };

  /** Whether an answer brings nothing that was not known. */
  const isFruitless = (polled: Polled): boolean => {
    if (polled.kind === 'jobs') return polled.message.id === lastMessageId;
    return polled.kind === 'none' || (polled.kind === 'strange' && polled.id === lastMessageId);
  };

  let fruitless = 0;
  report(undefined);
  for (;;) {
    signal.throwIfAborted();
    if (offersWaiting && capacity() > 0) await acquireWaiting();
    if (fruitless >= FRUITLESS_IN_A_ROW) await clock.sleep(EMPTY_ANSWER_PAUSE_MS, signal);
    const polledAt = clock.now();
    const polled = await poll();
    fruitless = isFruitless(polled) && clock.now() - polledAt < HELD_MS ? fruitless + 1 : 0;
    switch (polled.kind) {
      case 'jobs':
        await handle(polled.message);
        break;
      case 'strange':
        warnOnce(polled.why);
        lastMessageId = polled.id;
        report(undefined);
        await acknowledge(polled.id);
        if (!signal.aborted) await askScaleSet(polled.statistics);
        break;
      case 'empty':
        warnOnce('an answer to a poll with nothing in it');
        report(undefined);
        await clock.sleep(EMPTY_ANSWER_PAUSE_MS, signal);
        break;
      case 'none':
        report(undefined);
    }
  }
}
