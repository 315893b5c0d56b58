import type { Durations, TaskDurations } from './durations.js';
import { TASK, type TaskGraph } from './task-graph.js';

/** How long a build is without any durations. */
const STEP_MS = 1000;

/** Durations of a graph's tasks, in whole milliseconds, and what was made up for them. */
export interface GraphDurations {
  readonly each: Float64Array;
  readonly assumptions: readonly string[];
}

/**
 * The duration of every task. Without a file a build is one step and a publish nothing; with one, a build it does not
 * know takes as long as the middle one of those it knows.
 */
export function durationsOf(graph: TaskGraph, durations: Durations | undefined): GraphDurations {
  const { size, kind, packageOf, packages } = graph;
  if (durations === undefined) {
    const each = Float64Array.from(kind, (task) => (task === TASK.publish ? 0 : STEP_MS));
    return { each, assumptions: ['every build takes 1 step and every publish 0: the times are steps, not minutes'] };
  }
  const told = (task: number, key: keyof TaskDurations): number | undefined =>
    durations.packages.get(packages[packageOf[task] ?? 0]?.name ?? '')?.[key] ?? durations.defaults[key];
  const known: number[] = [];
  const unknownBuilds: number[] = [];
  let unknownPublishes = 0;
  const each = new Float64Array(size);
  for (let task = 0; task < size; task++) {
    const isPublish = kind[task] === TASK.publish;
    const ms = told(task, isPublish ? 'publishMs' : 'buildMs');
    each[task] = ms ?? 0;
    if (isPublish) unknownPublishes += ms === undefined ? 1 : 0;
    else if (ms === undefined) unknownBuilds.push(task);
    else known.push(ms);
  }
  const middle = known.sort((a, b) => a - b)[known.length >> 1] ?? STEP_MS;
  for (const task of unknownBuilds) each[task] = middle;
  const assumptions: string[] = [];
  if (unknownBuilds.length > 0) {
    assumptions.push(`${count(unknownBuilds.length, 'build')} without a duration: ${middle / 1000} s each`);
  }
  if (unknownPublishes > 0)
    assumptions.push(`${count(unknownPublishes, 'publish', 'publishes')} without a duration: 0 s each`);
  return { each, assumptions };
}

function count(amount: number, one: string, several = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : several}`;
}
