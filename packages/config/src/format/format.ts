import type { Migration } from './migration.js';

/** What of the configuration file's format changes from one version to the next. */
export interface Format {
  /** The newest version, and what a file without one is taken to be. */
  readonly current: number;
  /** The oldest version that is still read. */
  readonly oldest: number;
  /** The forms that are still read, and are not written any more. */
  readonly migrations: readonly Migration[];
}

/**
 * The format as this release knows it. The version rises only when a key is removed or a value changes its meaning,
 * and then an entry of `migrations` says what stands for it now.
 */
export const FORMAT: Format = { current: 1, oldest: 1, migrations: [] };
