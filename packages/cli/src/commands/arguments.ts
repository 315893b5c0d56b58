import { parseDuration } from '@rungar/model';
import type { Argv } from 'yargs';
import { usageError } from '../usage.js';

/** One name, which is wanted. @param describe what it is the name of */
export function nameFlag(yargs: Argv, describe: string): Argv {
  return yargs.positional('name', { type: 'string', describe });
}

/** One name, or the flag `--all`. */
export function oneNameOrAll(yargs: Argv, describe: string): Argv {
  return nameFlag(yargs, describe)
    .option('all', { type: 'boolean', default: false, describe: 'each that is configured' })
    .check(({ name, all }) => {
      if (all !== true && (name === undefined || name === '')) throw usageError('give a name, or --all');
      if (all === true && name !== undefined) throw usageError('give a name or --all, not both');
      return true;
    });
}

/** A flag's text as a member of an object: empty where there is none. */
export function textOf<K extends string>(key: K, value: unknown): Partial<Record<K, string>> {
  return typeof value === 'string' && value !== '' ? ({ [key]: value } as Record<K, string>) : {};
}

/**
 * A flag's duration in milliseconds.
 * @throws ExitError 64 unless it is one, and not negative
 */
export function durationOf(flag: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const nanoseconds = parseDuration(String(value));
  if (nanoseconds === undefined || nanoseconds < 0n) {
    throw usageError(`--${flag} takes a duration such as 90s or 1h30m, not "${String(value)}"`);
  }
  return Number(nanoseconds) / 1e6;
}
