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
  for (const candidate of candidates) {
    const text = plain(candidate);
    if (Math.abs(text.length - wanted.length) >= least) continue;
    const slips = distance(wanted, text);
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

/** How many insertions, deletions, changes and swaps of neighbours make `a` into `b`. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
