import type { Command } from '../command.js';
import { usageError } from '../usage.js';
import { configOption, DEFAULT_CONFIG } from './validate.js';

export const serveCommand: Command = {
  name: 'serve',
  describe: 'Run the daemon until it is told to stop',
  options: (yargs) =>
    configOption(yargs)
      .option('record', {
        type: 'string',
        requiresArg: true,
        describe: 'append every decision, with what it was made from, to this file; for rungar replay',
      })
      .check(({ record }) => {
        if (record === '') throw usageError('--record names no file');
        return true;
      }),
  async run(args, world) {
    const { serve } = await import('../serve.js');
    const { record } = args;
    return serve(String(args.config), { ...(typeof record === 'string' && { record }) }, world);
  },
};

/** The flags of `serve` in each of their spellings. */
const FLAGS: ReadonlyMap<string, keyof ServeArguments> = new Map([
  ['--config', 'config'],
  ['-f', 'config'],
  ['--record', 'record'],
]);

interface ServeArguments {
  config: string;
  record?: string;
}

/**
 * Reads the arguments of a `serve` as service managers write them, each flag once and with its value behind it, so that
 * a daemon starts without the parser of the other commands.
 * @param args what stands after the program's name
 * @returns what the parser would have read; undefined for any other command, or where that is not plain to see
 */
export function plainServe([command, ...rest]: readonly string[]): ServeArguments | undefined {
  if (command !== 'serve' || rest.length % 2 !== 0) return undefined;
  const given: Partial<ServeArguments> = {};
  for (let at = 0; at < rest.length; at += 2) {
    const name = FLAGS.get(rest[at] ?? '');
    const value = rest[at + 1] ?? '';
    if (name === undefined || given[name] !== undefined || !/^[\w./]/.test(value)) return undefined;
    given[name] = value;
  }
  return { config: DEFAULT_CONFIG, ...given };
}
