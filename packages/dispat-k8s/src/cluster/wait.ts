import { inputError } from '../problems.js';
import type { ClusterEvent } from './events.js';
import { isForbidden } from './failures.js';
import { followLog } from './follow-log.js';
import { type NodeState, sameState } from './pods.js';
import { type ClusterDeps, PoolView } from './pool-view.js';
import { failureOf, type PoolFailure, toWaitedNodes, type Until, type WaitedNode } from './readiness.js';
import { type LogRecord, recordLine, servesAt } from './serving.js';
import { Bell, Tasks } from './tasks.js';
import { findWorkloads, type PoolTarget } from './workloads.js';

/** Which pool is waited for, until what, and how long. */
export interface WaitRequest {
  readonly target: PoolTarget;
  /**
   * `running`: every node's container has started, which proves little, as a worker has no readiness of its own and
   * keeps running with a wrong key. `serving`, the default where logs may be read: it also says that it started, under
   * the right name, and complains of its mailbox no more for ten seconds.
   */
  readonly until?: Until;
  /** In milliseconds; the pool's preflight without it, or ten minutes where the pool does not say. */
  readonly limitMs?: number;
}

/** What happened while waiting, as it happens. */
export type WaitProgress =
  | { readonly kind: 'state'; readonly state: NodeState }
  | { readonly kind: 'mailbox error'; readonly node: string; readonly index: number; readonly text: string }
  | { readonly kind: 'wrong name'; readonly node: string; readonly index: number; readonly text: string }
  /** Its log says that it started: ten seconds without a complaint are left. */
  | { readonly kind: 'started'; readonly node: string; readonly index: number }
  | { readonly kind: 'ready'; readonly node: string; readonly index: number }
  | { readonly kind: 'note'; readonly text: string };

/** How a wait ended, and each node as it was then. */
export interface WaitResult {
  readonly outcome: 'ready' | 'failed' | 'timed out';
  readonly until: Until;
  readonly tookMs: number;
  readonly limitMs: number;
  readonly nodes: readonly WaitedNode[];
  readonly failure?: PoolFailure & {
    /** The end of the failed node's log. */
    readonly lastLines: readonly string[];
  };
  /** The cluster's warnings; only after a failure or a wait that ran out. */
  readonly events: readonly ClusterEvent[];
}

const USUAL_LIMIT_MS = 600_000;
const LAST_LINES = 20;

/**
 * Waits until every node of a pool runs, or serves. It changes nothing in the cluster, however it ends.
 * @param onProgress told of each change once
 * @throws InputError `NO_POOL`, `CLUSTER_FORBIDDEN`, `CLUSTER_FAILED`; the signal's reason when that aborts
 */
export async function waitReady(
  request: WaitRequest,
  deps: ClusterDeps,
  onProgress: (progress: WaitProgress) => void = () => {},
): Promise<WaitResult> {
  const found = await findWorkloads(deps.api, request.target, deps.signal);
  const bell = new Bell();
  const view = new PoolView(found, request.target.prefix, deps, bell);
  if (view.nodes.length === 0) throw atRest(request.target);
  await using tasks = new Tasks(bell, deps.signal);
  view.start(tasks);
  return await new Wait(request, deps, view, tasks, bell, onProgress).run();
}

function atRest({ namespace, name }: PoolTarget): Error {
  return inputError({
    code: 'NO_POOL',
    at: `${namespace}/${name}`,
    found: 'a StatefulSet at rest (0 replicas)',
    allowed: 'a pool with nodes',
    fix: 'apply it with replicas first',
  });
}

class Wait {
  readonly #deps: ClusterDeps;
  readonly #view: PoolView;
  readonly #tasks: Tasks;
  readonly #bell: Bell;
  readonly #tell: (progress: WaitProgress) => void;
  readonly #began: number;
  readonly #limitMs: number;
  readonly #mayFallBack: boolean;
  #until: Until;
  /** By pod: what its log has said. Pods that are read are its keys. */
  readonly #logs = new Map<string, LogRecord>();
  readonly #told = new Map<string, NodeState>();
  readonly #toldReady = new Set<string>();

  constructor(
    { until, limitMs }: WaitRequest,
    deps: ClusterDeps,
    view: PoolView,
    tasks: Tasks,
    bell: Bell,
    tell: (progress: WaitProgress) => void,
  ) {
    this.#deps = deps;
    this.#view = view;
    this.#tasks = tasks;
    this.#bell = bell;
    this.#tell = tell;
    this.#began = deps.clock.now();
    const preflights = view.workloads.flatMap(({ preflightMs }) => preflightMs ?? []);
    this.#limitMs = limitMs ?? (preflights.length > 0 ? Math.min(...preflights) : USUAL_LIMIT_MS);
    this.#until = until ?? 'serving';
    this.#mayFallBack = until === undefined;
  }

  async run(): Promise<WaitResult> {
    const { clock, signal } = this.#deps;
    const deadline = this.#began + this.#limitMs;
    for (;;) {
      this.#tasks.throwIfFailed();
      const nodes = this.#look();
      const failure = this.#view.known ? failureOf(nodes, this.#view.workloads, this.#view.gone) : undefined;
      if (failure) return this.#ended('failed', nodes, failure);
      if (this.#view.known && nodes.every(({ ready }) => ready)) return this.#ended('ready', nodes);
      const left = deadline - clock.now();
      if (left <= 0) return this.#ended('timed out', nodes);
      await this.#bell.wait(Math.min(left, this.#untilNextServes()), clock, signal);
    }
  }

  /** Tells what changed, and begins to read the logs of pods that began. */
  #look(): WaitedNode[] {
    const now = this.#deps.clock.now();
    const nodes = toWaitedNodes(this.#view.nodes, this.#logs, this.#until, now);
    if (!this.#view.known) return nodes;
    for (const node of nodes) {
      if (!sameState(this.#told.get(node.node), node)) {
        this.#told.set(node.node, node);
        this.#tell({ kind: 'state', state: stateOnly(node) });
      }
      if (node.ready && !this.#toldReady.has(node.pod ?? '')) {
        this.#toldReady.add(node.pod ?? '');
        this.#tell({ kind: 'ready', node: node.node, index: node.index });
      }
      if (this.#until === 'serving' && node.phase === 'running') this.#readLog(node);
    }
    return nodes;
  }

  #readLog({ node, index, pod, container }: WaitedNode): void {
    if (pod === undefined || container === undefined || this.#logs.has(pod)) return;
    this.#logs.set(pod, {});
    const namespace = this.#view.workloads[0]?.namespace ?? '';
    const hasEnded = (): boolean => !this.#view.nodes.some((now) => now.pod === pod && now.phase === 'running');
    this.#tasks.start(async (signal) => {
      try {
        for await (const { text } of followLog({ namespace, pod, container }, this.#deps, hasEnded, signal)) {
          this.#heard(node, index, pod, text);
        }
      } catch (error) {
        if (!this.#mayFallBack || !isForbidden(error)) throw error;
        this.#fallBack();
      }
    });
  }

  #heard(node: string, index: number, pod: string, line: string): void {
    const before = this.#logs.get(pod) ?? {};
    const record = recordLine(before, line, node, this.#deps.clock.now());
    if (record === before) return;
    this.#logs.set(pod, record);
    if (record.startedAt !== undefined && before.startedAt === undefined) this.#tell({ kind: 'started', node, index });
    if (record.error !== undefined && record.error !== before.error) {
      this.#tell({ kind: 'mailbox error', node, index, text: record.error });
    }
    if (record.otherName !== undefined && record.otherName !== before.otherName) {
      this.#tell({ kind: 'wrong name', node, index, text: record.otherName });
    }
    this.#bell.ring();
  }

  #fallBack(): void {
    if (this.#until === 'running') return;
    this.#until = 'running';
    this.#tell({ kind: 'note', text: 'pod logs may not be read: only whether the pods run is waited for' });
  }

  #untilNextServes(): number {
    const now = this.#deps.clock.now();
    const due = [...this.#logs.values()].flatMap((log) => servesAt(log) ?? []).filter((at) => at > now);
    return due.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...due) - now;
  }

  async #ended(
    outcome: WaitResult['outcome'],
    nodes: readonly WaitedNode[],
    failure?: PoolFailure,
  ): Promise<WaitResult> {
    const { clock, signal } = this.#deps;
    return {
      outcome,
      until: this.#until,
      tookMs: clock.now() - this.#began,
      limitMs: this.#limitMs,
      nodes,
      ...(failure && { failure: { ...failure, lastLines: await this.#lastLines(failure.node) } }),
      events: outcome === 'ready' ? [] : await this.#view.warnings(signal),
    };
  }

  async #lastLines(node: string | undefined): Promise<readonly string[]> {
    const { pod, container } = this.#view.nodes.find((state) => state.node === node) ?? {};
    const namespace = this.#view.workloads[0]?.namespace ?? '';
    if (pod === undefined || container === undefined) return [];
    const lines: string[] = [];
    try {
      const query = { namespace, pod, container, tailLines: LAST_LINES };
      for await (const { text } of this.#deps.api.logs(query, this.#deps.signal)) lines.push(text);
    } catch (error) {
      if (!isForbidden(error)) throw error;
    }
    return lines;
  }
}

function stateOnly({ ready: _, logError: __, otherName: ___, ...state }: WaitedNode): NodeState {
  return state;
}
