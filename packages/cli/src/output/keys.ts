import type { World } from '../command.js';

/**
 * Calls `pressed` for each key, until `signal` aborts. Without a terminal to read from there are none.
 * @returns what gives the terminal back
 */
export function watchKeys(
  { stdin }: Pick<World, 'stdin'>,
  signal: AbortSignal,
  pressed: (key: string) => void,
): () => void {
  if (stdin.isTTY !== true || stdin.setRawMode === undefined) return () => {};
  stdin.setRawMode(true);
  const read = async (): Promise<void> => {
    for await (const chunk of stdin) {
      if (signal.aborted) return;
      for (const key of chunk.toString()) pressed(key);
    }
  };
  read().catch(() => {});
  return () => {
    stdin.setRawMode?.(false);
    // Nothing else ends a read that waits for a terminal.
    if ('destroy' in stdin && typeof stdin.destroy === 'function') stdin.destroy();
  };
}
