import type { Clock } from '@rungar/model';
import { classOf } from '../demand/classify.js';
import type { GitRunner } from '../demand/git.js';
import { inspectTips } from '../demand/inspect-tips.js';
import { listBranches } from '../demand/list-branches.js';
import type { AskMailbox } from './remove.js';

/** Which mailbox is asked, and by what. */
export interface MailboxDeps {
  readonly git: GitRunner;
  readonly clock: Clock;
  readonly endpoint: string;
  /** How long the tip of a publish stays where it is before the publish counts as given up, in milliseconds. */
  readonly retainedAfterMs: number;
}

/** Asks the mailbox's branches. One whose tip says nothing known counts as busy. */
export function mailboxAsker({ git, clock, endpoint, retainedAfterMs }: MailboxDeps): AskMailbox {
  return async (nodes, signal) => {
    const wanted = new Set(nodes);
    const { branches } = await listBranches(git, endpoint, signal);
    const theirs = branches.filter(({ node }) => wanted.has(node));
    const tips = await inspectTips(git, endpoint, theirs, signal);
    const [now, wallNow] = [clock.now(), clock.wallNow()];
    const context = { now, wallNow, pools: [], tips, sightings: new Map(), retainedAfterMs };
    return theirs.flatMap((branch) => {
      const state = tips.get(branch.name)?.state ?? 'unknown';
      const isOver = state === 'done' || state === 'withdrawn';
      if (isOver || classOf(branch, context) !== 'candidate') return [];
      return [`${state === 'unclaimed' ? 'an' : 'a'} ${state} ${branch.kind} of ${branch.node}`];
    });
  };
}
