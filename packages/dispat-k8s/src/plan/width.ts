import type { Adjacency } from './adjacency.js';
import { finish, type Steps } from './steps.js';

/** The largest set of vertices none of which leads to another, by number. */
export type Antichain = readonly number[];

/**
 * Finds the largest set of pairwise unrelated vertices among `members`: with tasks, the most that can be ready at the
 * same moment under any durations. Paths through other vertices count.
 *
 * By Dilworth's theorem its size is the number of members minus a largest matching of the graph's closure (Fulkerson,
 * 1956); Hopcroft and Karp's method finds the matching, and Kőnig's construction the set.
 *
 * @param order the vertices in an order that every edge follows
 * @param members the vertices that count, ascending
 */
export function maximumAntichain(graph: Adjacency, order: Int32Array, members: Int32Array): Antichain {
  return finish(antichainSteps(graph, order, members));
}

/** {@link maximumAntichain}, step by step. */
export function* antichainSteps(graph: Adjacency, order: Int32Array, members: Int32Array): Steps<Antichain> {
  const closure = yield* closureAmong(graph, order, members);
  const matching = new Matching(closure, members.length);
  yield* matching.grow();
  return matching.unrelated().map((member) => members[member] ?? 0);
}

/** Rows of bits: bit `v` of row `u` is set when member `u` leads to member `v`. */
interface Closure {
  readonly words: number;
  readonly rows: readonly Int32Array[];
}

/** A step goes over so many vertices: a few milliseconds at the most. */
const VERTICES_A_STEP = 256;

function* closureAmong({ size, start, to }: Adjacency, order: Int32Array, members: Int32Array): Steps<Closure> {
  const words = (members.length + 31) >>> 5;
  const memberOf = new Int32Array(size).fill(-1);
  members.forEach((vertex, member) => {
    memberOf[vertex] = member;
  });
  const reach: Int32Array[] = new Array(size);
  for (let at = order.length - 1; at >= 0; at--) {
    const vertex = order[at] ?? 0;
    const row = new Int32Array(words);
    for (let edge = start[vertex] ?? 0; edge < (start[vertex + 1] ?? 0); edge++) {
      const next = to[edge] ?? 0;
      const further = reach[next];
      if (further !== undefined)
        for (let word = 0; word < words; word++) row[word] = (row[word] ?? 0) | (further[word] ?? 0);
      const member = memberOf[next] ?? -1;
      if (member !== -1) row[member >>> 5] = (row[member >>> 5] ?? 0) | (1 << (member & 31));
    }
    reach[vertex] = row;
    if (at % VERTICES_A_STEP === 0) yield;
  }
  return { words, rows: Array.from(members, (vertex) => reach[vertex] ?? new Int32Array(words)) };
}

const NONE = -1;

/** A matching between the members as sources and the members as targets of the closure's edges. */
class Matching {
  readonly #rows: readonly Int32Array[];
  readonly #words: number;
  readonly #size: number;
  /** The target each source is matched with, and the source of each target. */
  readonly #targetOf: Int32Array;
  readonly #sourceOf: Int32Array;
  /** Of the last search: each source's distance from a free one, and the targets first met at each distance. */
  readonly #distance: Int32Array;
  #layers: Int32Array[] = [];

  constructor({ rows, words }: Closure, size: number) {
    this.#rows = rows;
    this.#words = words;
    this.#size = size;
    this.#targetOf = new Int32Array(size).fill(NONE);
    this.#sourceOf = new Int32Array(size).fill(NONE);
    this.#distance = new Int32Array(size);
  }

  /** Makes it as large as it can be. */
  *grow(): Steps<void> {
    this.#matchGreedily();
    while (yield* this.#layOut()) {
      for (let source = 0; source < this.#size; source++) {
        if (source % VERTICES_A_STEP === 0) yield;
        if (this.#targetOf[source] === NONE) this.#augmentFrom(source);
      }
    }
  }

  /** Members whose both copies stay outside Kőnig's cover; to be asked once the matching is as large as it can be. */
  unrelated(): number[] {
    const found: number[] = [];
    for (let member = 0; member < this.#size; member++) {
      const met = this.#layers.some((layer) => hasBit(layer, member));
      if (this.#distance[member] !== NONE && !met) found.push(member);
    }
    return found;
  }

  #matchGreedily(): void {
    const free = allBits(this.#size, this.#words);
    for (let source = 0; source < this.#size; source++) {
      const target = firstCommon(this.#rows[source], free, 0);
      if (target === NONE) continue;
      clearBit(free, target);
      this.#match(source, target);
    }
  }

  #match(source: number, target: number): void {
    this.#targetOf[source] = target;
    this.#sourceOf[target] = source;
  }

  /** Sorts sources and targets by their distance from the free sources; says whether a free target was met. */
  *#layOut(): Steps<boolean> {
    const unmet = allBits(this.#size, this.#words);
    this.#distance.fill(NONE);
    this.#layers = [];
    let current: number[] = [];
    for (let source = 0; source < this.#size; source++) {
      if (this.#targetOf[source] !== NONE) continue;
      this.#distance[source] = 0;
      current.push(source);
    }
    let freeTarget = false;
    for (let depth = 0; current.length > 0 && !freeTarget; depth++) {
      const layer = new Int32Array(this.#words);
      const next: number[] = [];
      for (const [index, source] of current.entries()) {
        if (index % VERTICES_A_STEP === 0) yield;
        const row = this.#rows[source];
        for (let target = firstCommon(row, unmet, 0); target !== NONE; target = firstCommon(row, unmet, target + 1)) {
          clearBit(unmet, target);
          setBit(layer, target);
          const owner = this.#sourceOf[target] ?? NONE;
          if (owner === NONE) freeTarget = true;
          else {
            this.#distance[owner] = depth + 1;
            next.push(owner);
          }
        }
      }
      this.#layers.push(layer);
      current = next;
    }
    return freeTarget;
  }

  /** Follows the layers from a free source to a free target, using no target twice, and swaps the way it came. */
  #augmentFrom(free: number): void {
    const sources = [free];
    const targets: number[] = [];
    while (sources.length > 0) {
      const depth = sources.length - 1;
      const layer = this.#layers[depth];
      const target = layer === undefined ? NONE : firstCommon(this.#rows[sources[depth] ?? 0], layer, 0);
      if (layer === undefined || target === NONE) {
        sources.pop();
        targets.pop();
        continue;
      }
      clearBit(layer, target);
      targets.push(target);
      const owner = this.#sourceOf[target] ?? NONE;
      if (owner === NONE) {
        for (const [step, source] of sources.entries()) this.#match(source, targets[step] ?? 0);
        return;
      }
      sources.push(owner);
    }
  }
}

function allBits(size: number, words: number): Int32Array {
  const bits = new Int32Array(words).fill(-1);
  if ((size & 31) !== 0) bits[words - 1] = 2 ** (size & 31) - 1;
  return bits;
}

/** The first bit from `from` on that both have, or none. */
function firstCommon(a: Int32Array | undefined, b: Int32Array, from: number): number {
  if (a === undefined) return NONE;
  let word = from >>> 5;
  let common = (a[word] ?? 0) & (b[word] ?? 0) & (-1 << (from & 31));
  while (common === 0) {
    word++;
    if (word >= b.length) return NONE;
    common = (a[word] ?? 0) & (b[word] ?? 0);
  }
  return (word << 5) + (31 - Math.clz32(common & -common));
}

function hasBit(bits: Int32Array, bit: number): boolean {
  return (((bits[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 1;
}

function setBit(bits: Int32Array, bit: number): void {
  bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
}

function clearBit(bits: Int32Array, bit: number): void {
  bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) & ~(1 << (bit & 31));
}
