import type { Place, Problem, ProblemSink } from '@rungar/model';
import { hideCredentials } from './credential-like.js';

/** Collects the problems of one file, without what looks like a credential. */
export interface ProblemList extends ProblemSink {
  /** Whether any of them is an error. */
  readonly hasErrors: boolean;
  /** All of them, by place, each once. */
  sorted(): readonly Problem[];
}

export function collectProblems(): ProblemList {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  let hasErrors = false;
  return {
    add(problem) {
      const { line, column } = problem.place;
      const identity = `${line}:${column}:${problem.message}:${problem.path}`;
      if (seen.has(identity)) return;
      seen.add(identity);
      problems.push(hideCredentials(problem));
      if (problem.severity === 'error') hasErrors = true;
    },
    get hasErrors() {
      return hasErrors;
    },
    sorted: () => [...problems].sort((a, b) => comparePlaces(a.place, b.place)),
  };
}

/** A sink that ends every message with where it belongs: `…, in scale set "linux"`. */
export function within(problems: ProblemSink, where: string): ProblemSink {
  return { add: (problem) => problems.add({ ...problem, message: `${problem.message}, ${where}` }) };
}

/**
 * A sink that lets through what has not been said of the same key at the same place before, whatever the path that led
 * there. Several keys may be missing at one place.
 */
export function oncePerPlace(seen: Set<string>, problems: ProblemSink): ProblemSink {
  return {
    add(problem) {
      const { line, column } = problem.place;
      const identity = `${line}:${column}:${lastKey(problem.path)}:${problem.message}`;
      if (seen.has(identity)) return;
      seen.add(identity);
      problems.add(problem);
    },
  };
}

/** The last key of a path: `zones` of `providers[1].zones[2]`. */
function lastKey(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '');
}

/** Order in a file: by line, then by column. */
export function comparePlaces(a: Place, b: Place): number {
  return a.line - b.line || a.column - b.column;
}

/** An error, in the fewest words. */
export function addError(
  problems: ProblemSink,
  { place, path, message, hint, value }: { place: Place; path: string; message: string; hint?: string; value?: string },
): void {
  problems.add({
    severity: 'error',
    place,
    path,
    message,
    ...(value !== undefined && { value }),
    ...(hint !== undefined && { hint }),
  });
}
