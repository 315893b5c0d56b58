import type { OpenProvider } from '@rungar/model';

/** A provider that may be opened anew, with other credentials, while others go on using it. */
export interface ReplaceableProvider extends OpenProvider {
  /** Calls from now on go to `next`. The one before is closed once its last call has ended. */
  replace(next: OpenProvider): void;
}

/** One opening, and the calls that are still with it. */
interface Opening {
  readonly provider: OpenProvider;
  calls: number;
  replaced: boolean;
}

export function replaceable(first: OpenProvider): ReplaceableProvider {
  const openings = new Set<Opening>();
  const begin = (provider: OpenProvider): Opening => {
    const opening = { provider, calls: 0, replaced: false };
    openings.add(opening);
    return opening;
  };
  let current = begin(first);

  const closeIfDone = (opening: Opening): void => {
    if (!opening.replaced || opening.calls > 0 || !openings.delete(opening)) return;
    // Nobody waits for it, and nobody could do anything about it.
    opening.provider.close().catch(() => {});
  };
  const during = async <T>(call: (provider: OpenProvider) => Promise<T>): Promise<T> => {
    const opening = current;
    opening.calls++;
    try {
      return await call(opening.provider);
    } finally {
      opening.calls--;
      closeIfDone(opening);
    }
  };

  return {
    list: (selector, options) => during((provider) => provider.list(selector, options)),
    create: (request, options) => during((provider) => provider.create(request, options)),
    delete: (machine, selector, options) => during((provider) => provider.delete(machine, selector, options)),
    readConsole: (machine, options) => during(async (provider) => provider.readConsole?.(machine, options)),
    replace(next) {
      const before = current;
      current = begin(next);
      before.replaced = true;
      closeIfDone(before);
    },
    async close() {
      await Promise.all([...openings].map(({ provider }) => provider.close()));
    },
  };
}
