import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planOf, sizeInputOf, type TestPackage } from '../../test/plans.js';
import { topologicalOrder } from './adjacency.js';
import { analysePlan } from './analyse.js';
import { policiesOf } from './policies.js';
import { buildTaskGraph, TASK, type TaskGraph } from './task-graph.js';
import { maximumAntichain } from './width.js';

const MOST = 12;

/** Up to twelve packages, each of which may wait for any before it. */
const someReleases = fc
  .array(
    fc.record({
      build: fc.integer({ min: 0, max: 9 }),
      publish: fc.integer({ min: 0, max: 4 }),
      relation: fc.constantFrom('none' as const, 'build' as const, 'publish' as const),
      on: fc.array(fc.nat({ max: MOST - 1 }), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: MOST },
  )
  .map((packages): TestPackage[] =>
    packages.map(({ on, ...rest }, index) => ({
      ...rest,
      name: `p${index}`,
      on: [...new Set(on.filter((provider) => provider < index))].map((provider) => `p${provider}`),
    })),
  );

test('A60: no pool is faster than the bound, and none larger than the width is another', () => {
  fc.assert(
    fc.property(someReleases, (packages) => {
      const report = analysePlan(sizeInputOf(packages, { max: MOST + 2 }));
      expect(report.levelWidth).toBeLessThanOrEqual(report.width);
      expect(report.peak).toBeLessThanOrEqual(report.width);
      const atWidth = report.rows.find(({ n }) => n === report.width)?.time;
      for (const { n, time, lowerBound } of report.rows) {
        expect(lowerBound).toBeGreaterThanOrEqual(report.lowerBound);
        expect(time).toBeGreaterThanOrEqual(lowerBound);
        if (n >= report.width) expect(time).toBe(atWidth);
      }
    }),
    { numRuns: 300 },
  );
});

test('A60: the width is that of the largest unrelated set, as trying every set finds it', () => {
  fc.assert(
    fc.property(someReleases, (packages) => {
      const graph = graphOf(packages);
      const ordering = topologicalOrder(graph);
      if (!('order' in ordering)) throw new Error('a plan in order has no cycle');
      const builds = Int32Array.from(graph.kind.keys()).filter((task) => graph.kind[task] === TASK.build);
      const reach = reachability(graph);
      const antichain = maximumAntichain(graph, ordering.order, builds);
      for (const a of antichain) for (const b of antichain) expect(reach[a]?.has(b)).toBe(false);
      expect(antichain).toHaveLength(largestUnrelated(builds, reach));
    }),
    { numRuns: 300 },
  );
});

test('A60: helping out on the orchestrator, or overhead, keeps the bound a bound', () => {
  fc.assert(
    fc.property(
      someReleases,
      fc.nat({ max: 2 }),
      fc.nat({ max: 3 }),
      fc.integer({ min: 1, max: 3 }),
      (packages, localSlots, overhead, concurrency) => {
        const report = analysePlan(
          sizeInputOf(packages, { localSlots, overheadMs: overhead * 1000, concurrency, max: 4, startDelayMs: 5000 }),
        );
        for (const { time, lowerBound } of report.rows) {
          expect(lowerBound).toBeGreaterThanOrEqual(report.lowerBound);
          expect(time).toBeGreaterThanOrEqual(lowerBound);
        }
      },
    ),
    { numRuns: 200 },
  );
});

function graphOf(packages: readonly TestPackage[]): TaskGraph {
  const plan = planOf(packages);
  return buildTaskGraph(plan.packages, policiesOf(plan, undefined, undefined, sizeInputOf(packages)));
}

/** What each task leads to, by walking. */
function reachability({ size, start, to }: TaskGraph): ReadonlySet<number>[] {
  return Array.from({ length: size }, (_, from) => {
    const seen = new Set<number>();
    const stack = [from];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      for (const next of to.subarray(start[at], start[at + 1])) {
        if (seen.has(next)) continue;
        seen.add(next);
        stack.push(next);
      }
    }
    return seen;
  });
}

function largestUnrelated(tasks: Int32Array, reach: readonly ReadonlySet<number>[]): number {
  let largest = 0;
  for (let subset = 0; subset < 1 << tasks.length; subset++) {
    const chosen = [...tasks].filter((_, index) => (subset >> index) & 1);
    if (chosen.length <= largest) continue;
    if (chosen.every((a) => chosen.every((b) => !reach[a]?.has(b)))) largest = chosen.length;
  }
  return largest;
}
