import { DEFAULT_TIMEOUTS, settingsOf, type Where, type Written } from '../../dispat-config/configuration.js';
import type { Facts, LinkFact } from '../facts.js';
import type { PoolFacts } from './pool.js';

/** The orchestrator's preflight, in seconds, as far as it is known for this pool. */
export function preflightOf({ configuration }: Facts, { settings }: PoolFacts): number | undefined {
  if (configuration === undefined) return settings.preflight;
  return configuration.execution?.timeouts.preflight?.value ?? DEFAULT_TIMEOUTS.preflight;
}

/** The time a task may take, in seconds, as far as it is known for this pool. */
export function taskTimeoutOf({ configuration }: Facts, { settings }: PoolFacts): number | undefined {
  if (configuration === undefined) return settings.taskTimeout;
  return configuration.execution?.timeouts.task?.value ?? DEFAULT_TIMEOUTS.task;
}

export const NO_CONFIGURATION = "the orchestrator's configuration (--dispat-config)";
export const NO_LINKS = "the orchestrator's list of workers (--dispat-config or --worker)";

/** A package, or a part of the configuration that stands for several, and what it says. */
export interface PackageFacts {
  readonly name: string;
  readonly platforms: Written<readonly string[]> | undefined;
  readonly buildOn: Where;
  readonly publishOn: Written<Where> | undefined;
  readonly login: boolean;
}

/**
 * With a plan its releasing packages; without one every part of the configuration that says where tasks run, because
 * any of them may release.
 */
export function packagesOf({ configuration, plan }: Facts): readonly PackageFacts[] {
  if (configuration === undefined) return [];
  const named =
    plan === undefined
      ? [
          { label: 'every package', scope: configuration.defaults },
          ...[...configuration.spaces.keys()].map((space) => ({
            label: `the packages of space ${space}`,
            scope: settingsOf(configuration, { name: '', space }),
          })),
          ...[...configuration.packages.keys()].map((name) => ({
            label: name,
            scope: settingsOf(configuration, { name }),
          })),
        ]
      : plan.packages
          .filter(({ releases }) => releases)
          .map(({ name, space }) => ({ label: name, scope: settingsOf(configuration, { name, space }) }));
  return named.map(({ label, scope }) => ({
    name: label,
    platforms: scope.buildPlatforms,
    buildOn: scope.runOnly?.value.build ?? 'both',
    publishOn: scope.runOnly && { value: scope.runOnly.value.publish, place: scope.runOnly.place },
    login: scope.login !== undefined,
  }));
}

/**
 * Finds the links whose names follow a pool's pattern, letter case aside, in their order.
 * @returns nothing when no link is known
 */
export function linkFinder({ links }: Facts): (pool: PoolFacts) => readonly LinkFact[] | undefined {
  if (links === undefined) return () => undefined;
  const sorted = links
    .map((link, order) => ({ link, order, folded: link.name.toLowerCase() }))
    .sort((a, b) => (a.folded < b.folded ? -1 : a.folded > b.folded ? 1 : a.order - b.order));
  return ({ settings: { names } }) => {
    if (names === undefined) return [];
    const before = names.before.toLowerCase();
    const after = names.after.toLowerCase();
    const found: typeof sorted = [];
    for (let at = firstFrom(sorted, before); sorted[at]?.folded.startsWith(before) === true; at++) {
      const each = sorted[at];
      if (each !== undefined && follows(each.folded, before, after, names.hasIndex)) found.push(each);
    }
    return found.sort((a, b) => a.order - b.order).map(({ link }) => link);
  };
}

/** The first place whose name is not before `text`. */
function firstFrom(sorted: readonly { readonly folded: string }[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.folded ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

function follows(name: string, before: string, after: string, hasIndex: boolean): boolean {
  if (!hasIndex) return name === before;
  return name.endsWith(after) && /^[0-9]+$/.test(name.slice(before.length, name.length - after.length));
}
