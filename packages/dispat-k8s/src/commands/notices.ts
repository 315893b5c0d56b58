import type { Args, World } from '../command.js';
import { type InputProblem, problemLine } from '../problems.js';

/** Tells warnings, and without `--quiet` notes too, on standard error. */
export function tellNotices(notices: readonly InputProblem[], args: Args, world: World): void {
  for (const notice of notices) {
    if (notice.severity === 'info' && args.quiet === true) continue;
    world.stderr.write(`${notice.severity === 'info' ? 'Note' : 'Warning'}: ${problemLine(notice)}\n`);
  }
}
