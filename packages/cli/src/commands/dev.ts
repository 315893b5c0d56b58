import type { Command } from '../command.js';
import { usageError } from '../usage.js';

export const devCommand: Command = {
  name: 'dev [action]',
  describe: 'Run the daemon in an emulated world of GitHub and four backends on this host',
  options: (yargs) =>
    yargs
      .positional('action', { choices: ['queue'], describe: 'queue: give the running world more jobs' })
      .option('demo', { type: 'boolean', describe: 'show one run from end to end, and end' })
      .option('dir', {
        type: 'string',
        describe: "the world's folder (default: a new temporary one)",
        requiresArg: true,
      })
      .option('labels', {
        type: 'string',
        describe: 'queue: what the jobs run on, separated by commas (default: linux-small)',
        requiresArg: true,
      })
      .option('count', { type: 'number', describe: 'queue: how many jobs (default: 1)', requiresArg: true })
      .option('seconds', { type: 'number', describe: 'queue: how long each runs (default: 8)', requiresArg: true })
      .option('fail', { type: 'boolean', describe: 'queue: they end badly' })
      .check(checkUsage),
  async run(args, world) {
    const folder = args.dir === undefined ? undefined : String(args.dir);
    if (args.action === 'queue') {
      const { queueJobs } = await import('../dev/queue.js');
      return queueJobs(readJobs(args), world, folder);
    }
    const { systemClock } = await import('@rungar/model');
    if (args.demo) {
      const { runDemo } = await import('../dev/demo.js');
      return runDemo(world, systemClock, folder);
    }
    const { keepWorld } = await import('../dev/keep.js');
    return keepWorld(world, systemClock, folder);
  },
};

const QUEUE_FLAGS = ['labels', 'count', 'seconds', 'fail'];

function checkUsage(args: Readonly<Record<string, unknown>>): true {
  if (args.action === 'queue') {
    if (args.demo) throw usageError('dev queue takes no --demo');
    readJobs(args);
    return true;
  }
  const astray = QUEUE_FLAGS.find((name) => args[name] !== undefined);
  if (astray !== undefined) throw usageError(`--${astray} belongs to \`rungar dev queue\``);
  return true;
}

function readJobs(args: Readonly<Record<string, unknown>>): {
  labels: string[];
  count: number;
  seconds: number;
  fail: boolean;
} {
  const { labels = 'linux-small', count = 1, seconds = 8, fail } = args;
  const names = String(labels)
    .split(',')
    .map((label) => label.trim())
    .filter(Boolean);
  if (names.length === 0) throw usageError('--labels names no label; give at least one, as in --labels linux-small');
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > 1000)
    throw usageError('--count takes a whole number from 1 to 1000');
  if (typeof seconds !== 'number' || !(seconds > 0) || seconds > 86_400)
    throw usageError('--seconds takes a number above 0, at most 86400');
  return { labels: names, count, seconds, fail: fail === true };
}
