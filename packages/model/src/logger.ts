/** What a log line may carry beside its message. Durations are milliseconds, under a key that ends in `Ms`. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Messages are constant text; whatever varies is a field. */
export interface Logger {
  /** For whoever follows one thing in detail. No level waits or throws. */
  debug(message: string, fields?: LogFields): void;
  /** For whoever wants to know what is done. */
  info(message: string, fields?: LogFields): void;
  /** Something is not as it should be, and work goes on. */
  warn(message: string, fields?: LogFields): void;
  /** Something did not succeed, and somebody should look. */
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
