import type { Answer } from './answer.js';
import type { CallLimit } from './call-limit.js';
import type { CredentialLife } from './credential-life.js';
import type { Pace } from './pace.js';
import { nameOfRest, type Rest, type RestRequest } from './rest.js';
import type { RestBudgetKeeper } from './rest-budget.js';
import type { TokenSource } from './token-source.js';

/** The REST API, asked with the credential's own token. */
export interface AuthorizedRest {
  /**
   * Sends a request; once more, with a new token, if GitHub refuses one before its time.
   * @throws GitHubError `unavailable` without an answer, or when GitHub's pause outlasts the limit
   */
  send(request: Omit<RestRequest, 'authorization'>, limit: CallLimit): Promise<Answer>;
}

export interface AuthorizedRestDeps {
  readonly rest: Rest;
  readonly tokens: TokenSource;
  readonly pace: Pace;
  readonly budget: RestBudgetKeeper;
  readonly credentialLife: CredentialLife;
}

export function createAuthorizedRest(deps: AuthorizedRestDeps): AuthorizedRest {
  const { rest, tokens, pace, budget, credentialLife } = deps;
  return {
    async send(request, limit) {
      for (let repeated = false; ; repeated = true) {
        const token = await tokens.get(limit.signal);
        const authorized = { ...request, authorization: `Bearer ${token}` };
        await pace.admit(nameOfRest(authorized), limit);
        const answer = await rest.send(authorized, limit.signal);
        pace.note(answer);
        budget.note(answer);
        credentialLife.note(answer);
        if (answer.status !== 401 || !tokens.refused(token) || repeated) return answer;
      }
    },
  };
}
