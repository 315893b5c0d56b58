import type { Command } from '../command.js';
import { EXIT, ExitError } from '../exit.js';

export const devCommand: Command = {
  name: 'dev [action]',
  describe: 'Run the daemon in an emulated world of GitHub and EC2 on this host',
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
        default: 'linux-small',
        describe: 'queue: what the jobs run on, separated by commas',
      })
      .option('count', { type: 'number', default: 1, describe: 'queue: how many jobs' })
      .option('seconds', { type: 'number', default: 8, describe: 'queue: how long each runs' })
      .option('fail', { type: 'boolean', default: false, describe: 'queue: they end badly' }),
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

function readJobs(args: Readonly<Record<string, unknown>>): {
  labels: string[];
  count: number;
  seconds: number;
  fail: boolean;
} {
  const { labels, count, seconds, fail } = args;
  const names = String(labels)
    .split(',')
    .map((label) => label.trim())
    .filter(Boolean);
  if (names.length === 0)
    throw new ExitError(EXIT.usage, '--labels names no label', 'name at least one, as in --labels linux-small');
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > 1000) {
    throw new ExitError(EXIT.usage, '--count takes a whole number from 1 to 1000');
  }
  if (typeof seconds !== 'number' || !(seconds > 0) || seconds > 86_400)
    throw new ExitError(EXIT.usage, '--seconds takes a number above 0, at most 86400');
  return { labels: names, count, seconds, fail: fail === true };
}
