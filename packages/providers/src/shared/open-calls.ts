import { setMaxListeners } from 'node:events';

/** The calls of a provider that are under way, so that closing it can end them. */
export interface OpenCalls {
  /** Runs `work` with a signal that aborts with the caller's reason, or when {@link OpenCalls.close} is called. */
  run<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Ends every call under way and waits until each has settled. Calls made later end at once. Safe to repeat. */
  close(): Promise<void>;
}

/** @param closed what calls are ended with by {@link OpenCalls.close} */
export function trackCalls(closed: () => Error): OpenCalls {
  const open = new Map<AbortController, Promise<unknown>>();
  let isClosed = false;

  return {
    async run(signal, work) {
      if (isClosed) throw closed();
      signal?.throwIfAborted();
      const call = new AbortController();
      const onAbort = (): void => call.abort(signal?.reason);
      if (signal) {
        setMaxListeners(0, signal); // one signal may stop any number of calls: that is no leak
        signal.addEventListener('abort', onAbort, { once: true });
      }
      const running = work(call.signal);
      open.set(call, running);
      try {
        return await running;
      } finally {
        open.delete(call);
        signal?.removeEventListener('abort', onAbort);
      }
    },
    async close() {
      isClosed = true;
      const settling = [...open.values()];
      for (const call of open.keys()) call.abort(closed());
      await Promise.allSettled(settling);
    },
  };
}
