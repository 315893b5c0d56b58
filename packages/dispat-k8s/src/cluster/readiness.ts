import type { NodeState } from './pods.js';
import { type LogRecord, servesAt } from './serving.js';
import type { Workload } from './workloads.js';

/** What is waited for: that containers run, or that workers serve their mailbox. */
export type Until = 'running' | 'serving';

/** A node as a wait sees it. */
export interface WaitedNode extends NodeState {
  /** Whether it is what was waited for. */
  readonly ready: boolean;
  /** What its log says is wrong with its mailbox. */
  readonly logError?: string;
  /** The name its worker gave itself, when that is not the node's. */
  readonly otherName?: string;
}

/** Adds to each node's state what its log has said. */
export function toWaitedNodes(
  nodes: readonly NodeState[],
  logs: ReadonlyMap<string, LogRecord>,
  until: Until,
  now: number,
): WaitedNode[] {
  return nodes.map((state) => {
    const log = logs.get(state.pod ?? '') ?? {};
    const serves = servesAt(log);
    const ready = state.phase === 'running' && (until === 'running' || (serves !== undefined && serves <= now));
    return {
      ...state,
      ready,
      ...(!ready && log.error !== undefined && { logError: log.error }),
      ...(log.otherName !== undefined && { otherName: log.otherName }),
    };
  });
}

/** Why a pool will not become ready. */
export interface PoolFailure {
  /** Absent when it is the pool's as a whole. */
  readonly node?: string;
  readonly why: string;
  readonly hint: string;
}

/** Why this pool will not become ready, whatever is waited for; nothing while it may. */
export function failureOf(
  nodes: readonly NodeState[],
  workloads: readonly Workload[],
  gone: readonly string[],
): PoolFailure | undefined {
  const failed = nodes.find(({ phase }) => phase === 'failed');
  if (failed) {
    return {
      node: failed.node,
      why: `failed${becauseOf(failed)}`,
      hint: 'look at its log and at the Secrets it mounts',
    };
  }
  const ended = nodes.find(({ phase }) => phase === 'succeeded');
  if (ended) {
    return {
      node: ended.node,
      why: 'ended before the release began',
      hint: 'its idle timeout ran out: apply the pool nearer to the release, or give a longer --idle-timeout',
    };
  }
  const [deleted] = gone;
  if (deleted !== undefined) return { why: `${deleted} was deleted`, hint: 'apply the pool again' };
  const finished = workloads.find(({ finished: end }) => end !== undefined);
  if (!finished?.finished) return undefined;
  const { as, why } = finished.finished;
  return { why: `${finished.name} is ${as}${why === '' ? '' : ` (${why})`}`, hint: 'apply the pool again' };
}

function becauseOf({ exitCode, reason, message }: NodeState): string {
  const parts = [exitCode === undefined ? undefined : `exit code ${exitCode}`, reason, message];
  const told = parts.filter((part) => part !== undefined);
  return told.length === 0 ? '' : ` (${told.join(', ')})`;
}
