import type { ScaleSetRecord, ScaleSetStatistics } from '@rungar/model';
import type { ActionsRequest, ActionsService } from './actions-service.js';
import type { Answer, RequestName } from './answer.js';
import { type CallScope, withLimit } from './call-limit.js';
import type { Failures } from './errors.js';
import type { HeldSecrets } from './held-secrets.js';
import { readStatistics } from './scale-sets.js';
import type { Transport } from './transport.js';
import { type ClientIdentity, userAgentOf } from './user-agent.js';
import { decodeAcquirable, decodeAcquired, decodePolled, type Polled } from './wire/job-message.js';
import { decodeSession, type SessionAnswer } from './wire/session.js';

/** The calls of one open session. None is retried here, but for one repetition with a renewed queue token. */
export interface MessageQueue {
  /** @param capacity the most runners this scale set could have now */
  poll(lastMessageId: number, capacity: number, signal: AbortSignal): Promise<Polled>;
  acknowledge(messageId: number): Promise<void>;
  /** @returns how many of them the scale set really got */
  acquire(requestIds: readonly number[]): Promise<number>;
  /** The request ids of jobs on offer, whatever messages said. */
  readOffers(): Promise<readonly number[]>;
  /** What GitHub counts for the scale set now. */
  readStatistics(): Promise<ScaleSetStatistics | undefined>;
}

export interface MessageQueueDeps {
  readonly scope: CallScope;
  readonly actions: ActionsService;
  readonly transport: Transport;
  readonly failures: Failures;
  readonly secrets: HeldSecrets;
  readonly client: ClientIdentity;
}

/** GitHub holds a poll for about 50 s. */
export const POLL_HOLD_MS = 50_000;
const POLL_LIMIT_MS = POLL_HOLD_MS + 10_000;
const CALL_LIMIT_MS = 20_000;
/** Queue tokens do not say how long they live. */
const TOKEN_HOLD_MS = 24 * 3_600_000;

export const sessionsPath = (scaleSetId: number): string => `_apis/runtime/runnerscalesets/${scaleSetId}/sessions`;

/** The most that the service reads of a capacity. */
const LARGEST_CAPACITY = 2 ** 31 - 1;

function capacityHeader(capacity: number): string {
  return String(Math.min(Math.max(Math.trunc(capacity) || 0, 0), LARGEST_CAPACITY));
}

/** The queue's address for the next poll: its own query stays. */
function pollUrl(queueUrl: string, lastMessageId: number): URL {
  const url = new URL(queueUrl);
  if (lastMessageId > 0) url.search += `${url.search === '' ? '?' : '&'}lastMessageId=${lastMessageId}`;
  return url;
}

/** The address of one message: under the queue's path, with its query. */
function messageUrl(queueUrl: string, messageId: number): URL {
  const url = new URL(queueUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${messageId}`;
  return url;
}

export function createMessageQueue(
  scaleSet: ScaleSetRecord,
  opened: SessionAnswer,
  deps: MessageQueueDeps,
): MessageQueue {
  const { scope, actions, transport, failures, secrets, client } = deps;
  const userAgent = userAgentOf(client, scaleSet.id);
  let session = opened;

  const renew = async (signal: AbortSignal | undefined): Promise<void> => {
    const request: ActionsRequest = {
      method: 'PATCH',
      path: `${sessionsPath(scaleSet.id)}/${opened.id}`,
      scaleSetId: scaleSet.id,
      retries: 0,
      limitMs: CALL_LIMIT_MS,
      urgent: true,
    };
    const answer = await actions.expect(200, request, signal);
    const renewed = decodeSession(answer.body);
    if (!URL.canParse(renewed.queueUrl) || renewed.queueToken === '') {
      throw actions.incomplete(request, answer, 'a message queue');
    }
    secrets.hold(renewed.queueToken, TOKEN_HOLD_MS);
    session = renewed;
  };

  /** Makes a call with the queue token; after a 401 once more, with a new one. */
  const withToken = async (
    call: (current: SessionAnswer) => Promise<Answer>,
    signal?: AbortSignal,
  ): Promise<Answer> => {
    const answer = await call(session);
    if (answer.status !== 401) return answer;
    await renew(signal);
    return call(session);
  };

  const ask = (
    method: 'GET' | 'DELETE',
    url: URL,
    headers: Readonly<Record<string, string>>,
    limitMs: number,
    signal?: AbortSignal,
  ): Promise<Answer> => {
    const name: RequestName = { service: 'queue', method, path: url.pathname };
    const late = (): Error => failures.ofSilence(name, `there was no answer within ${limitMs / 1000} s`);
    return withLimit(scope, limitMs, late, signal, (limit) =>
      transport.send({ name, url, headers: { ...headers, 'user-agent': userAgent } }, limit.signal),
    );
  };

  const refusal = (method: string, url: URL, answer: Answer): Error =>
    failures.ofAnswer({ service: 'queue', method, path: url.pathname }, answer);

  return {
    async poll(lastMessageId, capacity, signal) {
      const answer = await withToken(({ queueUrl, queueToken }) => {
        const headers = {
          accept: 'application/json; api-version=6.0-preview',
          authorization: `Bearer ${queueToken}`,
          'x-scalesetmaxcapacity': capacityHeader(capacity),
        };
        return ask('GET', pollUrl(queueUrl, lastMessageId), headers, POLL_LIMIT_MS, signal);
      }, signal);
      if (answer.status === 202) return { kind: 'none' };
      if (answer.status !== 200) throw refusal('GET', new URL(session.queueUrl), answer);
      // A page or plain text is somebody's else: it must not keep a session alive that GitHub may have ended.
      if (typeof answer.body === 'string' && answer.body !== '') {
        throw failures.ofBody(
          { service: 'queue', method: 'GET', path: new URL(session.queueUrl).pathname },
          answer,
          'a message',
        );
      }
      return decodePolled(answer.body);
    },

    async acknowledge(messageId) {
      const answer = await withToken(({ queueUrl, queueToken }) => {
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${queueToken}` };
        return ask('DELETE', messageUrl(queueUrl, messageId), headers, CALL_LIMIT_MS);
      });
      if (answer.status !== 204) throw refusal('DELETE', messageUrl(session.queueUrl, messageId), answer);
    },

    async acquire(requestIds) {
      const requestFor = (bearer: string): ActionsRequest => ({
        method: 'POST',
        path: `_apis/runtime/runnerscalesets/${scaleSet.id}/acquirejobs`,
        body: requestIds,
        scaleSetId: scaleSet.id,
        bearer,
        retries: 0,
        limitMs: CALL_LIMIT_MS,
        urgent: true,
      });
      const answer = await withToken(({ queueToken }) => actions.call(requestFor(queueToken), undefined));
      if (answer.status !== 200) throw actions.refusal(requestFor(''), answer);
      return decodeAcquired(answer.body);
    },

    async readOffers() {
      const request: ActionsRequest = {
        method: 'GET',
        path: `_apis/runtime/runnerscalesets/${scaleSet.id}/acquirablejobs`,
        scaleSetId: scaleSet.id,
        retries: 0,
        limitMs: CALL_LIMIT_MS,
        // The next poll does not wait for the end of a pause.
        impatient: true,
      };
      const answer = await actions.call(request, undefined);
      if (answer.status === 204) return [];
      if (answer.status !== 200) throw actions.refusal(request, answer);
      return decodeAcquirable(answer.body);
    },

    readStatistics: () => readStatistics(actions, scaleSet.id, { limitMs: CALL_LIMIT_MS, impatient: true }),
  };
}
