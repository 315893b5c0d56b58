import type { Clock, LogFields, Logger, Redactor } from '@rungar/model';
import { type LogFormat, type LogValue, toLogText, toLogValues } from './log-text.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

const SEVERITY: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Where lines go, one `write` each. */
  readonly out: { write(text: string): unknown };
  readonly clock: Clock;
  /** Every line passes through it. */
  readonly redactor: Redactor;
}

/** A logger whose lines, and those of every logger made from it, may get another form meanwhile. */
export interface AdjustableLogger extends Logger {
  adjust(next: Pick<LogOptions, 'level' | 'format'>): void;
}

/**
 * A logger that writes one line per call: `time=… level=INFO msg="…" key=value`, or one JSON object with the same
 * keys (docs/reference/logs.md).
 */
export function createLogger(options: LogOptions): AdjustableLogger {
  const { clock, redactor, out } = options;
  let { level: least, format } = options;
  const redact = (text: string): string => redactor.redact(text);

  const loggerOf = (held: LogFields): Logger => {
    const write = (level: LogLevel, message: string, fields?: LogFields): void => {
      if (SEVERITY[level] < SEVERITY[least]) return;
      const line: Record<string, LogValue> = {
        time: new Date(clock.wallNow()).toISOString(),
        level: level.toUpperCase(),
        msg: redact(message),
        ...toLogValues({ ...held, ...fields }, format, redact),
      };
      out.write(`${redact(format === 'json' ? JSON.stringify(line) : toLogText(line))}\n`);
    };
    return {
      debug: (message, fields) => write('debug', message, fields),
      info: (message, fields) => write('info', message, fields),
      warn: (message, fields) => write('warn', message, fields),
      error: (message, fields) => write('error', message, fields),
      with: (fields) => loggerOf({ ...held, ...fields }),
    };
  };
  return {
    ...loggerOf({}),
    adjust({ level, format: next }) {
      least = level;
      format = next;
    },
  };
}
