import type { Logger } from '@rungar/model';

type Level = 'debug' | 'info' | 'warn' | 'error';

/** The same logger, whose failures disturb nobody: a step that is told of half-way through has to come to its end. */
export function carefulLogger(logger: Logger): Logger {
  const at =
    (level: Level): Logger['info'] =>
    (message, fields) => {
      try {
        logger[level](message, fields);
      } catch {
        // There is nobody left to tell.
      }
    };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => carefulLogger(logger.with(fields)),
  };
}
