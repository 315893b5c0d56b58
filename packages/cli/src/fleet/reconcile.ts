import type { Session } from '../control/session.js';
import { EXIT } from '../exit.js';
import { type FormatFlags, formatOf, jsonText } from '../output/document.js';
import { runnerTotal } from '../output/scale-sets.js';
import { plural } from '../output/words.js';

/** What `rungar reconcile --json` prints. Zero values stay. */
export interface ReconciledDocument {
  readonly scale_sets: readonly { readonly name: string; readonly runners: number; readonly desired_runners: number }[];
}

/** `rungar reconcile`. @param names all unless there are any */
export async function reconcile(names: readonly string[], flags: FormatFlags, session: Session): Promise<number> {
  const { scale_sets: scaleSets = [] } = await session.ask('Reconcile', { scale_sets: names });
  const done = scaleSets.map((one) => ({
    name: one.name ?? '',
    runners: runnerTotal(one),
    desired_runners: one.desired_runners ?? 0,
  }));
  const { stdout } = session.world;
  if (formatOf(flags) === 'json') stdout.write(jsonText({ scale_sets: done } satisfies ReconciledDocument));
  else {
    for (const { name, runners, desired_runners: desired } of done) {
      stdout.write(`${name}: ${plural(runners, 'runner')}, ${desired} desired\n`);
    }
  }
  return EXIT.done;
}
