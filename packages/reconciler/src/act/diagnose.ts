import { lastWords } from '../decide/last-words.js';
import type { Leaving } from './runners.js';
import type { ScaleSet } from './scale-set.js';

/**
 * Notes what the machine of a runner that came to nothing has written to its console, before it is deleted. Waits a
 * few seconds at most, and does without what it cannot have.
 */
export async function noteLastWords(set: ScaleSet, leaving: Leaving): Promise<void> {
  if (!cameToNothing(leaving) || leaving.askedForLastWords) return;
  leaving.askedForLastWords = true;
  const { name, place } = leaving.runner;
  const ref = {
    name,
    ...(place.id !== undefined && { id: place.id }),
    ...(place.labels && { labels: place.labels }),
  };
  try {
    const words = lastWords((await set.deps.fleet.readConsole(place.provider, ref)) ?? []);
    if (words !== undefined) leaving.lastWords = words;
  } catch (error) {
    set.log.debug('The console of a runner that never connected cannot be read', { runner: name, error });
  }
}

/** Its runner was not seen connected: it did not in time, or its machine ended by itself before. */
function cameToNothing({ runner, outcome, endedAt }: Leaving): boolean {
  if (outcome?.reason === 'never_connected') return true;
  return runner.state === 'starting' && !runner.adopted && endedAt !== undefined;
}
