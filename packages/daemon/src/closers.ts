import type { Logger } from '@rungar/model';

/** What has been opened, to be closed the other way round. */
export interface Closers {
  add(what: string, close: () => Promise<void>): void;
  /** Closes everything, the latest first, one after another. A failure is logged and holds nothing up. */
  closeAll(): Promise<void>;
}

export function createClosers(logger: Logger): Closers {
  const stack: { what: string; close: () => Promise<void> }[] = [];
  return {
    add: (what, close) => void stack.push({ what, close }),
    async closeAll() {
      for (let last = stack.pop(); last; last = stack.pop()) {
        const { what, close } = last;
        await close().catch((error: unknown) => logger.warn('Something did not close', { what, error }));
      }
    },
  };
}
