import type { Options } from 'yargs';
import { UsageError } from '../exit.js';
import { flagName, OPTIONS, type OptionKey, type OptionRow } from './table.js';

const KEYS = Object.keys(OPTIONS) as OptionKey[];

const SHORTCUTS: Record<string, Options> = {
  'no-network-policy': { type: 'boolean', describe: 'the same as --policy-kind none' },
};

/** The flags of a pool's options, by name. Values are taken as text; what they mean is checked with the file's. */
export function poolFlags(): Record<string, Options> {
  const flags: Record<string, Options> = {};
  for (const key of KEYS) {
    const row: OptionRow = OPTIONS[key];
    if (row.kind !== 'boolean') flags[flagName(key)] = valueFlag(row);
    else if (row.default === 'true') {
      flags[`no-${flagName(key)}`] = { type: 'boolean', describe: `leave out: ${row.describe}` };
      flags[flagName(key)] = { type: 'boolean', hidden: true };
    } else flags[flagName(key)] = { type: 'boolean', describe: row.describe };
  }
  return { ...flags, ...SHORTCUTS };
}

const SEVERAL = new Set<OptionRow['kind']>(['texts', 'map', 'objects']);

function valueFlag(row: OptionRow): Options {
  const several = SEVERAL.has(row.kind);
  const words = row.kind === 'choice' ? ` (${row.words.join(', ')})` : '';
  const fallback = row.default === undefined ? '' : ` [${row.default}]`;
  return {
    type: 'string',
    ...(several && { array: true }),
    requiresArg: true,
    describe: `${row.describe}${words}${fallback}`,
  };
}

/**
 * What the command line says of a pool, by option key.
 * @param args as yargs gives them: hyphens kept beside camelCase
 * @throws UsageError for two flags that contradict each other
 */
export function poolFlagsGiven(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const key of KEYS) {
    const value = args[flagName(key)];
    if (value !== undefined) given[key] = value;
    if (OPTIONS[key].kind === 'boolean' && args[`no-${flagName(key)}`] === true) given[key] = false;
  }
  if (args['no-network-policy'] === true) {
    const { policyKind = 'none' } = given;
    if (policyKind !== 'none') throw new UsageError(`--no-network-policy beside --policy-kind ${String(policyKind)}`);
    given.policyKind = 'none';
  }
  return given;
}
