import { limitTime } from '@rungar/model';
import type { World } from '../command.js';
import type { StatusAnswer } from '../control/answers.js';
import { openSession } from '../control/session.js';

/** What a word is the name of. */
export type NameKind = 'scale-set' | 'leftover' | 'provider' | 'runner';

/** How long somebody who presses a key waits. */
const LIMIT_MS = 1_000;

/** Arguments that are names, by the command they belong to. */
const ARGUMENTS: Readonly<Record<string, NameKind>> = {
  'scale-sets inspect': 'scale-set',
  'scale-sets pause': 'scale-set',
  'scale-sets resume': 'scale-set',
  'scale-sets rm': 'leftover',
  'providers inspect': 'provider',
  'providers disable': 'provider',
  'providers drain': 'provider',
  'providers enable': 'provider',
  'runners rm': 'runner',
  reconcile: 'scale-set',
  plan: 'scale-set',
};

/** Commands whose first argument says what the second one names. */
const KINDS_FIRST = new Set(['wait', 'explain']);

const KINDS: ReadonlySet<string> = new Set<NameKind>(['scale-set', 'provider', 'runner']);

/** What an argument of a command names, if it names anything. @param before the arguments before it */
export function kindOfArgument(command: string, before: readonly string[]): NameKind | undefined {
  if (!KINDS_FIRST.has(command)) return ARGUMENTS[command];
  const [kind = ''] = before;
  return before.length === 1 ? kindOfFlag(kind) : undefined;
}

/** What the value of a flag names: `--provider` a provider. */
export function kindOfFlag(flag: string): NameKind | undefined {
  return KINDS.has(flag) ? (flag as NameKind) : undefined;
}

/** The names the daemon has. Whoever completes a word wants no errors: without an answer in time there are none. */
export async function namesFromDaemon(kind: NameKind, socketFlag: unknown, world: World): Promise<readonly string[]> {
  using limit = limitTime(world.clock, LIMIT_MS, () => new Error('the daemon takes too long'), world.signal);
  try {
    return namesIn(kind, await openSession(socketFlag, world, limit.signal).ask('GetStatus'));
  } catch {
    return [];
  }
}

function namesIn(kind: NameKind, { scale_sets: scaleSets = [], providers = [], runners = [] }: StatusAnswer): string[] {
  const configured = scaleSets.flatMap(({ name, configured: is }) => (name !== undefined && is ? [name] : []));
  switch (kind) {
    case 'scale-set':
      return configured;
    case 'leftover':
      return [...new Set(runners.flatMap((one) => one.scale_set ?? []))].filter((name) => !configured.includes(name));
    case 'provider':
      return providers.flatMap(({ name }) => name ?? []);
    case 'runner':
      return runners.flatMap(({ name }) => name ?? []);
  }
}
