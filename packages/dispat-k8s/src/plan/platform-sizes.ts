import { curveSteps, kneeOf } from './curve.js';
import { createSimulator, type SimulationSetup } from './simulate.js';
import type { PlatformSize } from './size-report.js';
import type { Steps } from './steps.js';
import { TASK, type TaskGraph, taskName } from './task-graph.js';
import { type Antichain, antichainSteps } from './width.js';

/**
 * Sizes the pool of each platform that builds name, while the others have as many workers as they can use. A build
 * that may run on several counts for each. Nothing when no build names any.
 */
export function* platformSizes(
  graph: TaskGraph,
  order: Int32Array,
  setup: SimulationSetup,
  targetGain: number,
): Steps<PlatformSize[]> {
  const platforms = [...new Set(graph.policies.flatMap((policy) => policy.platforms ?? []))];
  const widest: Antichain[] = [];
  for (const platform of platforms) widest.push(yield* antichainSteps(graph, order, tasksOf(graph, platform)));
  const run = createSimulator(graph, { ...setup, platforms });
  const sizes: PlatformSize[] = [];
  for (const [index, platform] of platforms.entries()) {
    const width = widest[index]?.length ?? 0;
    const others = widest.map((set) => set.length);
    const points = yield* curveSteps((n) => run(...others.with(index, n ?? 0)), {
      most: width,
      lowerBound: 0,
      sameOnMore: setup.concurrency === 1,
    });
    sizes.push({
      platform,
      width,
      widest: (widest[index] ?? []).map((task) => taskName(graph, task)),
      recommended: kneeOf(points, targetGain)?.n ?? 0,
    });
  }
  return sizes;
}

function tasksOf({ size, kind, onPool, policies, packageOf }: TaskGraph, platform: string): Int32Array {
  const tasks: number[] = [];
  for (let task = 0; task < size; task++) {
    if (onPool[task] !== 1) continue;
    const allowed = kind[task] === TASK.publish ? undefined : policies[packageOf[task] ?? 0]?.platforms;
    if (allowed?.includes(platform) ?? true) tasks.push(task);
  }
  return Int32Array.from(tasks);
}
