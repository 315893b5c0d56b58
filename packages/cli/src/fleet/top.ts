import type { World } from '../command.js';
import type { StatusAnswer } from '../control/answers.js';
import { openSession, type Session } from '../control/session.js';
import { EXIT, exitCodeFor, StopRequest } from '../exit.js';
import { type FormatFlags, formatOf, jsonText } from '../output/document.js';
import { fullScreen } from '../output/full-screen.js';
import { watchKeys } from '../output/keys.js';
import { topLines } from '../output/top.js';
import { topDocument } from '../output/top-document.js';
import { viewOf } from '../output/view.js';

/** How often the daemon is asked: every provider is listed for it. */
const ASK_MS = 5_000;
/** How often it is looked whether another second has passed, or the terminal has another size. */
const TICK_MS = 250;

const CTRL_C = '\u0003';

/** `rungar top`: a live view on a terminal, one picture anywhere else. */
export async function showTop(flags: FormatFlags, socketFlag: unknown, world: World): Promise<number> {
  const asDocument = formatOf(flags) === 'json';
  if (!asDocument && world.stdout.isTTY === true) return liveTop(socketFlag, world);
  const status = await openSession(socketFlag, world).ask('GetStatus');
  const now = world.clock.wallNow();
  const document = topDocument(status, now, now);
  const text = (): string => `${topLines(document, viewOf(world)).join('\n')}\n`;
  world.stdout.write(asDocument ? jsonText(document) : text());
  return EXIT.done;
}

/** What was last heard of the daemon. */
interface Latest {
  readonly status: StatusAnswer;
  readonly at: number;
  /** Why it could not be asked since. */
  readonly trouble?: string;
}

async function liveTop(socketFlag: unknown, world: World): Promise<number> {
  const { clock, stdout } = world;
  const quit = new AbortController();
  const signal = AbortSignal.any([world.signal, quit.signal]);
  const session = openSession(socketFlag, world, signal);
  // A daemon that is not there, or refuses, is told in the usual way.
  let latest: Latest = { status: await session.ask('GetStatus'), at: clock.wallNow() };
  const screen = fullScreen(stdout);
  const giveKeysBack = watchKeys(world, signal, (key) => {
    if (key === 'q' || key === 'Q' || key === CTRL_C) quit.abort(new StopRequest('reader'));
  });
  try {
    const asking = askOn(
      session,
      (heard) => (latest = heard),
      () => latest,
      signal,
    );
    await Promise.race([asking, drawOn(() => draw(latest), world, signal)]);
  } catch (error) {
    if (!(error instanceof StopRequest)) throw error;
  } finally {
    quit.abort(new StopRequest('reader'));
    giveKeysBack();
    screen.close();
  }
  return EXIT.done;

  function draw({ status, at, trouble }: Latest): void {
    const view = viewOf(world);
    const footer = trouble === undefined ? 'q quits' : `${trouble}; being tried again    q quits`;
    screen.draw(topLines(topDocument(status, at, view.now), view), view.style.dim(footer));
  }
}

/** Asks again and again. A daemon that is being restarted is waited for. */
async function askOn(
  { ask, world: { clock } }: Session,
  heard: (latest: Latest) => void,
  latest: () => Latest,
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    await clock.sleep(ASK_MS, signal);
    try {
      heard({ status: await ask('GetStatus'), at: clock.wallNow() });
    } catch (error) {
      signal.throwIfAborted();
      const isGone = exitCodeFor(error) === EXIT.noDaemon;
      const { status, at } = latest();
      heard({ status, at, trouble: isGone ? 'the daemon has gone' : 'the daemon refuses to answer' });
    }
  }
}

/** Draws whenever the second or the size is another one. */
async function drawOn(draw: () => void, { clock, stdout }: World, signal: AbortSignal): Promise<never> {
  for (let drawn = ''; ; ) {
    const state = [Math.floor(clock.wallNow() / 1000), stdout.rows, stdout.columns].join(' ');
    if (state !== drawn) draw();
    drawn = state;
    await clock.sleep(TICK_MS, signal);
  }
}
