import { linksOfPool } from '../generate/generate.js';
import type { Link, PoolOptions, Transfer } from '../pool.js';
import { yamlText } from '../yaml-out/scalar.js';
import { writeYaml } from '../yaml-out/write.js';

/** The orchestrator's half of a pool, as dispat's configuration has it. */
export interface OrchestratorBlock {
  readonly execution: {
    readonly role: 'orchestrator';
    readonly secretEnv: string;
    readonly timeouts: { readonly preflight: number; readonly task: number; readonly cancel: number };
    readonly transfer?: Transfer;
    /** Absent when the command line names the workers. */
    readonly workers?: readonly Link[];
  };
}

/** The whole block, with the list of workers. */
export function orchestratorBlock(options: PoolOptions): OrchestratorBlock {
  return { execution: { ...settings(options), workers: linksOfPool(options) } };
}

/** The block beside flags: what no flag can say. */
export function reducedBlock(options: PoolOptions): OrchestratorBlock {
  return { execution: settings(options) };
}

function settings({
  secretEnv,
  preflight,
  taskTimeout,
  cancel,
  transfer,
}: PoolOptions): OrchestratorBlock['execution'] {
  return {
    role: 'orchestrator',
    secretEnv,
    timeouts: { preflight, task: taskTimeout, cancel },
    ...(transfer && { transfer }),
  };
}

/** The block as YAML: one line a worker, and what to make of the root `concurrency` as a comment. */
export function orchestratorYaml({ execution }: OrchestratorBlock, options: PoolOptions): string {
  const { workers, ...rest } = execution;
  const head = writeYaml(
    { execution: rest },
    { 'execution/timeouts/preflight': 'covers image pulls and new machines' },
  );
  const lines = workers?.map((link) => `    - ${flow(link)}\n`).join('') ?? '';
  return `${concurrencyComment(options)}${head}${workers ? `  workers:\n${lines}` : ''}`;
}

function flow({ name, endpoint }: Link): string {
  return endpoint === undefined
    ? `{name: ${yamlText(name)}}`
    : `{name: ${yamlText(name)}, endpoint: ${yamlText(endpoint)}}`;
}

/** How many tasks the pools run at a time. */
export function slotsOf({ pools, concurrency }: PoolOptions): number {
  return pools.reduce((sum, { count }) => sum + count, 0) * concurrency;
}

function concurrencyComment(options: PoolOptions): string {
  const slots = slotsOf(options);
  return [
    `# A run never has more builds in flight than the root setting concurrency allows; this pool has ${slots} slots.`,
    `# concurrency: [${slots}, 1]`,
    '',
  ].join('\n');
}
