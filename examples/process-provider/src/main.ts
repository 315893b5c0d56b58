// Serves a configuration until it is told to stop. Runners stay when it stops; the next one finds them.
import { isRungarError } from '@rungar/model';
import { serve } from './serve.js';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

try {
  const daemon = await serve(process.argv[2] ?? 'config.yaml', stop.signal);
  await daemon.done;
} catch (error) {
  if (!stop.signal.aborted) {
    process.exitCode = 1;
    console.error(isRungarError(error) ? [error.message, error.hint].filter(Boolean).join('\n') : error);
  }
}
