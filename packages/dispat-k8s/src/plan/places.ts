import { IntHeap } from './heaps.js';

/** Nodes of one kind: each runs up to `concurrency` tasks, and the least loaded one gets the next, the first among equals. */
export class NodePool {
  readonly #concurrency: number;
  readonly #load: Int32Array;
  readonly #idleSince: Float64Array;
  /** By load: nodes that have, or once had, that many tasks. An entry whose node has another load now is stale. */
  readonly #byLoad: readonly IntHeap[];
  freeSlots = 0;
  /** The longest time any node stood idle before it was given a task. */
  longestGap = 0;

  constructor(mostNodes: number, concurrency: number) {
    this.#concurrency = concurrency;
    this.#load = new Int32Array(mostNodes);
    this.#idleSince = new Float64Array(mostNodes);
    this.#byLoad = Array.from({ length: concurrency }, () => new IntHeap(mostNodes));
  }

  /** Starts anew with `count` idle nodes. */
  reset(count: number): void {
    this.#load.fill(0);
    this.#idleSince.fill(0);
    for (const heap of this.#byLoad) heap.fill(0);
    this.#byLoad[0]?.fill(count);
    this.freeSlots = count * this.#concurrency;
    this.longestGap = 0;
  }

  /** The load of the node that {@link NodePool.take} would choose; only when there is a free slot. */
  leastLoad(): number {
    for (let load = 0; load < this.#concurrency; load++) {
      const heap = this.#byLoad[load];
      if (heap === undefined) break;
      while (heap.size > 0 && this.#load[heap.least] !== load) heap.pop();
      if (heap.size > 0) return load;
    }
    return this.#concurrency;
  }

  /** Gives a task to the least loaded node. */
  take(now: number): number {
    const load = this.leastLoad();
    const node = this.#byLoad[load]?.pop() ?? 0;
    if (load === 0) this.longestGap = Math.max(this.longestGap, now - (this.#idleSince[node] ?? 0));
    this.#load[node] = load + 1;
    if (load + 1 < this.#concurrency) this.#byLoad[load + 1]?.push(node);
    this.freeSlots--;
    return node;
  }

  giveBack(node: number, now: number): void {
    const load = (this.#load[node] ?? 1) - 1;
    this.#load[node] = load;
    if (load === 0) this.#idleSince[node] = now;
    this.#byLoad[load]?.push(node);
    this.freeSlots++;
  }
}
