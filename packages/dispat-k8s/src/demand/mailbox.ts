import type { Tip } from './classify.js';
import type { GitRunner } from './git.js';
import { inspectTips } from './inspect-tips.js';
import { listBranches } from './list-branches.js';
import type { Branch, ParsedRefs } from './parse-refs.js';

/** A mailbox to look into. Nothing here changes it. */
export interface Mailbox {
  /** @throws InputError `GIT_FAILED` or `INPUT_TOO_LARGE` */
  branches(signal: AbortSignal): Promise<ParsedRefs>;
  /**
   * The tips of these branches, by name; one that has gone meanwhile has none.
   * @throws InputError `GIT_FAILED`
   */
  tips(branches: readonly Branch[], signal: AbortSignal): Promise<ReadonlyMap<string, Tip>>;
}

/** The mailbox at an endpoint that was checked. */
export function gitMailbox(git: GitRunner, endpoint: string): Mailbox {
  return {
    branches: (signal) => listBranches(git, endpoint, signal),
    tips: (branches, signal) => inspectTips(git, endpoint, branches, signal),
  };
}
