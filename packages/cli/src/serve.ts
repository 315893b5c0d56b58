import { startDaemon } from '@rungar/daemon';
import { createRedactor, isRungarError, messageOf, systemClock, systemRandom } from '@rungar/model';
import { providerTypes } from '@rungar/providers';
import { build } from './build-info.js';
import type { World } from './command.js';
import { EXIT, ExitError } from './exit.js';
import { readSettings } from './read-settings.js';
import { serviceManager } from './service-manager.js';

/**
 * Runs the daemon on a configuration file until `world.signal` aborts.
 * @param options.record a file that takes its decisions
 * @returns 0 after a stop that was asked for
 */
export async function serve(path: string, options: { readonly record?: string }, world: World): Promise<number> {
  const hangUps = createHangUps(world);
  const { settings, warnings, root } = await readSettings(path, world);
  const { version, commit = '' } = build();
  try {
    const daemon = await startDaemon({
      ...options,
      settings,
      source: { root, types: providerTypes },
      warnings,
      version,
      commit,
      clock: systemClock,
      random: systemRandom,
      redactor: createRedactor(),
      stderr: world.stderr,
      host: world.host,
      env: world.env,
      signal: world.signal,
    }).catch((error: unknown) => {
      throw asExit(error, isRungarError(error, 'invalid_argument') ? EXIT.invalid : EXIT.failed);
    });
    const manager = serviceManager(world.env, systemClock);
    await manager.ready(world.signal);
    hangUps.serve(() => daemon.reload());
    world.signal.addEventListener('abort', () => void manager.stopping(), { once: true });
    await daemon.done.catch((error: unknown) => {
      throw asExit(error, EXIT.failed);
    });
  } catch (error) {
    if (!world.signal.aborted) throw error;
  }
  return EXIT.done;
}

/** What has come before the daemon serves is done once it does: a reload must not end a start. */
function createHangUps({ takeHangUps }: World): { serve(reload: () => Promise<unknown>): void } {
  let reload: (() => Promise<unknown>) | undefined;
  let missed = false;
  // How it went is in the log and in the events.
  const run = (): void => void reload?.().catch(() => {});
  takeHangUps?.(() => {
    if (reload) run();
    else missed = true;
  });
  return {
    serve(then) {
      reload = then;
      if (missed) run();
    },
  };
}

/**
 * A service manager asks whether starting again may help: only a configuration that names what cannot be used says no.
 * Which class an error has tells nothing about that.
 */
function asExit(error: unknown, exitCode: number): ExitError {
  const hint = error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined;
  return new ExitError(exitCode, messageOf(error), hint);
}
