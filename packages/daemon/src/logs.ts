import type { Clock, LogFields, Logger, Redactor } from '@rungar/model';
import { pino } from 'pino';
import { type LogFormat, type LogValue, toLogText, toLogValues } from './log-text.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

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
  let { format } = options;
  const redact = (text: string): string => redactor.redact(text);
  const lines = pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.wallNow()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label.toUpperCase() }) },
    },
    { write: (line: string) => out.write(redact(format === 'json' ? line : toTextLine(line))) },
  );

  const loggerOf = (held: LogFields): Logger => {
    const write = (level: LogLevel, msg: string, fields?: LogFields): void => {
      if (!lines.isLevelEnabled(level)) return;
      lines[level]({ msg: redact(msg), ...toLogValues({ ...held, ...fields }, format, redact) });
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
    adjust(next) {
      lines.level = next.level;
      format = next.format;
    },
  };
}

function toTextLine(json: string): string {
  const { time, level, msg, ...fields } = JSON.parse(json) as Record<string, LogValue>;
  return `${toLogText({ time: time ?? '', level: level ?? '', msg: msg ?? '', ...fields })}\n`;
}
