import { EndHeap } from './heaps.js';
import { NodePool } from './places.js';
import { TASK, type TaskGraph, whereOf } from './task-graph.js';

/** What a run has to work with, beside its nodes. Times are in the unit of the durations. */
export interface SimulationSetup {
  /** How long each task takes on a node of the pool, and how long on the orchestrator. */
  readonly onNode: Float64Array;
  readonly onOrchestrator: Float64Array;
  /** How many builds the run has in flight at most, waiting for a node included; nothing means any number. */
  readonly buildBudget?: number | undefined;
  /** The same for publishes. */
  readonly publishBudget?: number | undefined;
  /** Tasks a node runs at a time. */
  readonly concurrency?: number;
  /** Tasks the orchestrator takes over when no node has a free slot. */
  readonly localSlots?: number;
  /** Whether tasks that are ready at the start come in plan order, or by their package's name. */
  readonly tie?: 'plan' | 'name';
  /** By platform: the builds its nodes may run. Without it every node runs every build. */
  readonly platforms?: readonly string[];
}

/** How a simulated run went. */
export interface SimulatedRun {
  readonly time: number;
  /** Task time spent on the pool's nodes, all together. */
  readonly busy: number;
  /** The longest time any node stood idle before a task came. */
  readonly longestGap: number;
  /** The most builds that ran at once, without those that never leave the orchestrator. */
  readonly peakBuilds: number;
  /** Builds that ran on the orchestrator although a node could have run them. */
  readonly fellOver: number;
  /** Whether some task found no free slot: otherwise more nodes change nothing. */
  readonly shortOfNodes: boolean;
}

/** Runs a plan on a given number of nodes (of each platform, in the setup's order). */
export type Simulator = (...nodes: readonly number[]) => SimulatedRun;

/**
 * Prepares to simulate a plan's run: deterministic list scheduling as dispat does it. Builds and publishes have a
 * budget and a queue each; the head of a queue waits when it does not fit, and nothing overtakes it. A build then needs
 * a node, and keeps its budget while it waits for one.
 * @param graph a graph without cycles
 * @see docs/guides/dispat-pool-size.md, "What a pool of each size takes"
 */
export function createSimulator(graph: TaskGraph, setup: SimulationSetup): Simulator {
  const simulation = new Simulation(graph, setup);
  return (...nodes) => simulation.run(nodes);
}

const ORCHESTRATOR = -1;
/** A publish on the orchestrator takes no slot: its budget is all that bounds it. */
const UNBOUND = -2;

/** Tasks that wait for the same kind of place. */
class Group {
  readonly queue: Int32Array;
  head = 0;
  tail = 0;

  constructor(
    readonly pools: readonly number[],
    readonly onOrchestrator: boolean,
    capacity: number,
  ) {
    this.queue = new Int32Array(capacity);
  }
}

class Simulation {
  readonly #graph: TaskGraph;
  readonly #setup: SimulationSetup;
  readonly #concurrency: number;
  readonly #poolCount: number;
  readonly #ends: EndHeap;
  readonly #waiting: Int32Array;
  readonly #initial: Int32Array;
  /** Ready tasks in the order they became so: builds, and publishes. */
  readonly #builds: Int32Array;
  readonly #publishes: Int32Array;
  readonly #weights: Float64Array;
  readonly #groups: readonly Group[];
  readonly #groupOf: readonly (Group | undefined)[];
  /** When each task began to wait for a place, as a number in a row, and where it runs. */
  readonly #turnOf: Int32Array;
  readonly #poolOf: Int32Array;
  readonly #nodeOf: Int32Array;

  #pools: readonly NodePool[] = [];
  #mostNodes = 0;
  #now = 0;
  #turn = 0;
  #buildHead = 0;
  #buildTail = 0;
  #publishHead = 0;
  #publishTail = 0;
  #buildBudget = 0;
  #publishBudget = 0;
  #localSlots = 0;
  #busy = 0;
  #runningBuilds = 0;
  #peakBuilds = 0;
  #fellOver = 0;
  #shortOfNodes = false;

  constructor(graph: TaskGraph, setup: SimulationSetup) {
    const { size, policies, packageOf } = graph;
    this.#graph = graph;
    this.#setup = setup;
    this.#concurrency = setup.concurrency ?? 1;
    this.#poolCount = setup.platforms?.length ?? 1;
    this.#ends = new EndHeap(size);
    this.#waiting = new Int32Array(size);
    this.#initial = initialTasks(graph, setup.tie ?? 'plan');
    this.#builds = new Int32Array(size);
    this.#publishes = new Int32Array(size);
    this.#weights = Float64Array.from(packageOf, (index) => policies[index]?.weight ?? 1);
    const { groups, groupOf } = groupTasks(graph, setup);
    this.#groups = groups;
    this.#groupOf = groupOf;
    this.#turnOf = new Int32Array(size);
    this.#poolOf = new Int32Array(size);
    this.#nodeOf = new Int32Array(size);
  }

  run(nodes: readonly number[]): SimulatedRun {
    this.#reset(nodes);
    for (const task of this.#initial) this.#becomeReady(task);
    this.#dispatch();
    while (this.#ends.size > 0) {
      this.#now = this.#ends.firstEnd;
      do this.#finish(this.#ends.pop());
      while (this.#ends.size > 0 && this.#ends.firstEnd === this.#now);
      this.#dispatch();
    }
    return {
      time: this.#now,
      busy: this.#busy,
      longestGap: this.#pools.reduce((longest, pool) => Math.max(longest, pool.longestGap), 0),
      peakBuilds: this.#peakBuilds,
      fellOver: this.#fellOver,
      shortOfNodes: this.#shortOfNodes,
    };
  }

  #reset(nodes: readonly number[]): void {
    const most = Math.max(0, ...nodes);
    if (this.#pools.length === 0 || most > this.#mostNodes) {
      this.#mostNodes = Math.max(most, 2 * this.#mostNodes);
      this.#pools = Array.from({ length: this.#poolCount }, () => new NodePool(this.#mostNodes, this.#concurrency));
    }
    for (const [index, pool] of this.#pools.entries()) pool.reset(nodes[index] ?? 0);
    for (const group of this.#groups) group.head = group.tail = 0;
    this.#waiting.set(this.#graph.indegree);
    this.#ends.clear();
    this.#now = this.#turn = this.#busy = 0;
    this.#buildHead = this.#buildTail = this.#publishHead = this.#publishTail = 0;
    this.#buildBudget = this.#setup.buildBudget ?? Number.POSITIVE_INFINITY;
    this.#publishBudget = this.#setup.publishBudget ?? Number.POSITIVE_INFINITY;
    this.#localSlots = Math.max(1, this.#setup.localSlots ?? 0);
    this.#runningBuilds = this.#peakBuilds = this.#fellOver = 0;
    this.#shortOfNodes = false;
  }

  #becomeReady(task: number): void {
    const kind = this.#graph.kind[task];
    if (kind === TASK.publish) this.#publishes[this.#publishTail++] = task;
    else if (kind === TASK.build) this.#builds[this.#buildTail++] = task;
    else this.#waitForPlace(task); // what is only prepared takes no budget
  }

  #dispatch(): void {
    while (this.#buildHead < this.#buildTail) {
      const task = this.#builds[this.#buildHead] ?? 0;
      const weight = this.#weightOf(task);
      if (weight > this.#buildBudget) break;
      this.#buildBudget -= weight;
      this.#buildHead++;
      this.#waitForPlace(task);
    }
    while (this.#publishHead < this.#publishTail && this.#publishBudget >= 1) {
      const task = this.#publishes[this.#publishHead++] ?? 0;
      this.#publishBudget--;
      if (this.#groupOf[task] === undefined) this.#start(task, UNBOUND, 0);
      else this.#waitForPlace(task);
    }
    this.#place();
  }

  /** A weight above the whole budget counts as the whole of it: it runs alone. */
  #weightOf(task: number): number {
    return Math.min(this.#weights[task] ?? 1, this.#setup.buildBudget ?? Number.POSITIVE_INFINITY);
  }

  #waitForPlace(task: number): void {
    const group = this.#groupOf[task];
    if (group === undefined) return;
    this.#turnOf[task] = this.#turn++;
    group.queue[group.tail++] = task;
  }

  /** Gives free places to the tasks that wait for one, the longest-waiting first. */
  #place(): void {
    for (;;) {
      let next: Group | undefined;
      let earliest = 0;
      for (const group of this.#groups) {
        if (group.head === group.tail || !this.#hasPlace(group)) continue;
        const turn = this.#turnOf[group.queue[group.head] ?? 0] ?? 0;
        if (next !== undefined && turn > earliest) continue;
        next = group;
        earliest = turn;
      }
      if (next === undefined) return;
      this.#startIn(next, next.queue[next.head++] ?? 0);
    }
  }

  #hasPlace({ pools, onOrchestrator }: Group): boolean {
    for (const pool of pools) if ((this.#pools[pool]?.freeSlots ?? 0) > 0) return true;
    if (pools.length > 0) this.#shortOfNodes = true;
    return onOrchestrator && this.#localSlots > 0;
  }

  #startIn({ pools }: Group, task: number): void {
    let best = ORCHESTRATOR;
    let least = Number.POSITIVE_INFINITY;
    for (const pool of pools) {
      const nodes = this.#pools[pool];
      if (nodes === undefined || nodes.freeSlots === 0) continue;
      const load = pools.length === 1 ? 0 : nodes.leastLoad();
      if (load >= least) continue;
      best = pool;
      least = load;
    }
    if (best !== ORCHESTRATOR) {
      this.#start(task, best, this.#pools[best]?.take(this.#now) ?? 0);
      return;
    }
    this.#localSlots--;
    if (pools.length > 0) this.#fellOver++;
    this.#start(task, ORCHESTRATOR, 0);
  }

  #start(task: number, pool: number, node: number): void {
    this.#poolOf[task] = pool;
    this.#nodeOf[task] = node;
    const duration = (pool >= 0 ? this.#setup.onNode[task] : this.#setup.onOrchestrator[task]) ?? 0;
    if (pool >= 0) this.#busy += duration;
    if (this.#isCounted(task) && ++this.#runningBuilds > this.#peakBuilds) {
      this.#peakBuilds = this.#runningBuilds;
    }
    this.#ends.push(task, this.#now + duration);
  }

  #isCounted(task: number): boolean {
    return this.#graph.kind[task] === TASK.build && this.#graph.onPool[task] === 1;
  }

  #finish(task: number): void {
    const pool = this.#poolOf[task] ?? UNBOUND;
    if (pool >= 0) this.#pools[pool]?.giveBack(this.#nodeOf[task] ?? 0, this.#now);
    else if (pool === ORCHESTRATOR) this.#localSlots++;
    const { kind, start, to } = this.#graph;
    if (kind[task] === TASK.publish) this.#publishBudget++;
    else if (kind[task] === TASK.build) {
      this.#buildBudget += this.#weightOf(task);
      if (this.#isCounted(task)) this.#runningBuilds--;
    }
    const last = start[task + 1] ?? 0;
    for (let edge = start[task] ?? 0; edge < last; edge++) {
      const next = to[edge] ?? 0;
      const left = (this.#waiting[next] ?? 0) - 1;
      this.#waiting[next] = left;
      if (left === 0) this.#becomeReady(next);
    }
  }
}

/** Tasks that wait for nothing, in the order they are queued. */
function initialTasks({ size, indegree, packageOf, packages }: TaskGraph, tie: 'plan' | 'name'): Int32Array {
  const tasks: number[] = [];
  for (let task = 0; task < size; task++) if (indegree[task] === 0) tasks.push(task);
  if (tie === 'plan') return Int32Array.from(tasks);
  const nameOf = (task: number): string => packages[packageOf[task] ?? 0]?.name ?? '';
  return Int32Array.from(tasks.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : a - b)));
}

/** Sorts the tasks that need a place by the places that would do. */
function groupTasks(
  graph: TaskGraph,
  { platforms, localSlots = 0 }: SimulationSetup,
): { groups: readonly Group[]; groupOf: readonly (Group | undefined)[] } {
  const every = (platforms ?? ['']).map((_, index) => index);
  const groups = new Map<string, Group>();
  const groupOf = Array.from({ length: graph.size }, (_, task): Group | undefined => {
    const where = whereOf(graph, task);
    const isPublish = graph.kind[task] === TASK.publish;
    if (isPublish && where === 'orchestrator') return undefined;
    const allowed =
      isPublish || platforms === undefined ? undefined : graph.policies[graph.packageOf[task] ?? 0]?.platforms;
    const fits =
      where === 'orchestrator' ? [] : every.filter((pool) => allowed?.includes(platforms?.[pool] ?? '') ?? true);
    const onOrchestrator = where === 'orchestrator' || (where === 'both' && localSlots > 0);
    const key = `${fits.join(' ')} ${onOrchestrator}`;
    const group = groups.get(key) ?? new Group(fits, onOrchestrator, graph.size);
    groups.set(key, group);
    return group;
  });
  return { groups: [...groups.values()], groupOf };
}
