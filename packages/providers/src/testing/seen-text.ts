import { inspect } from 'node:util';
import type { LogFields, Logger } from '@rungar/model';

/** Everything of `error` that any way of printing it would show, its causes included. */
export function textOf(error: unknown): string {
  const texts: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) {
    texts.push(String(at), at.stack ?? '', JSON.stringify(at), inspect(at, { depth: 8, showHidden: true }));
  }
  return texts.join('\n');
}

/** A logger that keeps every line, with its fields as a person would see them. */
export function recordingLogger(): { readonly logger: Logger; readonly logged: string[] } {
  const logged: string[] = [];
  const loggerWith = (fixed: LogFields): Logger => {
    const keep = (message: string, fields: LogFields = {}): void => {
      logged.push(`${message} ${inspect({ ...fixed, ...fields }, { depth: 8 })}`);
    };
    return {
      debug: keep,
      info: keep,
      warn: keep,
      error: keep,
      with: (fields) => loggerWith({ ...fixed, ...fields }),
    };
  };
  return { logger: loggerWith({}), logged };
}
