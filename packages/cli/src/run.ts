import { messageOf } from '@rungar/model';
import type { World } from './command.js';
import { exitCodeFor, StopRequest } from './exit.js';
import { plainServe } from './plain-serve.js';

/**
 * Runs the command line.
 * @param args what stands after the program's name
 * @returns the exit code. It never throws: what goes wrong is one line on `world.stderr`.
 */
export async function run(args: readonly string[], world: World): Promise<number> {
  try {
    return await runAny(args, world);
  } catch (error) {
    if (!(error instanceof StopRequest)) world.stderr.write(`Error: ${describe(error)}\n`);
    return exitCodeFor(error);
  }
}

/** A daemon has no need of the other commands, nor of the time they take to load. */
async function runAny(args: readonly string[], world: World): Promise<number> {
  const served = plainServe(args);
  if (served) {
    const { serve } = await import('./serve.js');
    return serve(served.config, served, world);
  }
  const { runCommand } = await import('./run-command.js');
  return runCommand(args, world);
}

/** An error in one line: what is wrong, and then the cure where one is known. */
function describe(error: unknown): string {
  const message = messageOf(error).replace(/\.$/, '');
  const cure = cureFor(error);
  return cure === undefined
    ? message
    : `${message}. ${cure.charAt(0).toUpperCase()}${cure.slice(1).replace(/\.$/, '')}.`;
}

function cureFor(error: unknown): string | undefined {
  if (error instanceof Error && 'hint' in error && typeof error.hint === 'string') return error.hint;
  return error instanceof TypeError ? "This is a fault of Rungar's own" : undefined;
}
