import { isForbidden } from './failures.js';
import { followLog } from './follow-log.js';
import { type NodeState, sameState } from './pods.js';
import { type ClusterDeps, PoolView } from './pool-view.js';
import { Bell, Tasks } from './tasks.js';
import { findWorkloads, type PoolTarget } from './workloads.js';

/** What happens in a pool, in order as far as the cluster tells it. */
export type FollowEvent =
  | { readonly kind: 'state'; readonly node: string; readonly state: NodeState }
  | { readonly kind: 'log'; readonly node: string; readonly at: string; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'end'; readonly workload: string; readonly as: FollowEnd; readonly why: string };

/** How a pool can end. */
export type FollowEnd = 'complete' | 'failed' | 'deleted' | 'at rest';

/** How a pool ended, and each of its nodes. */
export interface FollowResult {
  /** The worst of its workloads' ends. */
  readonly outcome: FollowEnd;
  readonly nodes: readonly NodeState[];
}

/** How long the last lines may take once the pool has ended. */
const DRAIN_MS = 10_000;

/**
 * Tells a pool's changes and its workers' logs until it ends. It changes nothing in the cluster.
 * @throws InputError `NO_POOL`, `CLUSTER_FORBIDDEN`, `CLUSTER_FAILED`; the signal's reason when that aborts
 */
export async function follow(
  target: PoolTarget,
  deps: ClusterDeps,
  onEvent: (event: FollowEvent) => void,
): Promise<FollowResult> {
  const { api, clock, signal } = deps;
  const found = await findWorkloads(api, target, signal);
  const bell = new Bell();
  const view = new PoolView(found, target.prefix, deps, bell);
  await using watches = new Tasks(bell, signal);
  await using logs = new Tasks(bell, signal);
  view.start(watches);
  const teller = new Teller(view, logs, deps, onEvent);
  for (;;) {
    watches.throwIfFailed();
    logs.throwIfFailed();
    if (view.known) {
      teller.tellChanges();
      const ends = endsOf(view);
      if (ends !== undefined) {
        await drain(logs, bell, deps);
        teller.tellChanges();
        for (const end of ends) onEvent({ kind: 'end', ...end });
        return { outcome: worst(ends.map(({ as }) => as)), nodes: view.nodes };
      }
    }
    await bell.wait(Number.POSITIVE_INFINITY, clock, signal);
  }
}

class Teller {
  readonly #view: PoolView;
  readonly #logs: Tasks;
  readonly #deps: ClusterDeps;
  readonly #onEvent: (event: FollowEvent) => void;
  readonly #told = new Map<string, NodeState>();
  readonly #read = new Set<string>();
  #silent = false;

  constructor(view: PoolView, logs: Tasks, deps: ClusterDeps, onEvent: (event: FollowEvent) => void) {
    this.#view = view;
    this.#logs = logs;
    this.#deps = deps;
    this.#onEvent = onEvent;
  }

  tellChanges(): void {
    for (const state of this.#view.nodes) {
      if (!sameState(this.#told.get(state.node), state)) {
        this.#told.set(state.node, state);
        this.#onEvent({ kind: 'state', node: state.node, state });
      }
      if (state.phase !== 'absent' && state.phase !== 'pending') this.#readLog(state);
    }
  }

  #readLog({ node, pod, container }: NodeState): void {
    if (pod === undefined || container === undefined || this.#read.has(pod)) return;
    this.#read.add(pod);
    const namespace = this.#view.workloads[0]?.namespace ?? '';
    const hasEnded = (): boolean => !this.#view.nodes.some((now) => now.pod === pod && now.phase === 'running');
    this.#logs.start(async (signal) => {
      try {
        for await (const { at, text } of followLog({ namespace, pod, container }, this.#deps, hasEnded, signal)) {
          this.#onEvent({ kind: 'log', node, at, text });
        }
      } catch (error) {
        if (!isForbidden(error)) throw error;
        if (!this.#silent) this.#onEvent({ kind: 'note', text: 'pod logs may not be read: only states are told' });
        this.#silent = true;
      }
    });
  }
}

interface End {
  readonly workload: string;
  readonly as: FollowEnd;
  readonly why: string;
}

/** How each workload ended; nothing while one goes on. */
function endsOf(view: PoolView): End[] | undefined {
  const ends: End[] = [];
  for (const { kind, name, finished, nodes } of view.workloads) {
    if (view.gone.includes(name)) ends.push({ workload: name, as: 'deleted', why: '' });
    else if (finished) ends.push({ workload: name, ...finished });
    else if (kind === 'StatefulSet' && nodes.length === 0)
      ends.push({ workload: name, as: 'at rest', why: '0 replicas' });
    else return undefined;
  }
  return ends;
}

const ORDER: readonly FollowEnd[] = ['failed', 'deleted', 'complete', 'at rest'];

function worst(ends: readonly FollowEnd[]): FollowEnd {
  return ORDER.find((end) => ends.includes(end)) ?? 'complete';
}

async function drain(logs: Tasks, bell: Bell, { clock, signal }: ClusterDeps): Promise<void> {
  const end = clock.now() + DRAIN_MS;
  while (logs.running > 0 && clock.now() < end) await bell.wait(end - clock.now(), clock, signal);
}
