/** A directed graph as typed arrays: the successors of `v` are `to[start[v]]` up to `to[start[v + 1]]`. */
export interface Adjacency {
  readonly size: number;
  readonly start: Int32Array;
  /** Each vertex's successors in the order their edges were added. */
  readonly to: Int32Array;
  /** How many edges lead to each vertex. */
  readonly indegree: Int32Array;
}

/** Collects edges; one that is there already is not added again when its target is the same as the last one's. */
export class EdgeList {
  readonly #size: number;
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  /** By source: the latest target it was given. */
  readonly #latest: Int32Array;

  constructor(size: number) {
    this.#size = size;
    this.#latest = new Int32Array(size).fill(-1);
  }

  add(from: number, to: number): void {
    if (this.#latest[from] === to) return;
    this.#latest[from] = to;
    this.#from.push(from);
    this.#to.push(to);
  }

  toAdjacency(): Adjacency {
    const size = this.#size;
    const start = new Int32Array(size + 1);
    const indegree = new Int32Array(size);
    for (let edge = 0; edge < this.#from.length; edge++) {
      const after = (this.#from[edge] ?? 0) + 1;
      const target = this.#to[edge] ?? 0;
      start[after] = (start[after] ?? 0) + 1;
      indegree[target] = (indegree[target] ?? 0) + 1;
    }
    for (let vertex = 0; vertex < size; vertex++) start[vertex + 1] = (start[vertex + 1] ?? 0) + (start[vertex] ?? 0);
    const next = start.slice(0, size);
    const to = new Int32Array(this.#to.length);
    for (let edge = 0; edge < to.length; edge++) {
      const from = this.#from[edge] ?? 0;
      const at = next[from] ?? 0;
      to[at] = this.#to[edge] ?? 0;
      next[from] = at + 1;
    }
    return { size, start, to, indegree };
  }
}

/** The vertices of a graph in an order that every edge follows, or the members of one cycle, in its direction. */
export type Ordering = { readonly order: Int32Array } | { readonly cycle: readonly number[] };

/** Orders a graph, smaller numbers first where it is free to. */
export function topologicalOrder({ size, start, to, indegree }: Adjacency): Ordering {
  const waiting = indegree.slice();
  const order = new Int32Array(size);
  let found = 0;
  for (let vertex = 0; vertex < size; vertex++) if (waiting[vertex] === 0) order[found++] = vertex;
  for (let at = 0; at < found; at++) {
    const vertex = order[at] ?? 0;
    for (let edge = start[vertex] ?? 0; edge < (start[vertex + 1] ?? 0); edge++) {
      const target = to[edge] ?? 0;
      const left = (waiting[target] ?? 0) - 1;
      waiting[target] = left;
      if (left === 0) order[found++] = target;
    }
  }
  return found === size ? { order } : { cycle: cycleAmong({ size, start, to, indegree }, waiting) };
}

/** Every vertex that still waits has a predecessor that does: going back from one must come round. */
function cycleAmong({ size, start, to }: Adjacency, waiting: Int32Array): readonly number[] {
  const before = new Int32Array(size).fill(-1);
  let at = -1;
  for (let vertex = 0; vertex < size; vertex++) {
    if ((waiting[vertex] ?? 0) === 0) continue;
    at = at === -1 ? vertex : at;
    for (let edge = start[vertex] ?? 0; edge < (start[vertex + 1] ?? 0); edge++) before[to[edge] ?? 0] = vertex;
  }
  const seen = new Set<number>();
  for (; !seen.has(at); at = before[at] ?? 0) seen.add(at);
  const cycle: number[] = [at];
  for (let vertex = before[at] ?? 0; vertex !== at; vertex = before[vertex] ?? 0) cycle.push(vertex);
  return cycle.reverse();
}
