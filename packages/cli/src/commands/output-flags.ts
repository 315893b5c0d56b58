import type { Argv } from 'yargs';
import type { Format } from '../output/document.js';

const FORMATS: readonly Format[] = ['table', 'wide', 'json', 'yaml', 'name'];

/** The flags of every command that shows a list. */
export function listFlags(yargs: Argv): Argv {
  return documentFlags(yargs, FORMATS)
    .option('no-headers', { type: 'boolean', default: false, describe: 'leave out the header of tables' })
    .option('sort', {
      type: 'string',
      requiresArg: true,
      describe: 'sort by a column: age, or age:desc for the reverse',
    });
}

/** The flags of every command that shows one thing. */
export function documentFlags(yargs: Argv, formats: readonly Format[] = ['table', 'json', 'yaml', 'name']): Argv {
  return yargs
    .option('output', {
      alias: 'o',
      choices: formats,
      default: 'table',
      requiresArg: true,
      describe: 'how to print it',
    })
    .option('json', { type: 'boolean', default: false, describe: 'the same as -o json' });
}

/** The flag of every command that changes something. */
export function jsonFlag(yargs: Argv): Argv {
  return yargs.option('json', { type: 'boolean', default: false, describe: 'print a JSON document' });
}
