import type { Command } from '../command.js';

const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;

/** `size`: how large a pool is worth having. */
export const sizeCommand: Command = {
  name: 'size',
  describe: 'say how large a pool is worth having for a plan, and what each worker buys',
  usage:
    '$0 size --plan FILE [options]\n\nReads what `dispat status --log-format json` prints. Runs nothing, and needs no cluster.',
  formats: ['text', 'json', 'csv'],
  flags: {
    plan: text('the plan, as JSON lines; - is standard input'),
    'dispat-config': text('the dispat configuration (JSON, YAML or TOML): relations, runOnly, platforms, budgets'),
    durations: text('JSON: {"defaults": {"build": 240, "publish": "30s"}, "packages": {"core": {"build": "4m"}}}'),
    relation: { ...text('SPACE-OR-PACKAGE=none|build|publish, in place of isBuildWaitingPublish'), array: true },
    repository: { ...text('SPACE-OR-PACKAGE=NAME, when packages are published from several'), array: true },
    overhead: text('seconds added to every task on a worker (15; 0 without durations)'),
    'start-delay': text('seconds until pods and machines are there, added once (0)'),
    'idle-timeout': text('seconds a worker stays without work, for what a pool costs (900)'),
    concurrency: text('tasks a worker runs at a time (1)'),
    local: text("the orchestrator's slots that builds fall over to (its execution.concurrency, else 1)"),
    'build-budget': text('builds in flight at a time, in place of concurrency in the dispat configuration'),
    'publish-budget': text('publishes at a time, in place of concurrency in the dispat configuration'),
    max: text('the largest pool to look at'),
    tie: text('plan or name: the order of tasks that are ready at the start (plan)'),
    'target-gain': text('how close to the best time is close enough, in percent (5)'),
    prepare: { type: 'boolean', describe: 'providers that do not release are built once for their outputs' },
    sweep: { type: 'boolean', describe: 'size a `dispat run` sweep instead of a release' },
    plot: text('also write the curve as an SVG to this file'),
  },
  async run(args, world) {
    const { runSize } = await import('../plan/run-size.js');
    return runSize(args, world, sizeCommand);
  },
};
