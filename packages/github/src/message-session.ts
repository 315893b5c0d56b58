import {
  type CallOptions,
  type JobMessageHandler,
  type Logger,
  type MessageSession,
  messageOf,
  type Random,
  type ScaleSetRecord,
} from '@rungar/model';
import type { ActionsRequest, ActionsService } from './actions-service.js';
import type { Answer, RequestName } from './answer.js';
import { withLimit } from './call-limit.js';
import { failureOf } from './errors.js';
import { listen } from './listener.js';
import { createMessageQueue, type MessageQueueDeps, sessionsPath } from './message-queue.js';
import type { Pace } from './pace.js';
import { readStatistics } from './scale-sets.js';
import { decodeSession, type SessionAnswer } from './wire/session.js';

export interface MessageSessionDeps extends MessageQueueDeps {
  /** Pauses that GitHub asked for when a session was to be opened; what else the service wants to pause is no matter. */
  readonly openings: Pace;
  readonly random: Random;
  readonly logger: Logger;
}

const OPEN_LIMIT_MS = 60_000;
const CLOSE_LIMIT_MS = 30_000;
const STATISTICS_LIMIT_MS = 20_000;
const SECOND_LOOK_MS = 1_000;
const TOKEN_HOLD_MS = 24 * 3_600_000;

/** Asks once for the session. Not ended by the caller's signal: GitHub may have opened it all the same. */
const askFor = (actions: ActionsService, scaleSetId: number, owner: string): [ActionsRequest, Promise<Answer>] => {
  const request: ActionsRequest = {
    method: 'POST',
    path: sessionsPath(scaleSetId),
    body: { ownerName: owner },
    scaleSetId,
    // A repetition after a lost answer would meet its own session. Whoever asks waits and asks again.
    retries: 0,
    limitMs: OPEN_LIMIT_MS,
    urgent: true,
  };
  return [request, actions.call(request, undefined)];
};

/** Makes sure of the way in and waits out a pause, both as long as the caller wants to. */
async function prepare(scaleSetId: number, signal: AbortSignal, deps: MessageSessionDeps): Promise<void> {
  const { actions, failures, openings, scope } = deps;
  const name: RequestName = { service: 'actions', method: 'POST', path: `/${sessionsPath(scaleSetId)}` };
  const late = (): Error => failures.ofSilence(name, 'there was no connection within 60 s');
  await withLimit(scope, OPEN_LIMIT_MS, late, signal, async (limit) => {
    await openings.admit(name, limit);
    await actions.connect(limit.signal);
  });
}

/** Gives a session back; what stands in the way is only logged, since GitHub ends forgotten sessions by itself. */
async function giveBack(scaleSetId: number, sessionId: string, { actions, logger }: MessageSessionDeps): Promise<void> {
  const request: ActionsRequest = {
    method: 'DELETE',
    path: `${sessionsPath(scaleSetId)}/${sessionId}`,
    scaleSetId,
    limitMs: CLOSE_LIMIT_MS,
    urgent: true,
  };
  try {
    const answer = await actions.call(request, undefined);
    if (answer.status !== 204 && answer.status !== 200 && answer.status !== 404) throw actions.refusal(request, answer);
  } catch (error) {
    logger.warn('A message session could not be closed; GitHub ends it by itself', {
      scaleSetId,
      error: messageOf(error),
    });
  }
}

/**
 * Opens the session of a scale set.
 * @param owner who holds it, as GitHub tells others
 * @throws GitHubError; `refusalOf` classifies it
 */
export async function openSession(
  scaleSet: ScaleSetRecord,
  owner: string,
  { signal }: CallOptions,
  deps: MessageSessionDeps,
): Promise<MessageSession> {
  const { actions, scope, secrets } = deps;
  signal.throwIfAborted();
  await prepare(scaleSet.id, signal, deps);
  let [request, asked] = askFor(actions, scaleSet.id, owner);
  let answer = await asked;
  if (answer.status === 404 && !signal.aborted && isUntyped(actions.refusal(request, answer))) {
    // A proxy, or a permission still on its way, can say so too.
    await scope.clock.sleep(SECOND_LOOK_MS, signal);
    [request, asked] = askFor(actions, scaleSet.id, owner);
    answer = await asked;
  }
  if (answer.status !== 200 && answer.status !== 201) {
    deps.openings.note(answer);
    signal.throwIfAborted();
    throw actions.refusal(request, answer);
  }
  const opened = decodeSession(answer.body);
  if (opened.queueToken !== '') secrets.hold(opened.queueToken, TOKEN_HOLD_MS);
  try {
    signal.throwIfAborted();
    if (opened.id === '' || opened.queueToken === '' || !URL.canParse(opened.queueUrl)) {
      throw actions.incomplete(request, answer, 'a message queue');
    }
    const statistics =
      opened.statistics ?? (await readStatistics(actions, scaleSet.id, { limitMs: STATISTICS_LIMIT_MS, signal }));
    if (!statistics) throw actions.incomplete(request, answer, 'statistics');
    return createSession(scaleSet, { ...opened, statistics }, deps);
  } catch (error) {
    if (opened.id !== '') await giveBack(scaleSet.id, opened.id, deps);
    throw error;
  }
}

const isUntyped = (refusal: Error): boolean => failureOf(refusal)?.typeName === '';

function createSession(
  scaleSet: ScaleSetRecord,
  opened: SessionAnswer & Pick<MessageSession, 'statistics'>,
  deps: MessageSessionDeps,
): MessageSession {
  const queue = createMessageQueue(scaleSet, opened, deps);
  const logger = deps.logger.with({ scaleSet: scaleSet.name });
  let closing: Promise<void> | undefined;
  return {
    id: opened.id,
    statistics: opened.statistics,
    listen: (handler: JobMessageHandler, options) =>
      listen(queue, opened.statistics, handler, options, { clock: deps.scope.clock, random: deps.random, logger }),
    close() {
      closing ??= giveBack(scaleSet.id, opened.id, deps);
      return closing;
    },
  };
}
