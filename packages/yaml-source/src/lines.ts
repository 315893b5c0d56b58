import type { Place } from '@rungar/model';

/** Turns offsets in one file's text into places. */
export interface Lines {
  /** @param offset in UTF-16 units from the start of the text */
  placeAt(offset: number): Place;
}

/** Indexes the lines of `text`. */
export function indexLines(text: string, file: string): Lines {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  let last = 0;

  /** The last line that starts at or before `offset`; most questions are about the line of the question before. */
  function lineOf(offset: number): number {
    let low = (starts[last] ?? 0) <= offset ? last : 0;
    let high = starts.length - 1;
    if ((starts[low + 1] ?? Number.POSITIVE_INFINITY) > offset) return low;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  return {
    placeAt(offset) {
      last = lineOf(offset);
      return { file, line: last + 1, column: offset - (starts[last] ?? 0) + 1 };
    },
  };
}
