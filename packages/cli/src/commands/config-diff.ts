import { type CheckedConfig, diffConfigs } from '@rungar/config';
import type { World } from '../command.js';
import { EXIT, ExitError } from '../exit.js';
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
  const [old, next] = await readBoth(before, after, world);
  const changes = diffConfigs(old, next);
  const { stdout, env } = world;
  if (as === 'json') stdout.write(`${JSON.stringify(changesJson(changes), null, 2)}\n`);
  else stdout.write(`${changesLines(changes, styleFor(stdout, env)).join('\n')}\n`);
  return EXIT.done;
}

/**
 * Reads both configurations, so that what is wrong with one hides nothing of the other.
 * @throws ExitError with the exit code of the first that could not be used
 */
async function readBoth(before: string, after: string, world: World): Promise<[CheckedConfig, CheckedConfig]> {
  const old = await readConfig(before, world).catch(asRefusal);
  if (!(old instanceof ExitError)) return [old, await readConfig(after, world)];
  let told = '';
  const stderr = { write: (text: string) => (told += text) };
  const next = await readConfig(after, { ...world, stderr }).catch(asRefusal);
  if (!(next instanceof ExitError)) throw old;
  world.stderr.write(`Error: ${old.message}\n${told}`);
  throw new ExitError(old.exitCode, next.message, next.hint);
}

function asRefusal(error: unknown): ExitError {
  if (error instanceof ExitError) return error;
  throw error;
}
