import type { World } from '../command.js';
import type { StatusAnswer } from '../control/answers.js';
import { openSession, type Session } from '../control/session.js';
import { EXIT, exitCodeFor, StopRequest } from '../exit.js';
import { type Format, type FormatFlags, formatOf, type Printable, print, textOf } from '../output/document.js';
import { type ListFlags, listOptions, type SortOrder } from '../output/listing.js';
import { liveScreen } from '../output/live-screen.js';
import { STATUS_COLUMNS, sortedStatus, statusLines } from '../output/status.js';
import { viewOf } from '../output/view.js';
import { watchReader } from '../reader.js';

/** How often a watched status is asked for: every provider is listed for it. */
const WATCH_MS = 5_000;

/** Shown on a terminal while there is no daemon. */
const GONE = 'The daemon has gone; this goes on once it is back.\n';

interface StatusOptions {
  readonly headers: boolean;
  readonly sort: SortOrder | undefined;
}

/** `rungar status`. */
export async function showStatus(flags: FormatFlags & ListFlags, session: Session): Promise<number> {
  const options = listOptions(flags, STATUS_COLUMNS);
  const status = await session.ask('GetStatus');
  await print(printable(status, options, session.world), formatOf(flags), session.world.stdout);
  return EXIT.done;
}

/**
 * `rungar status --watch`: in place on a terminal; anywhere else once more whenever something has changed, a JSON
 * document to a line. It goes on until the user ends it, which is no failure.
 */
export async function watchStatus(flags: FormatFlags & ListFlags, socketFlag: unknown, world: World): Promise<number> {
  const options = listOptions(flags, STATUS_COLUMNS);
  const format = formatOf(flags);
  using reader = watchReader(world);
  const { signal } = reader;
  const session = openSession(socketFlag, world, signal);
  const show = world.stdout.isTTY === true ? await liveScreen(world.stdout) : changesTo(world.stdout);
  try {
    for (let isFirst = true; ; isFirst = false) {
      const status = await session.ask('GetStatus').catch((error: unknown) => {
        if (isFirst || exitCodeFor(error) !== EXIT.noDaemon) throw error;
      });
      // A daemon that is being restarted is waited for.
      show.draw(status ? await watchedText(printable(status, options, world), format) : GONE);
      await world.clock.sleep(WATCH_MS, signal);
    }
  } catch (error) {
    if (!(error instanceof StopRequest)) throw error;
    return EXIT.done;
  } finally {
    show.done();
  }
}

async function watchedText(what: Printable, format: Format): Promise<string> {
  return format === 'json' ? `${JSON.stringify(what.document)}\n` : textOf(what, format);
}

/** Writes a text whenever it is another one; a blank line stands between those of several lines. */
function changesTo(stdout: World['stdout']): { draw(text: string): void; done(): void } {
  let before = '';
  return {
    draw(text) {
      if (text === before || text === GONE) return;
      const apart = before !== '' && text.trimEnd().includes('\n') ? '\n' : '';
      stdout.write(`${apart}${text}`);
      before = text;
    },
    done() {},
  };
}

function printable(answer: StatusAnswer, { headers, sort }: StatusOptions, world: World): Printable {
  const view = viewOf(world);
  const status = sortedStatus(answer, sort, view);
  const { scale_sets: scaleSets = [], providers = [], runners = [] } = status;
  const named = (kind: string, things: readonly { readonly name?: string }[]): string[] =>
    things.map(({ name }) => `${kind}/${name ?? ''}`);
  return {
    lines: (wide) => statusLines(status, view, { wide, headers }),
    document: status,
    names: [...named('scale-set', scaleSets), ...named('provider', providers), ...named('runner', runners)],
  };
}
