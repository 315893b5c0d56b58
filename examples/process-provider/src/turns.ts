/** Lets a few work at a time: of those that wait, the one of the highest priority is next, then the one that came first. */
export interface Turns {
  /** @throws what `work` throws; the signal's reason when it aborts before `work` began */
  run<T>(priority: number, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly priority: number;
  begin(): void;
}

export function turns(atOnce: number): Turns {
  const waiting: Waiting[] = [];
  let free = atOnce;

  const next = (): void => {
    if (free === 0 || waiting.length === 0) return;
    const highest = Math.max(...waiting.map(({ priority }) => priority));
    const [first] = waiting.splice(
      waiting.findIndex(({ priority }) => priority === highest),
      1,
    );
    free--;
    first?.begin();
  };

  const myTurn = (priority: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.splice(waiting.indexOf(mine), 1);
        reject(signal.reason);
      };
      const begin = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const mine: Waiting = { priority, begin };
      signal.addEventListener('abort', leave, { once: true });
      waiting.push(mine);
      next();
    });

  return {
    async run(priority, signal, work) {
      signal.throwIfAborted();
      await myTurn(priority, signal);
      try {
        return await work();
      } finally {
        free++;
        next();
      }
    },
  };
}
