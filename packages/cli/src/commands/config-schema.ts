import type { Argv } from 'yargs';
import type { Command } from '../command.js';
import { EXIT } from '../exit.js';
import { usageError } from '../usage.js';

/** `rungar config schema`: prints the JSON Schema of a configuration, for editors. */
export const configSchemaCommand: Command = {
  name: 'schema',
  describe: 'Print the JSON Schema of a configuration, for editors',
  options: (yargs): Argv =>
    yargs
      .usage('$0 config schema [--output FILE]\n\nPrints the JSON Schema (draft-07) of a configuration, for editors.')
      .option('output', {
        alias: 'o',
        type: 'string',
        requiresArg: true,
        describe: 'write it to this file, replacing what is there',
      })
      .check(({ output }) => {
        if (output === '') throw usageError('--output names no file');
        return true;
      }),
  async run({ output }, world) {
    const { schemaText, writeSchema } = await import('../schema-file.js');
    if (typeof output !== 'string') {
      world.stdout.write(schemaText());
      return EXIT.done;
    }
    await writeSchema(output, world);
    world.stdout.write(`wrote ${output}\n`);
    return EXIT.done;
  },
};
