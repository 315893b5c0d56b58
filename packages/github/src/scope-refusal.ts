import type { RungarError } from '@rungar/model';
import type { Answer, RequestName } from './answer.js';
import type { AuthorizedRest } from './authorized-rest.js';
import type { CallLimit } from './call-limit.js';
import type { ConfigUrl } from './config-url.js';
import { type Failures, GitHubError } from './errors.js';
import { asShape, textOf } from './wire/read.js';

/** Makes the error for a refused call about the scope itself. */
export type RefuseScope = (request: RequestName, answer: Answer, limit: CallLimit) => Promise<RungarError>;

/**
 * A person's page looks like an organisation's, and GitHub only says that there is no such organisation. One more
 * question tells the two apart.
 */
export function createRefuseScope(config: ConfigUrl, authorized: AuthorizedRest, failures: Failures): RefuseScope {
  const { scope } = config;

  const isPerson = async (login: string, limit: CallLimit): Promise<boolean> => {
    try {
      const answer = await authorized.send({ method: 'GET', path: `/users/${encodeURIComponent(login)}` }, limit);
      const account = asShape(answer.body);
      return answer.status === 200 && account !== undefined && textOf(account, 'type') === 'User';
    } catch {
      limit.signal.throwIfAborted();
      return false;
    }
  };

  return async (request, answer, limit) => {
    const refusal = failures.ofAnswer(request, answer);
    if (answer.status !== 404 || scope.kind !== 'organisation') return refusal;
    if (!(await isPerson(scope.organisation, limit))) return refusal;
    return new GitHubError(
      'invalid_argument',
      `${config.href} is a person's page, and only organisations, repositories and enterprises have runners`,
      refusal.failure,
      { hint: `Give one of the repositories, ${config.href}/REPOSITORY, or an organisation.`, cause: refusal },
    );
  };
}
