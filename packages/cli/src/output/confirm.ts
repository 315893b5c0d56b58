import type { World } from '../command.js';
import { linesOf } from '../init/lines.js';

/**
 * Asks on the terminal whether to go on. Anything but `y` or `yes` is a no, and so is the end of the input.
 * @throws the signal's reason
 */
export async function confirm(question: string, world: Pick<World, 'stdin' | 'stderr' | 'signal'>): Promise<boolean> {
  world.stderr.write(`${question} [y/N] `);
  const lines = linesOf(world);
  try {
    const { value, done } = await lines.next();
    if (done === true) world.stderr.write('\n');
    return done !== true && /^y(es)?$/i.test(value.trim());
  } finally {
    await lines.return();
  }
}
