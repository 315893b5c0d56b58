import type { World } from '../command.js';

/**
 * The lines of standard input, as they come.
 * @throws the signal's reason when that aborts
 */
export async function* linesOf({ stdin, signal }: Pick<World, 'stdin' | 'signal'>): AsyncGenerator<string, void> {
  signal.throwIfAborted();
  // Nothing else wakes a read that waits for a terminal.
  const stop = (): void => {
    if ('destroy' in stdin && typeof stdin.destroy === 'function') stdin.destroy(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of stdin) {
      const parts = (rest + decoder.decode(Buffer.from(chunk), { stream: true })).split(/\r?\n/);
      rest = parts.pop() ?? '';
      yield* parts;
    }
    signal.throwIfAborted();
    if (rest !== '') yield rest;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
