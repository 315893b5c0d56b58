import { DEFAULT_CONFIG } from './default-config.js';

/** The flags of `serve` in each of their spellings. */
const FLAGS: ReadonlyMap<string, keyof ServeArguments> = new Map([
  ['--config', 'config'],
  ['-f', 'config'],
  ['--record', 'record'],
]);

interface ServeArguments {
  config: string;
  record?: string;
}

/**
 * Reads the arguments of a `serve` as service managers write them, each flag once and with its value behind it, so that
 * a daemon starts without the other commands and their parser.
 * @param args what stands after the program's name
 * @returns what the parser would have read; undefined for any other command, or where that is not plain to see
 */
export function plainServe([command, ...rest]: readonly string[]): ServeArguments | undefined {
  if (command !== 'serve' || rest.length % 2 !== 0) return undefined;
  const given: Partial<ServeArguments> = {};
  for (let at = 0; at < rest.length; at += 2) {
    const name = FLAGS.get(rest[at] ?? '');
    const value = rest[at + 1] ?? '';
    if (name === undefined || given[name] !== undefined || !/^[\w./]/.test(value)) return undefined;
    given[name] = value;
  }
  return { config: DEFAULT_CONFIG, ...given };
}
