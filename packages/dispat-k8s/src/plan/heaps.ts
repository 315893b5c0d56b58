/** A binary heap of small whole numbers, least first. */
export class IntHeap {
  #items: Int32Array;
  size = 0;

  constructor(capacity: number) {
    this.#items = new Int32Array(Math.max(1, capacity));
  }

  /** Makes it hold 0 up to `count`, exclusive. */
  fill(count: number): void {
    if (this.#items.length < count) this.#items = new Int32Array(count);
    for (let item = 0; item < count; item++) this.#items[item] = item;
    this.size = count;
  }

  /** The least item; 0 when there is none. */
  get least(): number {
    return this.#items[0] ?? 0;
  }

  push(item: number): void {
    if (this.size === this.#items.length) {
      const larger = new Int32Array(this.size * 2);
      larger.set(this.#items);
      this.#items = larger;
    }
    const items = this.#items;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] ?? 0;
      if (above <= item) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  pop(): number {
    const items = this.#items;
    const least = items[0] ?? 0;
    const size = --this.size;
    const item = items[size] ?? 0;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && (items[child + 1] ?? 0) < (items[child] ?? 0)) child++;
      const below = items[child] ?? 0;
      if (below >= item) break;
      items[at] = below;
      at = child;
    }
    items[at] = item;
    return least;
  }
}

/** Running tasks by their end and, at equal ends, in the order they were started. */
export class EndHeap {
  readonly #ends: Float64Array;
  readonly #turns: Int32Array;
  readonly #tasks: Int32Array;
  #turn = 0;
  size = 0;

  /** @param capacity the most it ever holds */
  constructor(capacity: number) {
    this.#ends = new Float64Array(capacity);
    this.#turns = new Int32Array(capacity);
    this.#tasks = new Int32Array(capacity);
  }

  clear(): void {
    this.size = 0;
    this.#turn = 0;
  }

  /** When the first of them ends. */
  get firstEnd(): number {
    return this.#ends[0] ?? 0;
  }

  push(task: number, end: number): void {
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#ends[parent] ?? 0;
      if (above <= end) break; // one that was started earlier goes first
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, task, end, this.#turn++);
  }

  /** Takes out the first that ends. */
  pop(): number {
    const first = this.#tasks[0] ?? 0;
    const size = --this.size;
    const end = this.#ends[size] ?? 0;
    const turn = this.#turns[size] ?? 0;
    const task = this.#tasks[size] ?? 0;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#isBefore(child + 1, child)) child++;
      const below = this.#ends[child] ?? 0;
      if (below > end || (below === end && (this.#turns[child] ?? 0) > turn)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, task, end, turn);
    return first;
  }

  #isBefore(a: number, b: number): boolean {
    const endA = this.#ends[a] ?? 0;
    const endB = this.#ends[b] ?? 0;
    return endA < endB || (endA === endB && (this.#turns[a] ?? 0) < (this.#turns[b] ?? 0));
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#tasks[from] ?? 0, this.#ends[from] ?? 0, this.#turns[from] ?? 0);
  }

  #put(at: number, task: number, end: number, turn: number): void {
    this.#tasks[at] = task;
    this.#ends[at] = end;
    this.#turns[at] = turn;
  }
}
