/** A longer word than this is nobody's misspelling. */
const LONGEST = 80;

/**
 * The candidate a person most likely meant, if one is near enough: letter case, hyphens and underscores count for
 * nothing, and about one slip in three letters is forgiven. The first of equals wins.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(word);
  if (wanted === '' || wanted.length > LONGEST) return undefined;
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  const rows: Rows = [new Uint8Array(2 * LONGEST), new Uint8Array(2 * LONGEST), new Uint8Array(2 * LONGEST)];
  for (const candidate of candidates) {
    const text = plain(candidate);
    if (Math.abs(text.length - wanted.length) >= least) continue;
    const slips = distance(wanted, text, least, rows);
    if (slips < least) {
      least = slips;
      best = candidate;
    }
  }
  return best;
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[-_\s]/g, '');
}

type Rows = [Uint8Array, Uint8Array, Uint8Array];

/**
 * How many insertions, deletions, changes and swaps of neighbours make `a` into `b`; `most` for that many or more.
 * There may be very many words to compare, so that nothing is worked out which cannot be less.
 */
function distance(a: string, b: string, most: number, [first, second, third]: Rows): number {
  let before = first;
  let last = second;
  let row = third;
  for (let j = 0; j <= b.length; j++) last[j] = Math.min(j, most);
  let leastBefore = 0;
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - most);
    const to = Math.min(b.length, i + most);
    row[from - 1] = from === 1 ? Math.min(i, most) : most;
    let leastHere = row[from - 1] ?? most;
    for (let j = from; j <= to; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let cost = Math.min(
        (last[j] ?? most) + 1,
        (row[j - 1] ?? most) + 1,
        (last[j - 1] ?? most) + (same ? 0 : 1),
        most,
      );
      if (
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      ) {
        cost = Math.min(cost, (before[j - 2] ?? most) + 1);
      }
      row[j] = cost;
      leastHere = Math.min(leastHere, cost);
    }
    if (to < b.length) row[to + 1] = most;
    if (leastHere >= most && leastBefore >= most) return most;
    leastBefore = leastHere;
    [before, last, row] = [last, row, before];
  }
  return last[b.length] ?? most;
}
