/**
 * Resolves as soon as `check` holds. It is asked now, and whenever `listen` calls back.
 * @param listen starts listening, and gives what stops it
 * @throws the signal's reason when `signal` aborts first
 */
export function untilTrue(
  check: () => boolean,
  listen: (again: () => void) => () => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(reasonOf(signal));
      return;
    }
    if (check()) {
      resolve();
      return;
    }
    const giveUp = (): void => {
      stop();
      if (signal) reject(reasonOf(signal));
    };
    const stop = listen(() => {
      if (!check()) return;
      stop();
      signal?.removeEventListener('abort', giveUp);
      resolve();
    });
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
