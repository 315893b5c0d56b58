import type { Facts } from '../facts.js';
import { readQuantity } from '../kube/quantity.js';
import { nameOf } from '../kube/resource.js';
import type { KubeValue } from '../kube/value.js';
import { NO_CONFIGURATION } from '../pools/orchestrator.js';
import type { PoolFacts } from '../pools/pool.js';
import { allContainers } from '../pools/workload.js';
import { type Found, forPools, type Hit, PAGE, type Rule } from '../rule.js';
import { requestOf } from './pool-size.js';

const HOST = 'kubernetes.io/hostname';

export const capacityRules: readonly Rule[] = [
  {
    id: 'DWM312',
    severity: 'warning',
    otherwise: ['info'],
    title: 'no more slots than builds in flight',
    why: 'The root concurrency bounds the builds of a whole run, however many workers there are. Slots above it are idle and paid for.',
    when: "the slots of all pools together are more than the build budget (warning); no budget is set, so that the orchestrator's number of CPUs is the bound (info)",
    fix: 'set the root concurrency to [slots, publishes], or make the pool smaller',
    page: PAGE.size,
    *find({ pools, configuration }) {
      const [pool] = pools;
      if (pool === undefined) return;
      if (configuration === undefined) return yield { pool, unknown: NO_CONFIGURATION };
      const budget = configuration.buildBudget;
      if (budget === undefined) {
        const place = configuration.map.place;
        yield {
          pool,
          place,
          severity: 'info',
          message:
            "no build budget is set: a run has as many builds in flight as the orchestrator's machine has CPUs, whatever the size of the pool",
        };
        return;
      }
      let slots = 0;
      for (const { count, settings } of pools) {
        if (settings.execution === undefined || count === undefined)
          return yield { pool, unknown: settings.unread ?? 'the number of slots' };
        slots += count * (settings.execution.concurrency?.value ?? 1);
      }
      if (slots > budget.value)
        yield {
          pool,
          place: budget.place,
          message: `${slots} slots, and a run never has more than ${budget.value} builds in flight`,
        };
    },
  },
  {
    id: 'DWM320',
    severity: 'error',
    otherwise: ['warning'],
    title: 'a quota the pool fits in',
    why: 'When a quota is short the Job runs fewer pods without a word, and the preflight waits for the others.',
    when: "a ResourceQuota of the namespace is smaller than the whole pool, or limits CPU while the pods have no CPU limit; a LimitRange's maximum is below the request (error); a LimitRange sets a CPU limit on its own (warning)",
    fix: "raise the quota to the pool's size, or make the pool smaller",
    page: PAGE.fits,
    find: forPools(function* (pool, facts): Iterable<Found> {
      for (const resource of near(pool, facts, 'ResourceQuota')) {
        for (const hit of shortQuota(pool, facts, resource.root.at('spec', 'hard')))
          yield { resource, ...hit, message: `${nameOf(resource)}: ${hit.message}` };
      }
      for (const resource of near(pool, facts, 'LimitRange')) {
        for (const limit of resource.root.at('spec', 'limits').items)
          for (const hit of tightRange(pool, limit)) yield { resource, ...hit };
      }
    }),
  },
  {
    id: 'DWM323',
    severity: 'error',
    title: 'rules every pod can satisfy',
    why: 'A pod no machine may take stays pending, and the preflight waits for it in vain.',
    when: 'a required anti-affinity by host has more pods than --machines; or pods must be spread with maxSkew 1 on a single machine',
    fix: 'make the rule a preferred one, or allow more machines',
    page: PAGE.fits,
    find: forPools(function* ({ pod, count }, { surroundings: { machines } }): Iterable<Found> {
      if (machines === undefined || count === undefined) return;
      const apart = pod
        .at('affinity', 'podAntiAffinity', 'requiredDuringSchedulingIgnoredDuringExecution')
        .items.find((term) => term.at('topologyKey').source === HOST);
      if (apart !== undefined && count > machines)
        yield { at: apart, message: `${count} pods that each want a machine of their own, and ${machines} machines` };
      for (const at of pod.at('topologySpreadConstraints').items) {
        const strict = at.at('whenUnsatisfiable').source !== 'ScheduleAnyway' && at.at('maxSkew').number === 1;
        if (strict && machines === 1 && count > 1)
          yield { at, message: `${count} pods that must be spread, and one machine` };
      }
    }),
  },
];

function near(pool: PoolFacts, facts: Facts, kind: string) {
  return facts.resources.near(pool.resource, kind);
}

/** What a quota calls it, and what one pod takes of it. */
const QUOTA_KEYS: readonly (readonly [key: string, of: 'requests' | 'limits', resource: string])[] = [
  ['cpu', 'requests', 'cpu'],
  ['requests.cpu', 'requests', 'cpu'],
  ['memory', 'requests', 'memory'],
  ['requests.memory', 'requests', 'memory'],
  ['requests.ephemeral-storage', 'requests', 'ephemeral-storage'],
  ['limits.cpu', 'limits', 'cpu'],
  ['limits.memory', 'limits', 'memory'],
];

function* shortQuota({ pod, count = 0 }: PoolFacts, facts: Facts, hard: KubeValue): Iterable<Hit> {
  const containers = pod.at('containers').items;
  for (const [key, of, resource] of QUOTA_KEYS) {
    const at = hard.at(key);
    const allowed = readQuantity(at.source);
    if (allowed === undefined) continue;
    const each = containers.map((container) =>
      readQuantity(
        (of === 'limits' ? container.at('resources', 'limits', resource) : requestOf(container, resource)).source,
      ),
    );
    if (key === 'limits.cpu' && each.includes(undefined)) {
      if (!hasDefaultCpuLimit(facts, pod))
        yield { at, message: 'limits CPU, and a pod without a CPU limit is refused' };
      continue;
    }
    const total = count * each.reduce<number>((sum, value) => sum + (value ?? 0), 0);
    if (total > allowed) yield { at, message: `${key} is ${at.source}, and ${count} pods take ${shown(total)}` };
  }
  for (const key of ['pods', 'count/pods']) {
    const at = hard.at(key);
    const allowed = readQuantity(at.source);
    if (allowed !== undefined && count > allowed) yield { at, message: `${key} is ${at.source}, for ${count} pods` };
  }
}

function shown(amount: number): string {
  const gibibytes = amount / 2 ** 30;
  return amount >= 2 ** 20 && Number.isInteger(gibibytes * 4) ? `${gibibytes}Gi` : String(amount);
}

function hasDefaultCpuLimit(facts: Facts, pod: KubeValue): boolean {
  const pool = facts.pools.find((each) => each.pod === pod);
  return (
    pool !== undefined &&
    near(pool, facts, 'LimitRange').some(({ root }) =>
      root.at('spec', 'limits').items.some((limit) => limit.at('default', 'cpu').exists),
    )
  );
}

function* tightRange({ pod, worker }: PoolFacts, limit: KubeValue): Iterable<Hit> {
  const kind = limit.at('type').source;
  for (const resource of ['cpu', 'memory']) {
    const at = limit.at('max', resource);
    const most = readQuantity(at.source);
    const containers = kind === 'Pod' ? pod.at('containers').items : [worker];
    const request = containers.reduce(
      (sum, container) => sum + (readQuantity(requestOf(container, resource).source) ?? 0),
      0,
    );
    if (most !== undefined && request > most)
      yield { at, message: `at most ${at.source} of ${resource} for a ${kind}, and the worker asks for more` };
  }
  const throttle = limit.at('default', 'cpu');
  const own = allContainers(pod).every((container) => container.at('resources', 'limits', 'cpu').exists);
  if (kind === 'Container' && throttle.exists && !own)
    yield {
      at: throttle,
      severity: 'warning',
      message: `a CPU limit of ${throttle.source} is set on containers without one: it throttles builds`,
    };
}
