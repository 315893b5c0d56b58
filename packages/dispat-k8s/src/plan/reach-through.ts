import type { Relation } from '../dispat-config/configuration.js';
import type { PlanPackage } from './parse-plan.js';
import type { TaskPolicy } from './task-policy.js';

/** A releasing provider of a package, and what of it the package's build waits for. */
export interface ReachedProvider {
  readonly provider: number;
  readonly orders: Relation;
}

const NOT_SEEN = 0;
const BLOCKED = 1;
const OPEN = 2;

/**
 * Finds, for one package after another, the providers that release: direct ones, and those behind packages that do not
 * release. Behind a provider whose relation is `none` nothing orders the build any more, unless another path does; the
 * publish is always ordered.
 */
export function releasingProviders(
  packages: readonly PlanPackage[],
  policies: readonly TaskPolicy[],
  providers: readonly (readonly number[])[],
): (consumer: number) => readonly ReachedProvider[] {
  const state = new Uint8Array(packages.length);

  return (consumer) => {
    const touched: number[] = [];
    const found: number[] = [];
    const stack = [consumer];
    /** How `stack`'s packages were reached; the consumer itself is open. */
    const ways = [OPEN];
    while (stack.length > 0) {
      const at = stack.pop() ?? 0;
      const way = ways.pop() ?? OPEN;
      for (const provider of providers[at] ?? []) {
        const reached = way === OPEN && policies[provider]?.relation !== 'none' ? OPEN : BLOCKED;
        const known = state[provider] ?? NOT_SEEN;
        if (known >= reached) continue;
        if (known === NOT_SEEN) touched.push(provider);
        state[provider] = reached;
        if (packages[provider]?.releases) {
          if (known === NOT_SEEN) found.push(provider);
        } else {
          stack.push(provider);
          ways.push(reached);
        }
      }
    }
    const reached = found.map((provider): ReachedProvider => {
      const relation = policies[provider]?.relation ?? 'build';
      return { provider, orders: state[provider] === OPEN ? relation : 'none' };
    });
    for (const provider of touched) state[provider] = NOT_SEEN;
    return reached;
  };
}
