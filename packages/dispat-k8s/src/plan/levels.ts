import { TASK, type TaskGraph } from './task-graph.js';

/** What one pass over a task graph tells. Times are in the unit of the durations. */
export interface Levels {
  /** The largest number of builds for the pool that have equal depth: what the eye reads from a printed plan. */
  readonly levelWidth: number;
  /** The time no run can be shorter than, however many machines it has. */
  readonly longestChain: number;
  /** When each task can start at the earliest. */
  readonly earliest: Float64Array;
}

/**
 * Measures a task graph.
 * @param order the tasks in an order that every edge follows
 * @param durations how long each task takes
 */
export function measureLevels(graph: TaskGraph, order: Int32Array, durations: Float64Array): Levels {
  const { size, start, to, kind, onPool } = graph;
  const depth = new Int32Array(size);
  const earliest = new Float64Array(size);
  const buildsAt = new Int32Array(size);
  let levelWidth = 0;
  let longestChain = 0;
  for (let at = 0; at < size; at++) {
    const task = order[at] ?? 0;
    const level = depth[task] ?? 0;
    const end = (earliest[task] ?? 0) + (durations[task] ?? 0);
    if (end > longestChain) longestChain = end;
    if (kind[task] === TASK.build && onPool[task] === 1) {
      const builds = (buildsAt[level] ?? 0) + 1;
      buildsAt[level] = builds;
      if (builds > levelWidth) levelWidth = builds;
    }
    const last = start[task + 1] ?? 0;
    for (let edge = start[task] ?? 0; edge < last; edge++) {
      const next = to[edge] ?? 0;
      if ((depth[next] ?? 0) <= level) depth[next] = level + 1;
      if ((earliest[next] ?? 0) < end) earliest[next] = end;
    }
  }
  return { levelWidth, longestChain, earliest };
}

/** The tasks of one longest chain, first to last. */
export function longestChainTasks(
  graph: TaskGraph,
  { earliest, longestChain }: Levels,
  durations: Float64Array,
): number[] {
  const { size, start, to } = graph;
  const endOf = (task: number): number => (earliest[task] ?? 0) + (durations[task] ?? 0);
  const before = new Int32Array(size).fill(-1);
  let last = -1;
  for (let task = 0; task < size; task++) {
    if (last === -1 && endOf(task) === longestChain) last = task;
    for (let edge = start[task] ?? 0; edge < (start[task + 1] ?? 0); edge++) {
      const next = to[edge] ?? 0;
      if (earliest[next] === endOf(task) && before[next] === -1) before[next] = task;
    }
  }
  const chain: number[] = [];
  for (let task = last; task !== -1; task = before[task] ?? -1) chain.push(task);
  return chain.reverse();
}

/** What the publishes of one repository take at least: the earliest start of the first one, and then all of them. */
export interface PublishChain {
  readonly repository: string;
  readonly atLeast: number;
  /** All its publishes, one after another. */
  readonly total: number;
}

/** The publish chain of each repository, in plan order. */
export function publishChains(graph: TaskGraph, { earliest }: Levels, durations: Float64Array): PublishChain[] {
  const chains = new Map<string, { first: number; total: number }>();
  for (let task = 0; task < graph.size; task++) {
    if (graph.kind[task] !== TASK.publish) continue;
    const repository = graph.policies[graph.packageOf[task] ?? 0]?.repository ?? '';
    const chain = chains.get(repository) ?? { first: earliest[task] ?? 0, total: 0 };
    chain.total += durations[task] ?? 0;
    chains.set(repository, chain);
  }
  return [...chains].map(([repository, { first, total }]) => ({ repository, total, atLeast: first + total }));
}
