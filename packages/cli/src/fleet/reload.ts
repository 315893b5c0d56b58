import type { Session } from '../control/session.js';
import { type FormatFlags, formatOf, jsonText } from '../output/document.js';

/** What `reload` prints with --json. */
export interface ReloadDocument {
  /** What changed, and is in force; a line each. */
  readonly applied: readonly string[];
  /** What the file says, and only a restart takes up. */
  readonly needs_restart: readonly string[];
}

/** Has the daemon read its configuration again. @throws RungarError with everything that is wrong in the file */
export async function reload(flags: FormatFlags, session: Session): Promise<number> {
  const { applied = [], needs_restart: waiting = [] } = await session.ask('Reload');
  const { stdout } = session.world;
  if (formatOf(flags) === 'json') {
    stdout.write(jsonText({ applied, needs_restart: waiting } satisfies ReloadDocument));
    return 0;
  }
  const lines = [
    applied.length === 0 ? 'Reloaded: nothing has changed' : 'Reloaded; in force now:',
    ...applied.map((line) => `  ${line}`),
    ...(waiting.length === 0 ? [] : ['Needs a restart:']),
    ...waiting.map((line) => `  ${line}`),
  ];
  stdout.write(`${lines.join('\n')}\n`);
  return 0;
}
