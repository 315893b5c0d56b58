import type { World } from '../command.js';
import type { EventAnswer } from '../control/answers.js';
import { openSession } from '../control/session.js';
import { EXIT, StopRequest } from '../exit.js';
import { jsonText } from '../output/document.js';
import { statsLines, timelineLines } from '../output/event-figures.js';
import { eventPrinter } from '../output/events.js';
import { styleFor } from '../output/style.js';
import { viewOf } from '../output/view.js';
import { watchReader } from '../reader.js';
import { type Following, followEvents } from './follow.js';
import { eventStats } from './stats.js';
import { timelineOf } from './timeline.js';

/** Which events are shown, and how. */
export interface ShownEvents extends Following {
  readonly socket: unknown;
  readonly json: boolean;
}

/** Prints what is kept. */
export async function printEvents(shown: ShownEvents, world: World): Promise<number> {
  const line = linePrinter(shown, world);
  for await (const event of keptEvents(shown, world)) world.stdout.write(line(event));
  return EXIT.done;
}

/** Prints what is kept and what comes, until the user or the reader has seen enough, which is no failure. */
export async function printFollowed(shown: ShownEvents, world: World): Promise<number> {
  using reader = watchReader(world);
  const line = linePrinter(shown, world);
  const session = openSession(shown.socket, world, reader.signal);
  const tellGone = (): void => {
    if (world.stderr.isTTY) world.stderr.write('The daemon has gone; this goes on once it is back.\n');
  };
  try {
    for await (const event of followEvents(shown, session, reader.signal, tellGone)) world.stdout.write(line(event));
  } catch (error) {
    if (!(error instanceof StopRequest)) throw error;
  }
  return EXIT.done;
}

/** Prints how long things took. */
export async function printStats(shown: ShownEvents, world: World): Promise<number> {
  const stats = eventStats(await allOf(keptEvents(shown, world)));
  const lines = (): string => `${statsLines(stats, viewOf(world)).join('\n')}\n`;
  world.stdout.write(shown.json ? jsonText(stats) : lines());
  return EXIT.done;
}

/** Prints one runner's life. @throws RungarError `not_found` when no event of it is kept */
export async function printTimeline(runner: string, shown: ShownEvents, world: World): Promise<number> {
  const timeline = timelineOf(runner, await allOf(keptEvents(shown, world)));
  const lines = (): string => `${timelineLines(timeline, viewOf(world)).join('\n')}\n`;
  world.stdout.write(shown.json ? jsonText(timeline) : lines());
  return EXIT.done;
}

async function* keptEvents({ socket, filters, limit, since }: ShownEvents, world: World): AsyncGenerator<EventAnswer> {
  const body = { limit, follow: false, ...filters, ...(since !== undefined && { since }) };
  for await (const { events = [] } of openSession(socket, world).events(body, world.signal)) yield* events;
}

async function allOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

function linePrinter({ json }: ShownEvents, world: World): (event: EventAnswer) => string {
  const print = json ? JSON.stringify : eventPrinter(styleFor(world.stdout, world.env));
  return (event) => `${print(event)}\n`;
}
