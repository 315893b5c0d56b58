import type { Where } from '../dispat-config/configuration.js';
import { type Adjacency, EdgeList } from './adjacency.js';
import type { PlanPackage } from './parse-plan.js';
import { releasingProviders } from './reach-through.js';
import type { TaskPolicy } from './task-policy.js';

/** What a task is. The numbers are those of {@link TaskGraph.kind}. */
export const TASK = { build: 0, publish: 1, prepare: 2 } as const;

/**
 * The tasks of a release and what each waits for, as typed arrays: tasks are numbered in plan order, a package's build
 * before its publish, and every edge leads from a task to one that waits for it.
 */
export interface TaskGraph extends Adjacency {
  /** The package of each task, as an index into {@link TaskGraph.packages}. */
  readonly packageOf: Int32Array;
  readonly packages: readonly PlanPackage[];
  readonly policies: readonly TaskPolicy[];
  /** `TASK` of each task. */
  readonly kind: Uint8Array;
  /** 1 for each task that may run on a node of the pool. */
  readonly onPool: Uint8Array;
}

/** Which tasks a graph has. */
export interface GraphOptions {
  /** One task a package and no publishes, as `dispat run` has it. */
  readonly sweep?: boolean;
}

/**
 * Builds the task graph of a plan.
 * @param packages the plan's packages in plan order; every name in `dependsOn` is one of them
 * @param policies one for each package
 * @see docs/guides/dispat-pool-size.md
 */
export function buildTaskGraph(
  packages: readonly PlanPackage[],
  policies: readonly TaskPolicy[],
  { sweep = false }: GraphOptions = {},
): TaskGraph {
  const indexOf = new Map(packages.map(({ name }, index) => [name, index]));
  const providers = packages.map(({ dependsOn }) =>
    dependsOn.flatMap((name) => {
      const index = indexOf.get(name);
      return index === undefined ? [] : [index];
    }),
  );
  return sweep ? sweepGraph(packages, policies, providers) : releaseGraph(packages, policies, providers);
}

function releaseGraph(
  packages: readonly PlanPackage[],
  policies: readonly TaskPolicy[],
  providers: readonly (readonly number[])[],
): TaskGraph {
  const kinds: number[] = [];
  const packageOf: number[] = [];
  const buildOf = new Int32Array(packages.length).fill(-1);
  const add = (kind: number, index: number): number => packageOf.push(index) && kinds.push(kind) - 1;
  const needed = preparedPackages(packages, policies, providers);
  packages.forEach(({ releases }, index) => {
    if (releases) {
      buildOf[index] = add(TASK.build, index);
      add(TASK.publish, index);
    } else if (needed.has(index)) buildOf[index] = add(TASK.prepare, index);
  });

  const edges = new EdgeList(kinds.length);
  const reach = releasingProviders(packages, policies, providers);
  const lastPublish = new Map<string, number>();
  packages.forEach(({ releases }, index) => {
    if (!releases) return;
    const build = buildOf[index] ?? -1;
    const publish = build + 1;
    edges.add(build, publish);
    for (const { provider, orders } of reach(index)) {
      const provided = buildOf[provider] ?? -1;
      if (orders !== 'none') edges.add(provided, build);
      if (orders === 'publish') edges.add(provided + 1, build);
      edges.add(provided + 1, publish);
    }
    for (const provider of providers[index] ?? []) {
      if (needed.has(provider) && policies[provider]?.relation !== 'none') edges.add(buildOf[provider] ?? -1, build);
    }
    const repository = policies[index]?.repository ?? '';
    const before = lastPublish.get(repository);
    if (before !== undefined) edges.add(before, publish);
    lastPublish.set(repository, publish);
  });
  return graphOf(packages, policies, kinds, packageOf, edges);
}

/** Packages that do not release, but whose outputs the build of a direct consumer needs. */
function preparedPackages(
  packages: readonly PlanPackage[],
  policies: readonly TaskPolicy[],
  providers: readonly (readonly number[])[],
): ReadonlySet<number> {
  const needed = new Set<number>();
  packages.forEach(({ releases }, index) => {
    if (!releases) return;
    for (const provider of providers[index] ?? []) {
      const policy = policies[provider];
      if (!packages[provider]?.releases && policy?.prepared && policy.relation !== 'none') needed.add(provider);
    }
  });
  return needed;
}

function sweepGraph(
  packages: readonly PlanPackage[],
  policies: readonly TaskPolicy[],
  providers: readonly (readonly number[])[],
): TaskGraph {
  const packageOf = packages.flatMap(({ state }, index) => (state === 'not-selected' ? [] : [index]));
  const taskOf = new Map(packageOf.map((index, task) => [index, task]));
  const edges = new EdgeList(packageOf.length);
  packageOf.forEach((index, task) => {
    for (const provider of providers[index] ?? []) {
      const provided = taskOf.get(provider);
      if (provided !== undefined) edges.add(provided, task);
    }
  });
  return graphOf(
    packages,
    policies,
    packageOf.map(() => TASK.build),
    packageOf,
    edges,
  );
}

function graphOf(
  packages: readonly PlanPackage[],
  policies: readonly TaskPolicy[],
  kinds: readonly number[],
  packageOf: readonly number[],
  edges: EdgeList,
): TaskGraph {
  const tasks = { packages, policies, kind: Uint8Array.from(kinds), packageOf: Int32Array.from(packageOf) };
  const onPool = Uint8Array.from(kinds, (_, task) => (whereOf(tasks, task) === 'orchestrator' ? 0 : 1));
  return { ...edges.toAdjacency(), ...tasks, onPool };
}

/** Where a task may run: a publish leaves the orchestrator only when it is told to. */
export function whereOf(
  { kind, packageOf, policies }: Pick<TaskGraph, 'kind' | 'packageOf' | 'policies'>,
  task: number,
): Where {
  const runOnly = policies[packageOf[task] ?? 0]?.runOnly;
  if (kind[task] === TASK.publish) return runOnly?.publish === 'worker' ? 'worker' : 'orchestrator';
  return runOnly?.build ?? 'both';
}

/** A task as a person reads it: a build by its package's name alone. */
export function taskName({ kind, packageOf, packages }: TaskGraph, task: number): string {
  const name = packages[packageOf[task] ?? 0]?.name ?? '';
  if (kind[task] === TASK.publish) return `publish ${name}`;
  return kind[task] === TASK.prepare ? `prepare ${name}` : name;
}
