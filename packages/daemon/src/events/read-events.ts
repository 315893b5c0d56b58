import { open } from 'node:fs/promises';
import { messageOf, RungarError, type RungarEvent } from '@rungar/model';
import { fromEventLine } from './event-line.js';

/** The events of a file, and how many of its lines are none. */
export interface EventsOfFile {
  /** Oldest first. */
  readonly events: readonly RungarEvent[];
  readonly unreadable: number;
}

/**
 * Reads an event file that a daemon of either kind has written, running or not. Changes nothing.
 * @throws RungarError `not_found` when there is none, `unavailable` when it cannot be read
 */
export async function readEvents(path: string): Promise<EventsOfFile> {
  const events: RungarEvent[] = [];
  let unreadable = 0;
  try {
    const file = await open(path, 'r');
    for await (const line of file.readLines()) {
      const event = fromEventLine(line);
      if (event) events.push(event);
      else if (line !== '') unreadable++;
    }
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new RungarError(missing ? 'not_found' : 'unavailable', `cannot read ${path}: ${messageOf(error)}`, {
      hint: 'name an event file with --events',
      cause: error,
    });
  }
  events.sort((a, b) => a.time - b.time);
  return { events, unreadable };
}
