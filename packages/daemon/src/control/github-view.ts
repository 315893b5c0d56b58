import type { MessageInitShape } from '@bufbuild/protobuf';
import type { GitHubStanding } from '@rungar/github';
import { messageOf, type Redactor, type ScaleSetService } from '@rungar/model';
import type { GitHubScaleSetSchema, GitHubSchema } from '../../gen/rungar/v1/rungar_pb.js';
import { toGitHubScaleSet, toTimestamp } from './messages.js';

type GitHubPart = MessageInitShape<typeof GitHubScaleSetSchema>;

/** How many scale sets GitHub is asked about at once. */
const AT_ONCE = 8;

/** Asks GitHub about scale sets, for people. A failure is part of the answer. */
export interface GitHubView {
  find(name: string, runnerGroup: string, signal: AbortSignal): Promise<GitHubPart>;
  /** In the order of the question. */
  findAll(scaleSets: readonly { name: string; runnerGroup: string }[], signal: AbortSignal): Promise<GitHubPart[]>;
}

export function createGitHubView(github: ScaleSetService, redactor: Redactor): GitHubView {
  const find: GitHubView['find'] = async (name, runnerGroup, signal) => {
    try {
      const record = await github.findScaleSet(name, runnerGroup, { signal });
      return record ? toGitHubScaleSet(record) : { found: false };
    } catch (error) {
      signal.throwIfAborted();
      return { error: redactor.redact(messageOf(error)) };
    }
  };
  return {
    find,
    async findAll(scaleSets, signal) {
      const found: GitHubPart[] = [];
      const queue = scaleSets.entries();
      const ask = async (): Promise<void> => {
        for (const [index, { name, runnerGroup }] of queue) found[index] = await find(name, runnerGroup, signal);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, ask));
      return found;
    },
  };
}

/** @param now epoch milliseconds by the wall clock */
export function toStanding(
  { rateLimit, tokenExpiresInMs, credentialExpiresInMs }: GitHubStanding,
  now: number,
): Pick<MessageInitShape<typeof GitHubSchema>, 'rateLimit' | 'tokenExpireTime' | 'credentialExpireTime'> {
  return {
    ...(rateLimit && {
      rateLimit: {
        limit: rateLimit.limit,
        remaining: rateLimit.remaining,
        resetTime: toTimestamp(now + rateLimit.resetsInMs),
      },
    }),
    ...(tokenExpiresInMs !== undefined && { tokenExpireTime: toTimestamp(now + tokenExpiresInMs) }),
    ...(credentialExpiresInMs !== undefined && { credentialExpireTime: toTimestamp(now + credentialExpiresInMs) }),
  };
}
