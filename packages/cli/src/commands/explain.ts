import type { Argv } from 'yargs';
import type { Command } from '../command.js';
import { checkTail, usageError } from '../usage.js';

/** What can be explained, with its word in the API. */
const KINDS = { runner: 'runner', 'scale-set': 'scale_set', job: 'job', provider: 'provider' } as const;

export const explainCommand: Command = {
  name: 'explain <kind> <name>',
  describe: 'Tell what became of a runner, scale set, job or provider, and why',
  options: (yargs): Argv =>
    yargs
      .positional('kind', { choices: Object.keys(KINDS), describe: 'what to explain' })
      .positional('name', { type: 'string', describe: "its name; of a job its id, or its or its run's address" })
      .option('labels', {
        type: 'string',
        requiresArg: true,
        describe: 'what the job asks for in runs-on, separated by commas',
      })
      .option('tail', {
        alias: 'n',
        type: 'number',
        default: 0,
        describe: 'only the last N entries',
        requiresArg: true,
      })
      .option('events', { type: 'string', requiresArg: true, describe: 'tell the past from this event file' })
      .option('config', {
        alias: 'f',
        type: 'string',
        requiresArg: true,
        describe: "without a daemon, tell the past from this configuration's event file",
      })
      .option('json', { type: 'boolean', default: false, describe: 'print a JSON document' })
      .check(({ tail, events, config, kind, labels }) => {
        checkTail(tail);
        if (events === '') throw usageError('--events names no file');
        if (config === '') throw usageError('--config names no file');
        if (labels !== undefined && kind !== 'job') throw usageError('--labels is for a job');
        return true;
      }),
  async run(args, world) {
    const [{ showStory }, { socketPath }] = await Promise.all([
      import('./explain-run.js'),
      import('../control/socket-path.js'),
    ]);
    const labels = typeof args.labels === 'string' ? args.labels.split(',') : [];
    return showStory(
      {
        socket: socketPath(args.socket, world.env),
        kind: KINDS[args.kind as keyof typeof KINDS],
        // A number, as yargs gives it, could have lost its zeros.
        name: String(args.name),
        labels: labels.map((label) => label.trim()).filter((label) => label !== ''),
        tail: args.tail as number,
        ...(typeof args.events === 'string' && { events: args.events }),
        ...(typeof args.config === 'string' && { config: args.config }),
      },
      args.json === true ? 'json' : 'text',
      world,
    );
  },
};
