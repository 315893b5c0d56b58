import { startDaemon } from '@rungar/daemon';
import { createRedactor, systemClock, systemRandom } from '@rungar/model';
import { build } from './build-info.js';
import type { World } from './command.js';
import { EXIT } from './exit.js';
import { readSettings } from './read-settings.js';

/**
 * Runs the daemon on a configuration file until `world.signal` aborts.
 * @returns 0 after a stop that was asked for
 */
export async function serve(path: string, world: World): Promise<number> {
  const { settings, warnings } = await readSettings(path, world);
  const { version, commit = '' } = build();
  try {
    const daemon = await startDaemon({
      settings,
      warnings,
      version,
      commit,
      clock: systemClock,
      random: systemRandom,
      redactor: createRedactor(),
      stderr: world.stderr,
      host: world.host,
      signal: world.signal,
    });
    await daemon.done;
  } catch (error) {
    if (!world.signal.aborted) throw error;
  }
  return EXIT.done;
}
