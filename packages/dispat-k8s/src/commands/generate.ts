import type { Args, Command, World } from '../command.js';
import { EXIT } from '../exit.js';
import { poolFlags } from '../options/flags.js';
import type { PoolOptions } from '../pool.js';
import type { InputProblem } from '../problems.js';

export const generateCommand: Command = {
  name: 'generate',
  describe: "write a worker pool's manifests",
  formats: ['yaml', 'json'],
  flags: {
    ...poolFlags(),
    'dispat-config': {
      type: 'string',
      requiresArg: true,
      describe: "the orchestrator's file, to see that the pool goes with it",
    },
    'output-dir': {
      type: 'string',
      requiresArg: true,
      describe: 'one file per object, and kustomization.yaml; files of an earlier set stay',
    },
    'secret-stub': {
      type: 'string',
      describe: 'commands and skeletons for the Secrets, in this file or beside the output',
    },
  },
  async run(args, world) {
    const [{ generatePool }, { readPoolRequest }, manifests, files, { tellNotices }] = await Promise.all([
      import('../generate/generate.js'),
      import('./pool-source.js'),
      import('../generate/manifests.js'),
      import('../files.js'),
      import('./notices.js'),
    ]);
    const { options, notices, own } = await readPoolRequest(args, generateCommand, world, (flags) => ({
      outputDir: flags.text('output-dir'),
      secretStub: flags.text('secret-stub'),
      dispatConfig: flags.text('dispat-config'),
    }));
    const differences = await compared(options, own.dispatConfig, world);
    const { objects } = generatePool(options);
    const format = args.format === 'json' ? 'json' : 'yaml';
    const stubFile = placeOfStub(own);
    const stub = stubFile === undefined ? [] : [{ file: stubFile, text: manifests.secretStub(options) }];
    const stale: InputProblem[] = [];
    if (own.outputDir === undefined) {
      const text = format === 'json' ? manifests.manifestsJson(objects) : manifests.manifestsYaml(objects);
      await files.writeResult(text, args, world, stub);
    } else {
      const set = manifests.manifestFiles(objects, format);
      await files.writeFolder(own.outputDir, set, stub);
      const { staleFiles } = await import('../generate/stale-files.js');
      stale.push(...(await staleFiles(own.outputDir, set)));
    }
    if (own.secretStub === '' && stubFile === undefined) world.stderr.write(manifests.secretStub(options));
    tellNotices([...notices, ...differences, ...stale], args, world);
    if (args.quiet !== true) world.stderr.write(procedure(own.outputDir, args, options));
    return EXIT.done;
  },
};

async function compared(
  options: PoolOptions,
  file: string | undefined,
  world: World,
): Promise<readonly InputProblem[]> {
  if (file === undefined) return [];
  const [{ compareWithConfiguration }, { readInput }] = await Promise.all([
    import('../generate/agreement.js'),
    import('../files.js'),
  ]);
  return compareWithConfiguration(options, await readInput(file, world));
}

interface Destinations {
  readonly outputDir: string | undefined;
  /** Empty for a stub that goes beside the manifests. */
  readonly secretStub: string | undefined;
}

/** Beside the manifests and never among them: an empty Secret must not be applied. */
function placeOfStub({ outputDir, secretStub }: Destinations): string | undefined {
  if (secretStub !== '') return secretStub;
  return outputDir === undefined ? undefined : `${outputDir}/secret-stub.yaml.txt`;
}

function procedure(
  outputDir: string | undefined,
  { output }: Args,
  { generateName, preflight }: { readonly generateName: boolean; readonly preflight: number },
): string {
  const verb = generateName ? 'create' : 'apply';
  const source = outputDir !== undefined ? `-k ${outputDir}` : `-f ${output === '-' ? 'FILE' : String(output)}`;
  return [
    '',
    `1. kubectl ${verb} ${source}`,
    '2. dispat release',
    `The preflight (${preflight} s) is what waits for the pool; the pods leave by themselves.`,
    '',
  ].join('\n');
}
