import type { Facts } from '../facts.js';
import { nameOf, type Resource } from '../kube/resource.js';
import { selectorFinder } from '../kube/selectors.js';
import type { KubeValue } from '../kube/value.js';
import { linkFinder } from '../pools/orchestrator.js';
import type { PoolFacts } from '../pools/pool.js';
import { type Found, forPools, forPoolsWith, PAGE, type Rule } from '../rule.js';
import { AUTOSCALER_REASONS } from './autoscaler-reasons.js';

const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
const DEFAULT_MAX_REPLICAS = 100;

function targets(reference: KubeValue, { resource }: PoolFacts, defaultKind: string): boolean {
  return (
    (reference.at('kind').source ?? defaultKind) === resource.kind && reference.at('name').source === resource.name
  );
}

/** Finds the disruption budgets over a pool's pods. One without a selector is over none. */
function budgetFinder({ resources }: Facts): (pool: PoolFacts) => readonly Resource[] {
  const budgets = resources
    .ofKind('PodDisruptionBudget')
    .map((item) => ({ item, scope: JSON.stringify([item.namespace]), selector: item.root.at('spec', 'selector') }))
    .filter(({ selector }) => selector.exists);
  const find = selectorFinder(budgets);
  return ({ resource, podLabels }) => find(JSON.stringify([resource.namespace]), podLabels);
}

function hasKarpenter({ resources, surroundings }: Facts): boolean {
  return (
    surroundings.karpenter ||
    resources.all.some(({ group }) => /(^|\.)karpenter\.(sh|k8s\.aws|azure\.com)$/.test(group))
  );
}

export const autoscalingRules: readonly Rule[] = [
  {
    id: 'DWM301',
    severity: 'error',
    title: 'no HorizontalPodAutoscaler',
    why: AUTOSCALER_REASONS.map(({ short }) => short).join(' '),
    when: "a HorizontalPodAutoscaler has the pool's workload as its target",
    fix: "take the autoscaler away: pending pods already add machines, and the pool's size follows from the plan (dispat-worker-manifest size)",
    page: PAGE.fitsNot,
    find: forPools(function* (pool, facts): Iterable<Found> {
      for (const resource of facts.resources.near(pool.resource, 'HorizontalPodAutoscaler')) {
        const at = resource.root.at('spec', 'scaleTargetRef');
        if (!targets(at, pool, 'Deployment')) continue;
        yield {
          resource,
          at,
          message: `${nameOf(resource)} scales the workers. ${AUTOSCALER_REASONS.map(({ short }) => short)
            .join(' ')
            .replace(/\.$/, '')}`,
        };
      }
    }),
  },
  {
    id: 'DWM302',
    severity: 'error',
    title: 'no KEDA object that changes the pool',
    why: 'A pod that appears during a run is in no list, and one that is taken away loses its task. Several Jobs of a ScaledJob each begin at index 0, so they are several nodes of one name.',
    when: 'a ScaledObject has the pool as its target; or the pool is a ScaledJob whose job is not Indexed, has other completions than there are links, or whose maxReplicaCount is above 1',
    fix: 'use a ScaledJob with maxReplicaCount: 1 around an Indexed Job of the whole pool',
    page: PAGE.fitsNot,
    find: forPoolsWith(linkFinder, function* (pool, linksLike, facts): Iterable<Found> {
      for (const resource of facts.resources.near(pool.resource, 'ScaledObject')) {
        const at = resource.root.at('spec', 'scaleTargetRef');
        if (targets(at, pool, 'Deployment')) yield { resource, at, message: `${nameOf(resource)} scales the workers` };
      }
      if (pool.resource.kind !== 'ScaledJob') return;
      const most = pool.resource.root.at('spec', 'maxReplicaCount');
      if ((most.exists ? most.number : DEFAULT_MAX_REPLICAS) !== 1) {
        yield {
          at: most,
          message: `maxReplicaCount is ${most.source ?? `absent, which means ${DEFAULT_MAX_REPLICAS}`}: several Jobs are several nodes of one name`,
        };
      }
      const mode = pool.spec.at('completionMode');
      if (mode.source !== 'Indexed') yield { at: mode, message: 'the job of the ScaledJob is not Indexed' };
      const listed = linksLike(pool)?.length ?? 0;
      if (listed > 0 && listed !== pool.count)
        yield {
          at: pool.spec.at('completions'),
          message: `the job has ${pool.count} completions and ${listed} nodes are listed`,
        };
    }),
  },
  {
    id: 'DWM303',
    severity: 'error',
    title: 'no VerticalPodAutoscaler that evicts',
    why: 'It evicts pods to resize them, and a task with each.',
    when: 'a VerticalPodAutoscaler has the pool as its target with the mode Auto, Recreate or InPlaceOrRecreate',
    fix: 'set updatePolicy.updateMode: "Off" and read its recommendation',
    page: PAGE.fitsNot,
    find: forPools(function* (pool, facts): Iterable<Found> {
      for (const resource of facts.resources.near(pool.resource, 'VerticalPodAutoscaler')) {
        const mode = resource.root.at('spec', 'updatePolicy', 'updateMode');
        const evicts = ['Auto', 'Recreate', 'InPlaceOrRecreate'].includes(mode.source ?? 'Auto');
        if (!evicts || !targets(resource.root.at('spec', 'targetRef'), pool, '')) continue;
        yield { resource, at: mode, message: `${nameOf(resource)} evicts workers to resize them` };
      }
    }),
  },
  {
    id: 'DWM309',
    severity: 'error',
    otherwise: ['info'],
    title: 'all of the pool or none of it',
    why: 'A pool smaller than the list is refused at the preflight. Time in a queue counts against the preflight too.',
    when: 'a Kueue annotation allows admission in part (error), or a queue label is there (info)',
    fix: 'take the annotation kueue.x-k8s.io/job-min-parallelism away; with a queue, wait for the pods before the release',
    page: PAGE.limits,
    find: forPools(function* ({ resource }): Iterable<Found> {
      const metadata = resource.root.at('metadata');
      const partial = metadata.at('annotations', 'kueue.x-k8s.io/job-min-parallelism');
      if (partial.exists) yield { at: partial, message: 'Kueue may admit a part of the pool' };
      const queue = metadata.at('labels', QUEUE_LABEL);
      if (queue.exists)
        yield {
          at: queue,
          severity: 'info',
          message: `time in the queue ${queue.source} counts against the preflight: wait for the pods, then release`,
        };
    }),
  },
  {
    id: 'DWM311',
    severity: 'warning',
    title: 'one pool at a time',
    why: 'Releases are bursts. Two pools that overlap are two nodes of each name.',
    when: 'a CronJob makes the pool without concurrencyPolicy: Forbid',
    fix: "set concurrencyPolicy: Forbid, or start the pool from the release's pipeline",
    page: PAGE.fits,
    find: forPools(function* ({ resource }): Iterable<Found> {
      const at = resource.root.at('spec', 'concurrencyPolicy');
      if (resource.kind === 'CronJob' && at.source !== 'Forbid')
        yield {
          at,
          message: `concurrencyPolicy is ${at.source ?? 'absent, which means Allow'}: two pools may share their names`,
        };
    }),
  },
  {
    id: 'DWM313',
    severity: 'error',
    title: 'a budget that can be computed',
    why: 'For the pods of a Job the cluster cannot compute a budget from maxUnavailable or a percentage, so it protects nothing.',
    when: "a PodDisruptionBudget over a Job's pods has maxUnavailable or a percentage",
    fix: 'set minAvailable to the number of pods',
    page: PAGE.job,
    find: forPoolsWith(budgetFinder, function* (pool, budgetsOn): Iterable<Found> {
      if (pool.form !== 'job') return;
      for (const resource of budgetsOn(pool)) {
        const spec = resource.root.at('spec');
        const most = spec.at('maxUnavailable');
        const least = spec.at('minAvailable');
        if (most.exists) yield { resource, at: most, message: 'maxUnavailable does not work for the pods of a Job' };
        else if (least.source?.endsWith('%') === true)
          yield { resource, at: least, message: `minAvailable ${least.source} does not work for the pods of a Job` };
      }
    }),
  },
  {
    id: 'DWM315',
    severity: 'warning',
    title: 'not consolidated away',
    why: 'Karpenter moves pods together to save machines, and knows an annotation of its own.',
    when: `with --karpenter, or Karpenter's objects in the input, the pod template's annotation ${DO_NOT_DISRUPT} is absent or not "true" or a duration`,
    fix: `add ${DO_NOT_DISRUPT}: "true" to the pod template's annotations`,
    page: PAGE.job,
    find: forPoolsWith(hasKarpenter, function* ({ template }, isThere): Iterable<Found> {
      if (!isThere) return;
      const at = template.at('metadata', 'annotations', DO_NOT_DISRUPT);
      if (at.text === 'true' || /^[0-9]+[hms]/.test(at.text ?? '')) return;
      yield {
        at,
        message: at.exists
          ? `the annotation ${DO_NOT_DISRUPT} says ${at.source}`
          : `the pod template has no ${DO_NOT_DISRUPT} annotation`,
      };
    }),
  },
];

export const QUEUE_LABEL = 'kueue.x-k8s.io/queue-name';
