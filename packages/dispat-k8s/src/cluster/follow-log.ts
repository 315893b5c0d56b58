import type { Clock } from '@rungar/model';
import type { ClusterApi, LogLine } from './api.js';
import { isClusterFailure } from './failures.js';

const REOPEN_MS = 1000;

/** One container's log. */
export interface LogSource {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Only what was written at or after this instant, as RFC 3339. */
  readonly sinceTime?: string;
}

/**
 * A container's log from its beginning, and on as it is written. A cut connection is opened again where it ended, and
 * no line is given twice.
 * @param hasEnded asked when the log ends: whether the container is done, so that there is no more to come
 */
export async function* followLog(
  source: LogSource,
  { api, clock }: { readonly api: ClusterApi; readonly clock: Clock },
  hasEnded: () => boolean,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const { namespace, pod, container } = source;
  const given = new Given();
  for (;;) {
    const wasEnded = hasEnded();
    const sinceTime = given.second ?? source.sinceTime;
    const query = { namespace, pod, container, follow: !wasEnded, ...(sinceTime !== undefined && { sinceTime }) };
    given.reopened();
    try {
      for await (const line of api.logs(query, signal)) if (given.isNew(line)) yield line;
      if (wasEnded) return;
    } catch (error) {
      signal.throwIfAborted();
      if (!isClusterFailure(error)) throw error;
    }
    await clock.sleep(REOPEN_MS, signal);
  }
}

/** Which lines were given already. A log goes on from a whole second, and lines may share an instant. */
class Given {
  #last = '';
  #atLast = 0;
  #seenAtLast = 0;

  /** Where to go on from; nothing before the first line. */
  get second(): string | undefined {
    return this.#last === '' ? undefined : `${this.#last.slice(0, 19)}Z`;
  }

  reopened(): void {
    this.#seenAtLast = 0;
  }

  isNew({ at }: LogLine): boolean {
    const instant = comparable(at);
    if (instant < this.#last) return false;
    if (instant > this.#last) {
      this.#last = instant;
      this.#atLast = 0;
      this.#seenAtLast = 0;
    }
    this.#seenAtLast++;
    if (this.#seenAtLast <= this.#atLast) return false;
    this.#atLast++;
    return true;
  }
}

/** As text that sorts by time: fractions have nine digits. */
function comparable(at: string): string {
  const parts = /^(.{19})(?:\.(\d+))?/.exec(at);
  return parts ? `${parts[1]}.${(parts[2] ?? '').padEnd(9, '0')}` : '';
}
