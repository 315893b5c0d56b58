import type { Facts } from '../facts.js';
import { allowedValues } from '../kube/node-choice.js';
import { packagesOf } from '../pools/orchestrator.js';
import type { PoolFacts } from '../pools/pool.js';
import { type Found, forPoolsWith, PAGE, type Rule, someOf } from '../rule.js';

const ARCH_LABELS = ['kubernetes.io/arch', 'beta.kubernetes.io/arch'];
const OS_LABELS = ['kubernetes.io/os', 'beta.kubernetes.io/os'];

/** The platforms a pool's pods may land on, in Go's words; nothing when the architecture is left open. */
function platformsOf({ pod }: PoolFacts): readonly string[] | undefined {
  const archs = allowedValues(pod, ARCH_LABELS)?.values;
  const systems = allowedValues(pod, OS_LABELS)?.values ?? ['linux'];
  return archs?.flatMap((arch) => systems.map((os) => `${os}/${arch}`));
}

/**
 * Packages that say which platforms their build may run on, and whose build may leave the orchestrator. What several
 * take from one place is there once.
 */
function demanding(facts: Facts) {
  const places = new Set<unknown>();
  return packagesOf(facts).flatMap(({ name, platforms, buildOn }) => {
    if (platforms === undefined || buildOn === 'orchestrator' || places.has(platforms.place)) return [];
    places.add(platforms.place);
    return [{ name, platforms: platforms.value, place: platforms.place }];
  });
}

/** What builds want, and whether some pools are of other platforms than the rest. */
function platformsWanted(facts: Facts) {
  const differ = new Set(facts.pools.map((pool) => platformsOf(pool)?.join())).size > 1;
  return { differ, wanted: demanding(facts) };
}

export const platformRules: readonly Rule[] = [
  {
    id: 'DWM113',
    severity: 'warning',
    otherwise: ['error'],
    title: 'a machine of the right architecture',
    why: "The machine's architecture must be one the packages' buildPlatforms allow. Both use Go's words, so they are compared as text.",
    when: "there is no selector for kubernetes.io/arch and no required affinity that does the same (warning); there is one, every pool has the same, and some package's buildPlatforms has no entry of it (error)",
    fix: 'select kubernetes.io/arch with the architecture the packages build on, one Job per platform',
    page: PAGE.job,
    find: forPoolsWith(platformsWanted, function* (pool, { differ, wanted }): Iterable<Found> {
      const chosen = allowedValues(pool.pod, ARCH_LABELS);
      if (chosen === undefined) {
        yield {
          at: pool.pod.at('nodeSelector'),
          message: 'no selector for kubernetes.io/arch: the pods land on any architecture',
        };
        return;
      }
      const own = platformsOf(pool) ?? [];
      if (differ) return;
      const unserved = wanted.filter(({ platforms }) => !platforms.some((platform) => own.includes(platform)));
      if (unserved.length === 0) return;
      yield {
        at: chosen.at,
        severity: 'error',
        message: `every pool is ${someOf(own)}, and ${someOf(unserved.map(({ name, platforms }) => `${name} (${platforms.join(', ')})`))} cannot build there`,
      };
    }),
  },
  {
    id: 'DWM114',
    severity: 'error',
    title: 'a pool for every platform',
    why: 'dispat refuses a run (E225) that has a package no listed node can build.',
    when: 'a package that may release and is not pinned to the orchestrator has buildPlatforms none of which a pool has',
    fix: "add a pool for the platform, or pin the package's build to the orchestrator",
    page: PAGE.job,
    *find(facts) {
      const platforms = facts.pools.map(platformsOf);
      const [pool] = facts.pools;
      for (const { name, platforms: wanted, place } of demanding(facts)) {
        if (platforms.some((each) => each?.some((platform) => wanted.includes(platform)))) continue;
        if (platforms.includes(undefined)) yield { ...(pool && { pool }), unknown: "a pool's architecture" };
        else yield { ...(pool && { pool }), place, message: `no pool is ${someOf(wanted)}, as builds of ${name} want` };
      }
    },
  },
  {
    id: 'DWM131',
    severity: 'error',
    title: 'one platform in one Job',
    why: 'Indexes of one Job that land on different architectures are nodes whose platform changes from run to run.',
    when: 'the selector or required affinity of one workload allows several architectures while packages name platforms',
    fix: 'make one Job per platform, each with its own selector and prefix',
    page: PAGE.job,
    find: forPoolsWith(demanding, function* (pool, wanted): Iterable<Found> {
      const chosen = allowedValues(pool.pod, ARCH_LABELS);
      if (chosen === undefined || chosen.values.length < 2 || wanted.length === 0) return;
      yield { at: chosen.at, message: `one workload for ${someOf(chosen.values)}` };
    }),
  },
];
