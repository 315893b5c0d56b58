import type { PoolOptions } from '../pool.js';
import type { InputProblem } from '../problems.js';

/** Where a pool's options are written: a file, flags, or both; a flag wins. */
export interface OptionsSource {
  /** A YAML or JSON text and what to call it. */
  readonly file?: { readonly name: string; readonly text: string };
  /** By option key (`sshMode`); an option that may be given several times has a list. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

export interface CheckedOptions {
  readonly options: PoolOptions;
  /** Warnings and notes; there are no errors among them. */
  readonly notices: readonly InputProblem[];
}

/**
 * Reads, completes and checks a pool's options.
 * @throws InputError with every problem found
 */
export function readPoolOptions(source: OptionsSource): CheckedOptions {
  throw new Error(`not yet: ${Object.keys(source).join()}`);
}
