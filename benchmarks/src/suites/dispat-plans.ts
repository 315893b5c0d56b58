import { strict as assert } from 'node:assert';
import type { Random } from '@rungar/model';
import {
  buildTaskGraph,
  classifyDemand,
  createSimulator,
  type DemandContext,
  maximumAntichain,
  measureLevels,
  parsePlan,
  parseRefs,
  sizeCurve,
  type TaskGraph,
  type TaskPolicy,
  topologicalOrder,
} from 'dispat-k8s';
import type { Benchmark } from '../benchmark.js';
import { cost } from '../rate.js';

const PACKAGES = 5_000;
const MOST_NODES = 64;

/** A plan's log: each package waits for about two of the forty before it. */
function someLog(random: Random, packages = PACKAGES): string {
  const lines = Array.from({ length: packages }, (_, index) => {
    const providers = new Set<string>();
    for (let edge = 0; edge < 2 && index > 0; edge++) {
      if (random.fraction() < 0.1) continue;
      providers.add(`package-${Math.floor(random.fraction() * index)}`);
    }
    return JSON.stringify({
      level: 'info',
      time: '2027-01-04T09:00:00Z',
      package: `package-${index}`,
      space: `space-${index % 20}`,
      dependsOn: [...providers],
      version: '1.4.0',
      channel: 'latest',
      bump: 'minor',
      reason: 'commits',
      ownCommits: 3,
      dueToProviders: [],
      message: '● changed',
    });
  });
  lines.push(JSON.stringify({ message: 'release plan ready', packages, releasing: packages, held: 0 }));
  return lines.join('\n');
}

interface SomePlan {
  readonly graph: TaskGraph;
  readonly order: Int32Array;
  readonly durations: Float64Array;
  /** The builds alone, in plan order. */
  readonly builds: Int32Array;
  readonly longestChain: number;
}

const POLICY: TaskPolicy = {
  relation: 'build',
  runOnly: { build: 'both', publish: 'both' },
  prepared: false,
  repository: 'one',
  weight: 1,
};

/** The same as a graph, with builds of one to ten minutes and publishes that take no time. */
function somePlan(random: Random): SomePlan {
  const { packages } = parsePlan(someLog(random)).plan;
  const graph = buildTaskGraph(
    packages,
    packages.map(() => POLICY),
  );
  const ordering = topologicalOrder(graph);
  assert('order' in ordering);
  const durations = Float64Array.from(graph.kind, (kind) =>
    kind === 0 ? 60 + Math.floor(random.fraction() * 540) : 0,
  );
  const builds = Int32Array.from(graph.kind.keys()).filter((task) => graph.kind[task] === 0);
  const { longestChain } = measureLevels(graph, ordering.order, durations);
  return { graph, order: ordering.order, durations, builds, longestChain };
}

/** One pass in order: the depth and the earliest end of every task. */
function barePass({ graph, order, durations }: SomePlan): number {
  const { size, start, to } = graph;
  const depth = new Int32Array(size);
  const ready = new Float64Array(size);
  let longest = 0;
  for (let at = 0; at < size; at++) {
    const task = order[at] as number;
    const end = (ready[task] as number) + (durations[task] as number);
    const next = (depth[task] as number) + 1;
    if (end > longest) longest = end;
    for (let edge = start[task] as number; edge < (start[task + 1] as number); edge++) {
      const target = to[edge] as number;
      if ((depth[target] as number) < next) depth[target] = next;
      if ((ready[target] as number) < end) ready[target] = end;
    }
  }
  return longest;
}

/** List scheduling and nothing else: a queue of ready tasks, a number of free slots and a heap of ends. */
function bareSchedule({ graph, durations }: SomePlan, slots: number): number {
  const { size, start, to, indegree, kind } = graph;
  const waiting = indegree.slice();
  const builds = new Int32Array(size);
  const publishes = new Int32Array(size);
  let [buildHead, buildTail, publishHead, publishTail] = [0, 0, 0, 0];
  const ends = new Float64Array(size);
  const turns = new Int32Array(size);
  const tasks = new Int32Array(size);
  let [running, turn, free, freePublishes, now] = [0, 0, slots, 1, 0];
  const before = (endA: number, turnA: number, endB: number, turnB: number): boolean =>
    endA < endB || (endA === endB && turnA < turnB);
  const push = (task: number): void => {
    const end = now + (durations[task] as number);
    let at = running++;
    for (let parent = (at - 1) >> 1; at > 0 && end < (ends[parent] as number); parent = (at - 1) >> 1) {
      ends[at] = ends[parent] as number;
      turns[at] = turns[parent] as number;
      tasks[at] = tasks[parent] as number;
      at = parent;
    }
    ends[at] = end;
    turns[at] = turn++;
    tasks[at] = task;
  };
  const pop = (): number => {
    const first = tasks[0] as number;
    running--;
    const [end, order, task] = [ends[running] as number, turns[running] as number, tasks[running] as number];
    let at = 0;
    for (let child = 1; child < running; child = 2 * at + 1) {
      const right = child + 1;
      if (
        right < running &&
        before(ends[right] as number, turns[right] as number, ends[child] as number, turns[child] as number)
      )
        child = right;
      if (!before(ends[child] as number, turns[child] as number, end, order)) break;
      ends[at] = ends[child] as number;
      turns[at] = turns[child] as number;
      tasks[at] = tasks[child] as number;
      at = child;
    }
    ends[at] = end;
    turns[at] = order;
    tasks[at] = task;
    return first;
  };
  const ready = (task: number): void => {
    if (kind[task] === 0) builds[buildTail++] = task;
    else publishes[publishTail++] = task;
  };
  for (let task = 0; task < size; task++) if (waiting[task] === 0) ready(task);
  for (;;) {
    for (; buildHead < buildTail && free > 0; free--) push(builds[buildHead++] as number);
    for (; publishHead < publishTail && freePublishes > 0; freePublishes--) push(publishes[publishHead++] as number);
    if (running === 0) return now;
    now = ends[0] as number;
    do {
      const task = pop();
      if (kind[task] === 0) free++;
      else freePublishes++;
      for (let edge = start[task] as number; edge < (start[task + 1] as number); edge++) {
        const next = to[edge] as number;
        const left = (waiting[next] as number) - 1;
        waiting[next] = left;
        if (left === 0) ready(next);
      }
    } while (running > 0 && ends[0] === now);
  }
}

function simulatorOf({ graph, durations }: SomePlan) {
  return createSimulator(graph, { onNode: durations, onOrchestrator: durations, publishBudget: 1 });
}

/** Bare simulations up to the first size that takes no longer than the bound. */
function bareUntilBound(plan: SomePlan): number {
  for (let slots = 1; ; slots++) if (bareSchedule(plan, slots) <= plan.longestChain) return slots;
}

const curveOf = (plan: SomePlan, most: number) =>
  sizeCurve(simulatorOf(plan), { most, lowerBound: plan.longestChain, sameOnMore: true });

const onePlan = (random: Random): readonly SomePlan[] => [somePlan(random)];

export const poolSize: Benchmark = {
  id: 'P42',
  kind: 'real',
  what: 'the size of a pool for a plan of 5,000 packages ÷ the bare algorithm',
  measurements: [
    cost({
      what: 'levels, width, longest chain ÷ one bare pass',
      inputs: onePlan,
      check(plan) {
        const levels = measureLevels(plan.graph, plan.order, plan.durations);
        assert.equal(levels.longestChain, barePass(plan));
        assert.ok(levels.levelWidth > 100);
        assert.ok(maximumAntichain(plan.graph, plan.order, plan.builds).length > 1000);
      },
      ours: ({ graph, order, durations }) => measureLevels(graph, order, durations),
      reference: barePass,
      target: 2,
      bar: 4,
    }),
    cost({
      what: 'times of 1 to 64 workers ÷ 64 bare simulations',
      inputs: onePlan,
      check(plan) {
        const bare = Array.from({ length: MOST_NODES }, (_, index) => bareSchedule(plan, index + 1));
        assert.deepEqual(
          curveOf(plan, MOST_NODES).map(({ time }) => time),
          bare,
        );
      },
      ours: (plan) => curveOf(plan, MOST_NODES),
      reference(plan) {
        let total = 0;
        for (let slots = 1; slots <= MOST_NODES; slots++) total += bareSchedule(plan, slots);
        return total;
      },
      target: 1.2,
      bar: 2,
    }),
    cost({
      what: 'times up to the width ÷ simulations to the bound',
      inputs: onePlan,
      check(plan) {
        const width = maximumAntichain(plan.graph, plan.order, plan.builds).length;
        const points = curveOf(plan, width);
        assert.equal(points.at(-1)?.n, width);
        assert.equal(points.find(({ time }) => time <= plan.longestChain)?.n, bareUntilBound(plan));
      },
      ours: (plan) => curveOf(plan, plan.builds.length),
      reference: bareUntilBound,
      target: 1.2,
      bar: 2,
    }),
    cost({
      what: 'read the plan ÷ JSON.parse line by line',
      inputs: (random) => [someLog(random)],
      check(log) {
        const { plan, problems } = parsePlan(log);
        assert.deepEqual(problems, []);
        assert.equal(plan.releasing, PACKAGES);
      },
      ours: (log) => parsePlan(log),
      reference: (log) => log.split('\n').map((line) => JSON.parse(line)),
      target: 2,
      bar: 3,
    }),
  ],
};

const BRANCHES = 10_000;
/** As many as a pool has at most before it is warned of. */
const NODES = 50;
const KINDS = ['probe', 'build', 'publish', 'snapshot'] as const;

/** What git prints, sorted as git does, as bytes and as the text they are. */
function someRefs(random: Random): { readonly bytes: Buffer; readonly text: string } {
  const hex = (digits: number): string => Buffer.from(random.bytes(digits / 2)).toString('hex');
  const refs = Array.from({ length: BRANCHES }, (_, index) => {
    const kind = KINDS[Math.floor(index / NODES) % KINDS.length];
    return `refs/heads/dispat-worker-build-w-${index % NODES}-20260820-${kind}-${hex(32)}`;
  }).sort();
  const bytes = Buffer.from(refs.map((ref) => `${hex(40)}\t${ref}\n`).join(''));
  return { bytes, text: bytes.toString() };
}

const CONTEXT: DemandContext = {
  now: 0,
  wallNow: Date.UTC(2026, 7, 20, 12),
  pools: [{ prefix: 'build-w-', count: NODES }],
  sightings: new Map(),
  retainedAfterMs: 3_660_000,
};

export const demand: Benchmark = {
  id: 'P45',
  kind: 'real',
  what: 'demand from 10,000 remote branches ÷ splitting the text into lines',
  measurements: [
    cost({
      what: 'what git prints to demand',
      inputs: (random) => [someRefs(random)],
      check({ bytes }) {
        const found = classifyDemand(parseRefs(bytes), CONTEXT);
        assert.equal(found.branches, BRANCHES);
        assert.equal(found.candidates + found.transport, BRANCHES);
        assert.equal(found.wantedNodes.length, NODES);
      },
      ours: ({ bytes }) => classifyDemand(parseRefs(bytes), CONTEXT),
      reference: ({ text }) => text.split('\n'),
      target: 3,
      bar: 6,
    }),
  ],
};
