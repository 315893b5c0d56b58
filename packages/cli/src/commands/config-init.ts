import type { Argv } from 'yargs';
import type { Command, World } from '../command.js';
import { DEFAULT_CONFIG } from '../default-config.js';
import { EXIT, ExitError } from '../exit.js';
import { allQuestions } from '../init/questions.js';
import { configOption } from './validate.js';

/** `rungar config init`: writes a first configuration, from what a terminal or flags say. */
export const configInitCommand: Command = {
  name: 'init',
  describe: 'Write a first configuration, asking on a terminal or from flags',
  options: (yargs): Argv =>
    allQuestions()
      .reduce(
        (parser, { name, ask, choices }) =>
          parser.option(name, { type: 'string', requiresArg: true, describe: ask, ...(choices && { choices }) }),
        configOption(yargs).usage(
          [
            '$0 config init [-f FILE] [--force] [FLAGS]',
            '',
            'Writes a commented configuration with one provider and one scale set. On a',
            'terminal it asks for what no flag says; anywhere else flags must say all.',
          ].join('\n'),
        ),
      )
      .option('force', { type: 'boolean', default: false, describe: 'replace a file that is there' }),
  async run(args, world) {
    const path = String(args.config);
    const force = args.force === true;
    const [{ isThere }, { writeFirst }, { toExit }] = await Promise.all([
      import('../replace-file.js'),
      import('../init/write-first.js'),
      import('../read-settings.js'),
    ]);
    if (!force && (await isThere(path).catch(toExit))) {
      throw new ExitError(EXIT.failed, `${path} is there already`, 'name another file with -f, or add --force');
    }
    const text = await textFor(args, path, world);
    const written = await writeFirst(path, text, { force, signal: world.signal });
    for (const file of written) world.stdout.write(`wrote ${file}\n`);
    world.stdout.write(`next: rungar validate -f ${path}\n`);
    return EXIT.done;
  },
};

async function textFor(args: Record<string, unknown>, path: string, world: World): Promise<string> {
  const [{ answersIn, requireAll }, { draft }] = await Promise.all([
    import('../init/flags.js'),
    import('../init/draft.js'),
  ]);
  const given = answersIn(args);
  if (world.stdin.isTTY === true && world.stderr.isTTY === true) {
    const { askFor } = await import('../init/ask.js');
    return draft(await askFor(given, world));
  }
  const start = `rungar config init${path === DEFAULT_CONFIG ? '' : ` -f ${path}`}`;
  requireAll(given, start, world.stderr);
  return draft(given);
}
