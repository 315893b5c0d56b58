import type { DispatConfiguration } from '../dispat-config/configuration.js';
import { ProblemList } from '../problems.js';
import { EdgeList, type Ordering, topologicalOrder } from './adjacency.js';
import { type CurvePoint, curveSteps, kneeOf } from './curve.js';
import type { Durations } from './durations.js';
import { longestChainTasks, measureLevels, publishChains } from './levels.js';
import type { Plan } from './parse-plan.js';
import { platformSizes } from './platform-sizes.js';
import { checkOverrides, checkProviders, type PolicyOverrides, policiesOf, policyAssumptions } from './policies.js';
import { createSimulator, type SimulatedRun, type SimulationSetup } from './simulate.js';
import type { Bind, SizeReport, SizeRow } from './size-report.js';
import { notesOf, plural, summaryOf } from './size-words.js';
import { finish, type Steps } from './steps.js';
import { durationsOf } from './task-durations.js';
import { buildTaskGraph, type TaskGraph, taskName } from './task-graph.js';
import { antichainSteps } from './width.js';

/** What a plan is sized with. Everything but the plan may be missing; the report says what was assumed then. */
export interface SizeInput extends PolicyOverrides {
  readonly plan: Plan;
  /** What messages call the plan. */
  readonly planFile?: string;
  readonly configuration?: DispatConfiguration | undefined;
  readonly durations?: Durations | undefined;
  /** Added to every task on a worker: 15 s, or nothing without durations. */
  readonly overheadMs?: number | undefined;
  /** Until pods and machines are there, added once: nothing. */
  readonly startDelayMs?: number | undefined;
  /** How long a worker stays without work, for what a pool costs: 900 s. */
  readonly idleTimeoutMs?: number | undefined;
  /** Tasks a worker runs at a time: 1. */
  readonly concurrency?: number | undefined;
  /** Slots of the orchestrator; its `execution.concurrency`, else 1. */
  readonly localSlots?: number | undefined;
  /** In place of the configuration's `concurrency`. */
  readonly buildBudget?: number | undefined;
  readonly publishBudget?: number | undefined;
  /** The largest pool to look at. */
  readonly max?: number | undefined;
  readonly tie?: 'plan' | 'name' | undefined;
  /** How close to the best time is close enough, in percent: 5. */
  readonly targetGain?: number | undefined;
  /** Sizes a `dispat run` sweep instead of a release. */
  readonly sweep?: boolean | undefined;
}

const DEFAULT_OVERHEAD_MS = 15_000;
const DEFAULT_IDLE_TIMEOUT_MS = 900_000;
const DEFAULT_TARGET_GAIN = 5;
const FEWEST_ROWS = 8;

/**
 * Says how large a pool is worth having for a plan, and what each worker buys.
 * @throws InputError `PLAN_CYCLE`, `PLAN_UNKNOWN_PROVIDER` or `OPTION_INVALID`, all at once
 * @see docs/guides/dispat-pool-size.md
 */
export function analysePlan(input: SizeInput): SizeReport {
  return finish(sizingSteps(input));
}

/** {@link analysePlan}, step by step. */
export function* sizingSteps(input: SizeInput): Steps<SizeReport> {
  const prepared = prepareSizing(input);
  const { graph, order, setup, startDelayMs, levels, onOrchestrator } = prepared;
  const width = yield* antichainSteps(graph, order, prepared.members);
  const concurrency = setup.concurrency ?? 1;
  const lowerBoundMs = levels.longestChain + startDelayMs;
  const buildBudget = setup.buildBudget;
  const most = input.max ?? Math.max(width.length, buildBudget ?? 0, FEWEST_ROWS);
  const points = yield* curveSteps(createSimulator(graph, setup), {
    most,
    lowerBound: levels.longestChain,
    sameOnMore: concurrency === 1,
  });
  const targetGain = input.targetGain ?? DEFAULT_TARGET_GAIN;
  const knee = kneeOf(points, targetGain);
  const slots = (knee?.n ?? 0) * concurrency;
  const bestMs = Math.min(...points.map(({ time }) => time));
  const chains = publishChains(graph, levels, prepared.shortest);
  const bind = bindOf({
    atBound: bestMs <= levels.longestChain,
    byPublishes:
      chains.some(({ atLeast }) => atLeast === levels.longestChain) && freeChain(prepared, input) < levels.longestChain,
    budgeted: buildBudget !== undefined && buildBudget < width.length && slots + onOrchestrator >= buildBudget,
    cut: most * concurrency < width.length,
  });
  const report: Omit<SizeReport, 'notes' | 'summary'> = {
    unit: input.durations === undefined ? 'steps' : 'seconds',
    packages: input.plan.packages.length,
    releasing: input.plan.releasing,
    levelWidth: levels.levelWidth,
    width: width.length,
    widest: width.map((task) => taskName(graph, task)),
    peak: peakOf(graph, setup),
    buildBudget: buildBudget ?? null,
    usefulSlots: Math.min(width.length, buildBudget ?? width.length),
    concurrency,
    localSlots: onOrchestrator,
    lowerBound: lowerBoundMs / 1000,
    longestChain: longestChainTasks(graph, levels, prepared.shortest).map((task) => taskName(graph, task)),
    publishChains: chains.map(({ repository, atLeast, total }) => ({
      repository,
      atLeast: (atLeast + startDelayMs) / 1000,
      total: total / 1000,
    })),
    bind,
    recommended: width.length === 0 ? 0 : (knee?.n ?? 0),
    knee: knee?.n ?? 0,
    targetGain,
    platforms: yield* platformSizes(graph, order, setup, targetGain),
    assumptions: prepared.assumptions,
    rows: rowsOf(points, {
      knee: knee?.n,
      lowerBoundMs: levels.longestChain,
      workMs: prepared.workMs,
      concurrency,
      localSlots: onOrchestrator,
      startDelayMs,
      idleTimeoutMs: input.durations === undefined ? undefined : (input.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS),
    }),
  };
  return { ...report, notes: notesOf(report), summary: summaryOf(report) };
}

/**
 * Runs a plan on `nodes` workers; times are milliseconds. An idle timeout below the result's `longestGap` ends a
 * worker the run still counts on.
 * @throws InputError as {@link analysePlan} does
 */
export function simulate(input: SizeInput, nodes: number): SimulatedRun {
  const { graph, setup } = prepareSizing(input);
  return createSimulator(graph, setup)(nodes);
}

interface Prepared {
  readonly graph: TaskGraph;
  readonly order: Int32Array;
  readonly setup: SimulationSetup;
  /** By task: the shortest it can take, wherever it may run. */
  readonly shortest: Float64Array;
  /** The tasks that may run on the pool, ascending. */
  readonly members: Int32Array;
  /** The sum of the shortest times of those. */
  readonly workMs: number;
  readonly levels: ReturnType<typeof measureLevels>;
  readonly startDelayMs: number;
  readonly onOrchestrator: number;
  readonly assumptions: readonly string[];
}

function prepareSizing(input: SizeInput): Prepared {
  const { plan, configuration, durations, planFile = 'plan' } = input;
  const problems = new ProblemList();
  checkProviders(plan, planFile, problems);
  checkOverrides(plan, input, problems);
  reportCycle(plan, packageOrder(plan), planFile, problems);
  problems.throwIfAny();

  const policies = policiesOf(plan, configuration, durations, input);
  const graph = buildTaskGraph(plan.packages, policies, { sweep: input.sweep === true });
  const ordering = topologicalOrder(graph);
  if ('cycle' in ordering) {
    const members = [...new Set(ordering.cycle.map((task) => graph.packageOf[task] ?? 0))];
    reportCycle(plan, { cycle: members }, planFile, problems);
    problems.throwIfAny();
  }
  const order = 'order' in ordering ? ordering.order : new Int32Array();

  const { each, assumptions } = durationsOf(graph, durations);
  const overheadMs = input.overheadMs ?? (durations === undefined ? 0 : DEFAULT_OVERHEAD_MS);
  const onNode = each.map((ms) => ms + overheadMs);
  const localSlots = input.localSlots ?? configuration?.execution?.concurrency?.value ?? 1;
  const shortest = each.map((ms, task) => (onlyOnPool(graph, task, localSlots) ? ms + overheadMs : ms));
  const members = Int32Array.from(
    Array.from({ length: graph.size }, (_, task) => task).filter((task) => graph.onPool[task] === 1),
  );
  const buildBudget = input.buildBudget ?? configuration?.buildBudget?.value;
  const publishBudget = input.publishBudget ?? configuration?.publishBudget?.value;
  return {
    graph,
    order,
    setup: {
      onNode,
      onOrchestrator: each,
      publishBudget: publishBudget ?? 1,
      concurrency: input.concurrency ?? 1,
      localSlots,
      tie: input.tie ?? 'plan',
      ...(buildBudget !== undefined && { buildBudget }),
    },
    shortest,
    members,
    workMs: members.reduce((sum, task) => sum + (shortest[task] ?? 0), 0),
    levels: measureLevels(graph, order, shortest),
    startDelayMs: input.startDelayMs ?? 0,
    onOrchestrator: localSlots,
    assumptions: [
      ...assumptions,
      ...policyAssumptions(configuration, input, policies),
      ...budgetAssumptions(buildBudget, publishBudget),
      ...(plan.skippedLines > 0
        ? [
            `${plural(plan.skippedLines, 'line')} of the plan, which ${plan.skippedLines === 1 ? 'is' : 'are'} no JSON, ${plan.skippedLines === 1 ? 'says' : 'say'} nothing of it`,
          ]
        : []),
      ...(plan.counted ? [] : ['the plan is whole: its line "release plan ready" is missing']),
      ...(input.startDelayMs === undefined ? ['the workers are there when the run begins (no --start-delay)'] : []),
    ],
  };
}

function budgetAssumptions(build: number | undefined, publish: number | undefined): string[] {
  const assumptions: string[] = [];
  if (build === undefined) {
    assumptions.push(
      "no build budget: dispat's own is the orchestrator's number of CPUs when the configuration has no `concurrency`",
    );
  }
  if (publish === undefined) assumptions.push('one publish at a time');
  return assumptions;
}

function onlyOnPool(graph: TaskGraph, task: number, localSlots: number): boolean {
  if (graph.onPool[task] !== 1) return false;
  return localSlots === 0 || graph.policies[graph.packageOf[task] ?? 0]?.runOnly.build === 'worker';
}

function packageOrder(plan: Plan): Ordering {
  const indexOf = new Map(plan.packages.map(({ name }, index) => [name, index]));
  const edges = new EdgeList(plan.packages.length);
  plan.packages.forEach(({ dependsOn }, index) => {
    for (const provider of dependsOn) {
      const from = indexOf.get(provider);
      if (from !== undefined) edges.add(from, index);
    }
  });
  return topologicalOrder(edges.toAdjacency());
}

function reportCycle(plan: Plan, ordering: Ordering, file: string, problems: ProblemList): void {
  if (!('cycle' in ordering)) return;
  const members = ordering.cycle.map((index) => plan.packages[index]);
  const names = members.map((member) => member?.name ?? '');
  problems.add({
    code: 'PLAN_CYCLE',
    at: names[0] ?? file,
    found: `packages that wait for one another: ${[...names, names[0]].join(' → ')}`,
    allowed: 'a plan in which every package comes after its providers',
    fix: 'take one of these dependencies out, or give the plan as dispat prints it',
    place: { file, line: members[0]?.line ?? 1, column: 1 },
  });
}

/** The longest chain if every package had a repository of its own. */
function freeChain({ graph, shortest }: Prepared, { plan, sweep }: SizeInput): number {
  const policies = graph.policies.map((policy, index) => ({ ...policy, repository: String(index) }));
  const free = buildTaskGraph(plan.packages, policies, { sweep: sweep === true });
  const ordering = topologicalOrder(free);
  return 'order' in ordering ? measureLevels(free, ordering.order, shortest).longestChain : 0;
}

function peakOf(graph: TaskGraph, setup: SimulationSetup): number {
  const { buildBudget: _none, ...unbounded } = setup;
  return createSimulator(graph, { ...unbounded, localSlots: 0, concurrency: 1 })(graph.size).peakBuilds;
}

function bindOf(facts: { atBound: boolean; byPublishes: boolean; budgeted: boolean; cut: boolean }): Bind {
  if (facts.atBound) return facts.byPublishes ? 'publishes' : 'chain';
  if (facts.budgeted) return 'budget';
  return facts.cut ? 'work' : 'width';
}

interface RowFacts {
  readonly knee: number | undefined;
  readonly lowerBoundMs: number;
  /** What tasks that may run on the pool take together. */
  readonly workMs: number;
  readonly concurrency: number;
  readonly localSlots: number;
  readonly startDelayMs: number;
  readonly idleTimeoutMs: number | undefined;
}

function rowsOf(points: readonly CurvePoint[], facts: RowFacts): SizeRow[] {
  const { knee, lowerBoundMs, workMs, concurrency, localSlots, startDelayMs, idleTimeoutMs } = facts;
  const alone = (points[0]?.time ?? 0) + startDelayMs;
  return points.map(({ n, time, busy, longestGap }, index): SizeRow => {
    const before = points[index - 1]?.time ?? time;
    const whole = time + startDelayMs;
    return {
      n,
      time: whole / 1000,
      lowerBound: (Math.max(lowerBoundMs, workMs / (n * concurrency + localSlots)) + startDelayMs) / 1000,
      speedUp: whole === 0 ? 1 : alone / whole,
      saved: (before - time) / 1000,
      utilisation: time === 0 ? 0 : busy / (n * concurrency * time),
      workerMinutes: idleTimeoutMs === undefined ? null : (n * (whole + idleTimeoutMs)) / 60_000,
      longestGap: longestGap / 1000,
      bound: time <= lowerBoundMs,
      knee: n === knee,
      rise: time > before,
    };
  });
}
