import type { Args, Command, World } from '../command.js';
import { EXIT } from '../exit.js';
import type { FlagReader } from '../flag-reader.js';
import { poolFlags } from '../options/flags.js';
import type { OrchestratorBlock } from '../orchestrator/block.js';
import type { PoolOptions } from '../pool.js';
import type { ProblemList } from '../problems.js';

const PARTS = ['block', 'flags', 'both'] as const;
const SHELLS = ['posix', 'powershell', 'none'] as const;

const text = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;

export const orchestratorCommand: Command = {
  name: 'orchestrator',
  describe: "write the orchestrator's half: the execution block, or --worker flags",
  formats: ['yaml', 'json'],
  flags: {
    as: text('what to write: block, flags or both (block)'),
    shell: text('whose quoting the flags have: posix, powershell or none (posix)'),
    null: { alias: '0', type: 'boolean', describe: 'with --shell none: end each argument with a zero byte' },
    'dispat-config': text("with --as flags or both: the orchestrator's file, to see that it lists none of them"),
    'output-dir': text('write dispat-execution and worker-flags files'),
    ...poolFlags(),
  },
  async run(args, world) {
    const [{ readPoolRequest }, { tellNotices }] = await Promise.all([
      import('./pool-source.js'),
      import('./notices.js'),
    ]);
    const { options, notices, own } = await readPoolRequest(args, orchestratorCommand, world, readWanted);
    if (own.as !== 'block') await refuseListed(options, own, world);
    await write(options, own, args, world);
    tellNotices(notices, args, world);
    return EXIT.done;
  },
};

interface Wanted {
  readonly as: (typeof PARTS)[number];
  readonly shell: (typeof SHELLS)[number];
  readonly null: boolean;
  readonly dispatConfig: string | undefined;
  readonly outputDir: string | undefined;
}

function readWanted(flags: FlagReader, problems: ProblemList): Wanted {
  const shell = flags.choice('shell', SHELLS) ?? 'posix';
  const zeroBytes = flags.isSet('null');
  const as = flags.choice('as', PARTS) ?? 'block';
  if (zeroBytes && shell !== 'none') {
    problems.add({
      code: 'OPTIONS_CONFLICT',
      at: 'null',
      found: `it, with --shell ${shell}`,
      allowed: 'it beside --shell none alone',
      fix: 'add --shell none',
    });
  }
  if (as === 'block' && flags.isGiven('dispat-config')) {
    problems.add({
      code: 'OPTIONS_CONFLICT',
      at: 'dispat-config',
      found: 'it, with --as block',
      allowed: 'it beside --as flags or --as both: a block takes the place of the list that is there',
      fix: 'leave it out, or say --as flags',
    });
  }
  return {
    as,
    shell,
    null: zeroBytes,
    dispatConfig: flags.text('dispat-config'),
    outputDir: flags.text('output-dir'),
  };
}

async function refuseListed(options: PoolOptions, { dispatConfig }: Wanted, world: World): Promise<void> {
  if (dispatConfig === undefined) return;
  const [{ readInput }, { refuseListedWorkers }] = await Promise.all([
    import('../files.js'),
    import('../orchestrator/listed.js'),
  ]);
  refuseListedWorkers(options, await readInput(dispatConfig, world));
}

async function write(options: PoolOptions, wanted: Wanted, args: Args, world: World): Promise<void> {
  const [block, flags, files] = await Promise.all([
    import('../orchestrator/block.js'),
    import('../orchestrator/flags.js'),
    import('../files.js'),
  ]);
  const lines = (): string =>
    wanted.null
      ? flags
          .workerFlags(options)
          .map((word) => `${word}\0`)
          .join('')
      : `${flags.workerFlagLines(options, wanted.shell).join('\n')}\n`;
  const json = args.format === 'json';
  const blockText = (document: OrchestratorBlock): string =>
    json ? `${JSON.stringify(document, null, 2)}\n` : block.orchestratorYaml(document, options);

  const reduced = wanted.as !== 'block';
  const document = reduced ? block.reducedBlock(options) : block.orchestratorBlock(options);
  if (wanted.outputDir !== undefined) {
    await files.writeFolder(wanted.outputDir, [
      { name: `dispat-execution.${json ? 'json' : 'yaml'}`, text: blockText(document) },
      ...(reduced ? [{ name: 'worker-flags.txt', text: lines() }] : []),
    ]);
  } else if (!reduced) await files.writeResult(blockText(document), args, world);
  else if (json) {
    const whole = { ...document, flags: flags.workerFlags(options) };
    await files.writeResult(`${JSON.stringify(whole, null, 2)}\n`, args, world);
  } else if (wanted.as === 'both') {
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
