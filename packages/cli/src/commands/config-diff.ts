import { diffConfigs } from '@rungar/config';
import type { World } from '../command.js';
import { EXIT } from '../exit.js';
import { changesJson, changesLines } from '../output/config-changes.js';
import { styleFor } from '../output/style.js';
import { readConfig } from '../read-config.js';

/** `rungar config diff`: tells what changes when a daemon goes on with another configuration. */
export async function compareConfigurations(
  before: string,
  after: string,
  as: 'text' | 'json',
  world: World,
): Promise<number> {
  const old = await readConfig(before, world);
  const changes = diffConfigs(old, await readConfig(after, world));
  const { stdout, env } = world;
  if (as === 'json') stdout.write(`${JSON.stringify(changesJson(changes), null, 2)}\n`);
  else stdout.write(`${changesLines(changes, styleFor(stdout, env)).join('\n')}\n`);
  return EXIT.done;
}
