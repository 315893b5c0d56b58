import { type LocatedMap, memberPath, type ProblemSink, placeOf } from '@rungar/model';

/** What no single key of a block shows: which key is at fault, and why. */
export interface Mistake<Key extends string = string> {
  readonly key: Key;
  readonly message: string;
  readonly hint?: string;
}

/** Adds `mistakes` of the block at `path` as errors, each at its key, or at the block where the key is missing. */
export function addMistakes(map: LocatedMap, path: string, mistakes: readonly Mistake[], problems: ProblemSink): void {
  for (const { key, message, hint } of mistakes) {
    problems.add({
      severity: 'error',
      place: placeOf(map, key),
      path: memberPath(path, key),
      message,
      ...(hint !== undefined && { hint }),
    });
  }
}
