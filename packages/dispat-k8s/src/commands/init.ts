import type { Command, World } from '../command.js';
import { EXIT } from '../exit.js';
import { poolFlags, poolFlagsGiven } from '../options/flags.js';

const USUAL_FILE = 'dispat-pool.yaml';

export const initCommand: Command = {
  name: 'init',
  describe: 'write a commented options file, from a few questions or from flags',
  formats: ['yaml', 'json'],
  flags: {
    force: { type: 'boolean', default: false, describe: 'replace a file that exists' },
    output: {
      alias: 'o',
      type: 'string',
      requiresArg: true,
      describe: `the file to write [${USUAL_FILE}]; - is standard output`,
    },
    ...poolFlags(),
  },
  async run(args, world) {
    const [{ readPoolOptions }, { gather }, { optionsFile }, { tellNotices }, { ProblemList }, files] =
      await Promise.all([
        import('../options/read-options.js'),
        import('../options/gather.js'),
        import('../init/options-file.js'),
        import('./notices.js'),
        import('../problems.js'),
        import('../files.js'),
      ]);
    const given = poolFlagsGiven(args);
    const file = args.config === undefined ? undefined : await files.readInput(String(args.config), world);
    const source = { flags: given, ...(file && { file }) };
    const { input: known } = gather(source, new ProblemList());
    const whole = { ...source, flags: { ...(await answersFor(known, world)), ...given } };
    const { notices } = readPoolOptions(whole);
    const { input } = gather(whole, new ProblemList());
    const text = args.format === 'json' ? `${JSON.stringify(input, null, 2)}\n` : optionsFile(input);
    const usual = args.format === 'json' ? '-' : USUAL_FILE;
    await write(text, args.output === undefined ? usual : String(args.output), args.force === true, world);
    tellNotices(notices, args, world);
    return EXIT.done;
  },
};

/** On a terminal what the flags and the file leave open is asked; elsewhere the checks say what is missing. */
async function answersFor(known: Readonly<Record<string, unknown>>, world: World): Promise<Record<string, unknown>> {
  if (world.stdin.isTTY !== true) return {};
  const { askFor } = await import('../init/questions.js');
  return askFor(known, world);
}

async function write(text: string, file: string, force: boolean, world: World): Promise<void> {
  if (file === '-') world.stdout.write(text);
  else {
    const { writeFiles } = await import('../write-files.js');
    await writeFiles([{ file, text, isNew: !force }]);
    world.stderr.write(`Wrote ${file}. Next: dispat-worker-manifest generate --config ${file}\n`);
  }
}
