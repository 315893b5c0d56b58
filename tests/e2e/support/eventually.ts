const LIMIT_MS = 120_000;

/** How long a test may take in which several such waits follow each other. */
export const TEST_LIMIT_MS = 3 * LIMIT_MS;

const LOOK_EVERY_MS = 25;

/**
 * Waits until `check` holds, however long that takes on a busy host.
 * @param meanwhile what must not settle before: the process that is looked at, say
 */
export async function eventually(
  what: string,
  check: () => boolean | Promise<boolean>,
  meanwhile?: Promise<unknown>,
): Promise<void> {
  let settled: { readonly value: unknown } | undefined;
  void meanwhile?.then((value) => {
    settled = { value };
  });
  const end = Date.now() + LIMIT_MS;
  while (!(await check())) {
    if (settled) throw new Error(`It ended before this held: ${what}. ${JSON.stringify(settled.value)}`);
    if (Date.now() > end) throw new Error(`This did not hold within ${LIMIT_MS / 1000} s: ${what}`);
    await pause(LOOK_EVERY_MS);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
