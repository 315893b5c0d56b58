/** What a log line may carry beside its message. Durations are milliseconds, under a key that ends in `Ms`. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Messages are constant text; whatever varies is a field. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose every line also carries `fields`. */
  with(fields: LogFields): Logger;
}

/** Says nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silentLogger,
};
