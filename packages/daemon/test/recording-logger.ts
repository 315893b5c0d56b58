import type { LogFields, Logger } from '@rungar/model';

export interface LoggedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that remembers what it was told. */
export function recordingLogger(lines: LoggedLine[] = [], held: LogFields = {}): Logger & { lines: LoggedLine[] } {
  const write =
    (level: LoggedLine['level']) =>
    (message: string, fields: LogFields = {}): void => {
      lines.push({ level, message, fields: { ...held, ...fields } });
    };
  return {
    lines,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    with: (fields) => recordingLogger(lines, { ...held, ...fields }),
  };
}
