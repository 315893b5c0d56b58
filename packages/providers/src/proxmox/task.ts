import type { Clock } from '@rungar/model';
import type { Pve } from './api.js';
import { PveError } from './errors.js';

export interface TaskTools {
  readonly pve: Pve;
  readonly clock: Clock;
  /** How often a task is looked at, in milliseconds. */
  readonly taskPollMs: number;
}

/**
 * Waits until a task has ended well. A look at it that fails says nothing of the task, which goes on by itself: only
 * a token that may not look ends the wait.
 * @param upid what the call that began it was answered with
 * @throws PveError with the task's own words when it failed; the signal's reason when it aborts
 */
export async function waitForTask(tools: TaskTools, upid: unknown, signal: AbortSignal): Promise<void> {
  const path = taskPath(upid);
  for (;;) {
    const exit = await exitOf(tools.pve, path, signal);
    if (exit === 'OK' || exit?.startsWith('WARNINGS')) return;
    if (exit !== undefined) throw new PveError('refused', exit);
    await tools.clock.sleep(tools.taskPollMs, signal);
  }
}

/** The second part of a UPID is the node the task runs on. */
function taskPath(upid: unknown): string {
  const [, node = ''] = typeof upid === 'string' ? upid.split(':') : [];
  if (typeof upid !== 'string' || node === '') {
    throw new PveError('unanswered', 'a task was begun, and the answer does not name it');
  }
  return `nodes/${encodeURIComponent(node)}/tasks/${encodeURIComponent(upid)}/status`;
}

/** What a task came to; nothing while it runs, and when the look at it failed. */
async function exitOf(pve: Pve, path: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { status, exitstatus } = ((await pve.get(path, signal)) ?? {}) as Record<string, unknown>;
    if (status !== 'stopped') return undefined;
    return typeof exitstatus === 'string' ? exitstatus : 'the task ended without saying how';
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PveError && error.refusal !== 'unauthorised') return undefined;
    throw error;
  }
}
