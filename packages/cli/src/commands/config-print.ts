import { printConfig } from '@rungar/config';
import type { World } from '../command.js';
import { EXIT } from '../exit.js';
import { readConfig } from '../read-config.js';

/** Flags as the command line gives them. */
export interface PrintFlags {
  readonly effective?: unknown;
  readonly json?: unknown;
  readonly showValues?: unknown;
}

/** `rungar config`: prints a configuration as the daemon takes it. */
export async function printConfiguration(path: string, flags: PrintFlags, world: World): Promise<number> {
  const config = await readConfig(path, world);
  const text = printConfig(config, {
    effective: flags.effective === true,
    showValues: flags.showValues === true,
    as: flags.json === true ? 'json' : 'yaml',
  });
  world.stdout.write(text);
  return EXIT.done;
}
