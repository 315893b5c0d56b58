/** Runs `work` on every item, at most `most` at a time, and gives what became of each, in their order. */
export async function settleAll<T, R>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<R>,
): Promise<readonly PromiseSettledResult<R>[]> {
  const results = new Array<PromiseSettledResult<R>>(items.length);
  const rest = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of rest) {
      const [result] = await Promise.allSettled([work(item)]);
      results[at] = result;
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return results;
}
