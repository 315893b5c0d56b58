import type { Args, Command, World } from '../command.js';
import { EXIT } from '../exit.js';
import { poolFlags } from '../options/flags.js';

export const generateCommand: Command = {
  name: 'generate',
  describe: "Write a worker pool's manifests",
  formats: ['yaml', 'json'],
  flags: {
    ...poolFlags(),
    'output-dir': { type: 'string', requiresArg: true, describe: 'one file per object, and kustomization.yaml' },
    'secret-stub': {
      type: 'string',
      describe: 'commands and skeletons for the Secrets, in this file or beside the output',
    },
  },
  async run(args, world) {
    const [{ generateFrom }, { readPoolSource }, manifests, files, { tellNotices }] = await Promise.all([
      import('../generate/generate.js'),
      import('./pool-source.js'),
      import('../generate/manifests.js'),
      import('../files.js'),
      import('./notices.js'),
    ]);
    const { objects, options, notices } = generateFrom(await readPoolSource(args, world));
    const format = args.format === 'json' ? 'json' : 'yaml';
    if (args.outputDir === undefined) {
      const text = format === 'json' ? manifests.manifestsJson(objects) : manifests.manifestsYaml(objects);
      await files.writeResult(text, args, world);
    } else {
      await files.writeFolder(String(args.outputDir), manifests.manifestFiles(objects, format));
    }
    if (args.secretStub !== undefined) await writeStub(manifests.secretStub(options), args, world);
    tellNotices(notices, args, world);
    if (args.quiet !== true) world.stderr.write(procedure(args, options));
    return EXIT.done;
  },
};

/** Beside the manifests and never among them: an empty Secret must not be applied. */
async function writeStub(text: string, args: Args, world: World): Promise<void> {
  const { writeFileOrFail } = await import('../files.js');
  if (args.secretStub !== '') await writeFileOrFail(String(args.secretStub), text);
  else if (args.outputDir === undefined) world.stderr.write(text);
  else await writeFileOrFail(`${args.outputDir}/secret-stub.yaml.txt`, text);
}

function procedure(args: Args, { generateName, preflight }: { generateName: boolean; preflight: number }): string {
  const verb = generateName ? 'create' : 'apply';
  const source =
    args.outputDir !== undefined ? `-k ${args.outputDir}` : `-f ${args.output === '-' ? 'FILE' : String(args.output)}`;
  return [
    '',
    `1. kubectl ${verb} ${source}`,
    '2. dispat release',
    `The preflight (${preflight} s) is what waits for the pool; the pods leave by themselves.`,
    '',
  ].join('\n');
}
