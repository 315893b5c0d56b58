import { isRungarError } from '@rungar/model';
import { inputError } from '../problems.js';
import { type GitResult, type GitRunner, gitFailed, gitUnavailable } from './git.js';
import { MOST_BRANCHES, type ParsedRefs, parseRefs } from './parse-refs.js';

/** The branches dispat's runs and nodes speak through. */
const PATTERN = 'refs/heads/dispat-worker-*';

/**
 * Lists a mailbox's branches with one `git ls-remote`.
 * @param endpoint an endpoint that was checked
 * @throws InputError `GIT_FAILED` or `INPUT_TOO_LARGE`
 */
export async function listBranches(git: GitRunner, endpoint: string, signal: AbortSignal): Promise<ParsedRefs> {
  const { stdout } = await runGit(git, endpoint, ['ls-remote', '--heads', '--', endpoint, PATTERN], signal);
  const refs = parseRefs(stdout);
  if (refs.branches.length + refs.foreign > MOST_BRANCHES) {
    throw inputError({
      code: 'INPUT_TOO_LARGE',
      at: 'mailbox',
      found: `${refs.branches.length + refs.foreign} branches`,
      allowed: `at most ${MOST_BRANCHES}`,
      fix: 'clean up the branches of runs that are over, except publish branches a release lock is held for',
    });
  }
  return refs;
}

/**
 * Runs git for an endpoint, and makes its failure one of an input.
 * @throws InputError `GIT_FAILED`
 */
export async function runGit(
  git: GitRunner,
  endpoint: string,
  args: readonly string[],
  signal: AbortSignal,
  input?: string,
): Promise<GitResult> {
  let result: GitResult;
  try {
    result = await git.run({ args, signal, ...(input !== undefined && { input }) });
  } catch (error) {
    signal.throwIfAborted();
    throw isRungarError(error, 'unavailable') ? gitUnavailable(error, endpoint) : error;
  }
  if (result.code !== 0) throw gitFailed(result, endpoint);
  return result;
}
