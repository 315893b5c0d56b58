import type { Args, World } from '../command.js';
import { readInput } from '../files.js';
import { poolFlagsGiven } from '../options/flags.js';
import type { OptionsSource } from '../options/gather.js';

/**
 * A pool's options from `--config` and the flags.
 * @throws InputError when the file cannot be read
 */
export async function readPoolSource(args: Args, world: World): Promise<OptionsSource> {
  const flags = poolFlagsGiven(args);
  return args.config === undefined ? { flags } : { flags, file: await readInput(String(args.config), world) };
}
