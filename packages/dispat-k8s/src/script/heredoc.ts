import type { PoolOptions } from '../pool.js';

/** What the documented script embeds in its text. */
type Embedded = Pick<PoolOptions, 'endpoint' | 'secretEnv' | 'workDir' | 'stateDir'> & { readonly prefix: string };

const KEYS = ['prefix', 'endpoint', 'secretEnv', 'workDir', 'stateDir'] as const;

/**
 * The first character that an unquoted here-document would not leave alone, or that nobody has shown it does.
 * @returns nothing when every embedded value is safe
 */
export function heredocFault(
  embedded: Embedded,
): { readonly key: (typeof KEYS)[number]; readonly character: string } | undefined {
  for (const key of KEYS) {
    const character = /[^A-Za-z0-9._:/@~+=,-]/u.exec(embedded[key])?.[0];
    if (character !== undefined) return { key, character };
  }
  return undefined;
}
