import { linksOfPool } from '../generate/generate.js';
import type { Link, PoolOptions } from '../pool.js';

/** Whose rules a flag is quoted by; `none` leaves it as it is. */
export type Shell = 'posix' | 'powershell' | 'none';

/** The release's `--worker` flags, as arguments: two for each worker. */
export function workerFlags(options: PoolOptions): string[] {
  return linksOfPool(options).flatMap((link) => ['--worker', flagValue(link)]);
}

/** The same flags as text, one a line, safe to paste into that shell. */
export function workerFlagLines(options: PoolOptions, shell: Shell): string[] {
  return linksOfPool(options).map((link) => `--worker ${quoteFor(shell, flagValue(link))}`);
}

function flagValue({ name, endpoint }: Link): string {
  return endpoint === undefined ? name : `${name}=${endpoint}`;
}

function quoteFor(shell: Shell, text: string): string {
  switch (shell) {
    case 'none':
      return text;
    case 'posix':
      // A tilde after `=` or `:` is a home folder to some shells, so it is not among the harmless.
      return /^[A-Za-z0-9._:/@=+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
    case 'powershell':
      return /^[A-Za-z0-9._:/=-]+$/.test(text) ? text : `'${text.replaceAll("'", "''")}'`;
  }
}
