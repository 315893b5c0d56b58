/**
 * Waits for every one of these checks, so that one that fails hides no other.
 * @throws the error of the one that failed, or an AggregateError of several, none of which is one
 */
export async function allErrors(checks: readonly Promise<unknown>[]): Promise<void> {
  const settled = await Promise.allSettled(checks);
  const errors = settled.flatMap((each) => (each.status === 'rejected' ? single(each.reason) : []));
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} checks failed`);
  if (errors.length === 1) throw errors[0];
}

function single(error: unknown): readonly unknown[] {
  return error instanceof AggregateError ? error.errors : [error];
}
