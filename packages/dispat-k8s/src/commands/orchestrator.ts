import type { Args, Command, World } from '../command.js';
import { EXIT } from '../exit.js';
import { poolFlags } from '../options/flags.js';
import type { PoolOptions } from '../pool.js';

export const orchestratorCommand: Command = {
  name: 'orchestrator',
  describe: "Write the orchestrator's half: the execution block, or --worker flags",
  formats: ['yaml', 'json'],
  flags: {
    as: { choices: ['block', 'flags', 'both'], default: 'block', requiresArg: true, describe: 'what to write' },
    shell: {
      choices: ['posix', 'powershell', 'none'],
      default: 'posix',
      requiresArg: true,
      describe: 'whose quoting the flags have',
    },
    null: { alias: '0', type: 'boolean', describe: 'with --shell none: end each argument with a zero byte' },
    'dispat-config': {
      type: 'string',
      requiresArg: true,
      describe: "the orchestrator's file, to see that it lists none of them",
    },
    'output-dir': { type: 'string', requiresArg: true, describe: 'write dispat-execution and worker-flags files' },
    ...poolFlags(),
  },
  async run(args, world) {
    const [{ readPoolOptions }, { readPoolSource }, { tellNotices }] = await Promise.all([
      import('../options/read-options.js'),
      import('./pool-source.js'),
      import('./notices.js'),
    ]);
    const { options, notices } = readPoolOptions(await readPoolSource(args, world));
    if (args.as !== 'block') await refuseListed(options, args, world);
    await write(options, args, world);
    tellNotices(notices, args, world);
    return EXIT.done;
  },
};

async function refuseListed(options: PoolOptions, args: Args, world: World): Promise<void> {
  if (args.dispatConfig === undefined) return;
  const [{ readInput }, { refuseListedWorkers }] = await Promise.all([
    import('../files.js'),
    import('../orchestrator/listed.js'),
  ]);
  refuseListedWorkers(options, await readInput(String(args.dispatConfig), world));
}

async function write(options: PoolOptions, args: Args, world: World): Promise<void> {
  const [block, flags, files] = await Promise.all([
    import('../orchestrator/block.js'),
    import('../orchestrator/flags.js'),
    import('../files.js'),
  ]);
  const shell = args.shell as import('../orchestrator/flags.js').Shell;
  const lines = (): string =>
    args.null === true && shell === 'none'
      ? flags
          .workerFlags(options)
          .map((word) => `${word}\0`)
          .join('')
      : `${flags.workerFlagLines(options, shell).join('\n')}\n`;
  const json = args.format === 'json';
  const blockText = (document: import('../orchestrator/block.js').OrchestratorBlock): string =>
    json ? `${JSON.stringify(document, null, 2)}\n` : block.orchestratorYaml(document, options);

  const reduced = args.as !== 'block';
  const document = reduced ? block.reducedBlock(options) : block.orchestratorBlock(options);
  if (args.outputDir !== undefined) {
    await files.writeFolder(String(args.outputDir), [
      { name: `dispat-execution.${json ? 'json' : 'yaml'}`, text: blockText(document) },
      ...(reduced ? [{ name: 'worker-flags.txt', text: lines() }] : []),
    ]);
  } else if (!reduced) await files.writeResult(blockText(document), args, world);
  else if (json) {
    const whole = { ...document, flags: flags.workerFlags(options) };
    await files.writeResult(`${JSON.stringify(whole, null, 2)}\n`, args, world);
  } else if (args.as === 'both') {
    await files.writeResult(`${blockText(document)}${commented(lines())}`, args, world);
  } else {
    await files.writeResult(lines(), args, world);
    if (args.quiet !== true) world.stderr.write(`The file that must still exist:\n${blockText(document)}`);
  }
  if (json && args.quiet !== true) {
    world.stderr.write(`Note: the root setting concurrency should allow ${block.slotsOf(options)} builds.\n`);
  }
}

/** The flags below the file's text, which stays YAML. */
function commented(lines: string): string {
  return `# With it, the release takes these flags:\n${lines.replace(/^/gm, '# ').replace(/# $/, '')}`;
}
