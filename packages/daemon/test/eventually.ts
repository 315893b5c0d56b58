import { vi } from 'vitest';

/** Asks again and again until `check` does not throw. The limit only ends a test that has gone wrong. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 15_000, interval: 10 });
