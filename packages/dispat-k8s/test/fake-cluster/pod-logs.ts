import type { ServerResponse } from 'node:http';

interface Log {
  readonly lines: { readonly at: string; readonly text: string }[];
  readonly followers: Set<{ readonly response: ServerResponse; readonly timestamps: boolean }>;
  isOpen: boolean;
}

/** What containers have written. */
export class PodLogs {
  readonly #logs = new Map<string, Log>();

  open(pod: string): void {
    if (!this.#logs.has(pod)) this.#logs.set(pod, { lines: [], followers: new Set(), isOpen: true });
  }

  has(pod: string): boolean {
    return this.#logs.has(pod);
  }

  get followers(): number {
    return [...this.#logs.values()].reduce((sum, { followers }) => sum + followers.size, 0);
  }

  write(pod: string, text: string, at: string): void {
    const log = this.#logs.get(pod);
    if (!log) throw new Error(`${pod} has not begun`);
    log.lines.push({ at, text });
    for (const { response, timestamps } of log.followers) response.write(timestamps ? `${at} ${text}\n` : `${text}\n`);
  }

  close(pod: string): void {
    const log = this.#logs.get(pod);
    if (!log) return;
    log.isOpen = false;
    for (const { response } of log.followers) response.end();
  }

  /** Answers a request for a log. */
  answer(pod: string, query: URLSearchParams, response: ServerResponse): void {
    const log = this.#logs.get(pod);
    if (!log) return;
    const timestamps = query.get('timestamps') === 'true';
    const since = query.get('sinceTime') ?? '';
    const tail = Number(query.get('tailLines') ?? Number.POSITIVE_INFINITY);
    const lines = log.lines.filter(({ at }) => at >= since).slice(-tail);
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    for (const { at, text } of lines) response.write(timestamps ? `${at} ${text}\n` : `${text}\n`);
    if (query.get('follow') !== 'true' || !log.isOpen) {
      response.end();
      return;
    }
    const follower = { response, timestamps };
    log.followers.add(follower);
    response.on('close', () => log.followers.delete(follower));
  }
}
