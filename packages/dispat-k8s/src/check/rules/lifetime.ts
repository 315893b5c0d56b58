import { kubeAtLeast } from '../../kube-version.js';
import { readQuantity } from '../kube/quantity.js';
import { NO_CONFIGURATION, preflightOf, taskTimeoutOf } from '../pools/orchestrator.js';
import { type Found, forPools, PAGE, type Rule } from '../rule.js';
import { idleGapHits } from './idle-gap.js';

const SAFE_TO_EVICT = 'cluster-autoscaler.kubernetes.io/safe-to-evict';
const IDLE_UNREAD = 'the idle timeout';
/** The grace a pod gets when it names none, in seconds. */
const DEFAULT_GRACE = 30;
const SHORTEST_PREFLIGHT = 300;
const SHORTEST_TTL = 60;
/** The first version of Kubernetes that has a limit of failures per index without being asked to. */
export const PER_INDEX_SINCE = '1.29';

export const lifetimeRules: readonly Rule[] = [
  {
    id: 'DWM109',
    severity: 'error',
    title: 'not evicted for a smaller cluster',
    why: 'Without the annotation the cluster autoscaler may empty the machine under a running task. It waits ten minutes at most when it does, whatever the grace period says.',
    when: `the pod template lacks the annotation ${SAFE_TO_EVICT}, or its value is not the text "false"`,
    fix: `add ${SAFE_TO_EVICT}: "false", with the quotes, to the pod template's annotations`,
    page: PAGE.job,
    find: forPools(function* ({ template, resource }): Iterable<Found> {
      const at = template.at('metadata', 'annotations', SAFE_TO_EVICT);
      if (at.text === 'false') return;
      if (at.scalar === false) {
        yield { at, message: `${at.source} without quotes is a boolean, which the API refuses in an annotation` };
      } else if (at.exists) {
        yield { at, message: `the annotation says ${JSON.stringify(at.source ?? '')}` };
      } else {
        const above = resource.root.at('metadata', 'annotations', SAFE_TO_EVICT).exists && resource.kind !== 'Pod';
        const where = above
          ? `: the autoscaler reads the pod template's annotations, not those of the ${resource.kind}`
          : '';
        yield { at, message: `the pod template has no ${SAFE_TO_EVICT} annotation${where}` };
      }
    }),
  },
  {
    id: 'DWM110',
    severity: 'error',
    otherwise: ['info'],
    title: 'grace as long as a task',
    why: 'A stopped worker finishes what it claimed. A grace period shorter than the task timeout kills the task with the pod. It protects against nothing else: a machine may go sooner all the same.',
    when: 'terminationGracePeriodSeconds is absent (30) or below the task timeout; info when they are equal, because reporting a result takes up to 30 s more, or the transfer timeout',
    fix: 'set terminationGracePeriodSeconds to timeouts.task or more',
    page: PAGE.job,
    find: forPools(function* (pool, facts): Iterable<Found> {
      const at = pool.pod.at('terminationGracePeriodSeconds');
      const grace = at.exists ? at.number : DEFAULT_GRACE;
      const task = taskTimeoutOf(facts, pool);
      if (task === undefined) {
        if (at.exists) yield { unknown: NO_CONFIGURATION };
        else yield { at, message: 'no terminationGracePeriodSeconds, which means 30 s: any longer task is killed' };
        return;
      }
      if (grace === undefined || grace < task) {
        const said = at.exists ? `a grace period of ${at.source} s` : 'no grace period, which means 30 s';
        yield { at, message: `${said}, and a task may take ${task} s` };
      } else if (grace === task) {
        yield {
          at,
          severity: 'info',
          message: `the grace period equals the task timeout (${task} s); reporting the result of a task that used it all is not covered`,
        };
      }
    }),
  },
  {
    id: 'DWM111',
    severity: 'error',
    otherwise: ['warning'],
    title: 'no second try of a pod',
    why: 'A worker that failed is looked at, not started again into the middle of a run that has already counted it out.',
    when: 'backoffLimit is absent (6) or above 0 and backoffLimitPerIndex is not 0; backoffLimitPerIndex is above 0, or --kube is older than 1.29, which leaves it out; maxFailedIndexes is set (warning)',
    fix: 'set backoffLimit: 0, or backoffLimitPerIndex: 0 alone',
    page: PAGE.job,
    find: forPools(function* ({ form, spec }, { surroundings: { kube } }): Iterable<Found> {
      if (form !== 'job') return;
      const perIndex = spec.at('backoffLimitPerIndex');
      const limit = spec.at('backoffLimit');
      const most = spec.at('maxFailedIndexes');
      if (perIndex.exists) {
        if (kube !== undefined && !kubeAtLeast(kube, PER_INDEX_SINCE))
          yield {
            at: perIndex,
            message: `Kubernetes ${kube} leaves backoffLimitPerIndex out, and ${limit.exists ? `backoffLimit is ${limit.source}` : 'backoffLimit is then 6'}`,
            fix: 'set backoffLimit: 0 in its place (--failure-scope job)',
          };
        else if (perIndex.number !== 0)
          yield {
            at: perIndex,
            message: `backoffLimitPerIndex is ${perIndex.source}: a failed node starts again during the run`,
          };
      } else if (limit.number !== 0) {
        const said = limit.exists ? `backoffLimit is ${limit.source}` : 'backoffLimit is absent, which means 6';
        yield { at: limit, message: `${said}: a failed node starts again during the run` };
      }
      if (most.exists)
        yield { at: most, severity: 'warning', message: 'maxFailedIndexes ends all nodes once some have failed' };
    }),
  },
  {
    id: 'DWM112',
    severity: 'error',
    title: 'no restart in place',
    why: 'A worker that failed is looked at, not restarted into the middle of a run.',
    when: "a Job's restartPolicy is not Never",
    fix: 'set restartPolicy: Never',
    page: PAGE.job,
    find: forPools(function* ({ form, pod }): Iterable<Found> {
      const at = pod.at('restartPolicy');
      if (form !== 'job' || at.source === 'Never') return;
      yield {
        at,
        message: at.exists ? `restartPolicy is ${at.source}` : 'restartPolicy is absent, which a Job does not accept',
      };
    }),
  },
  {
    id: 'DWM115',
    severity: 'warning',
    otherwise: ['info'],
    title: 'finished Jobs go away, and not at once',
    why: 'Without a time to live finished pods and Jobs pile up. One of a few seconds takes their logs before anyone has read them.',
    when: 'ttlSecondsAfterFinished is absent or from 1 to 59 (warning), or 0 (info)',
    fix: 'set ttlSecondsAfterFinished: 600',
    page: PAGE.job,
    find: forPools(function* ({ form, spec, resource }): Iterable<Found> {
      const at = spec.at('ttlSecondsAfterFinished');
      // A CronJob and a ScaledJob clean up by limits of their own.
      if (form !== 'job' || (!at.exists && resource.kind !== 'Job')) return;
      if (!at.exists) yield { at, message: 'no ttlSecondsAfterFinished: the finished Job and its pods stay' };
      else if (at.number === 0)
        yield { at, severity: 'info', message: 'a time to live of 0 takes the logs with the last pod' };
      else if (at.number === undefined || at.number < SHORTEST_TTL)
        yield { at, message: `a time to live of ${at.source} s hardly leaves time to read a log` };
    }),
  },
  {
    id: 'DWM116',
    severity: 'error',
    title: "a Job's workers end by themselves",
    why: 'A worker without an idle timeout serves until it is stopped: the Job never finishes, and the machines stay.',
    when: "a Job's worker has --idle-timeout 0 or none",
    fix: 'start the worker with --idle-timeout 900',
    page: PAGE.fits,
    find: forPools(function* ({ form, settings }): Iterable<Found> {
      if (form !== 'job') return;
      const idle = settings.flags?.idleTimeout;
      if (idle === undefined) yield { unknown: settings.unread ?? IDLE_UNREAD };
      else if (idle === 0) yield { at: settings.at, message: 'no idle timeout: the pods never end' };
    }),
  },
  {
    id: 'DWM117',
    severity: 'error',
    title: "a StatefulSet's workers stay",
    why: 'A StatefulSet restarts what exits, so a node with an idle timeout comes back again and again.',
    when: "a StatefulSet's worker has an idle timeout above 0",
    fix: 'start the worker with --idle-timeout 0 and scale the StatefulSet down after the release',
    page: PAGE.job,
    find: forPools(function* ({ form, settings }): Iterable<Found> {
      if (form !== 'statefulset') return;
      const idle = settings.flags?.idleTimeout;
      if (idle === undefined) yield { unknown: settings.unread ?? IDLE_UNREAD };
      else if (idle > 0)
        yield { at: settings.at, message: `an idle timeout of ${idle} s, after which the container is restarted` };
    }),
  },
  {
    id: 'DWM120',
    severity: 'warning',
    title: 'a preflight that waits for machines',
    why: "dispat's 60 s do not cover an image pull, let alone a new machine. The preflight is what waits for the pool.",
    when: 'timeouts.preflight is absent or below 300',
    fix: 'set execution.timeouts.preflight: 600',
    page: PAGE.job,
    find: forPools(function* (pool, facts): Iterable<Found> {
      const written = facts.configuration?.execution?.timeouts.preflight;
      const preflight = preflightOf(facts, pool);
      if (preflight === undefined) yield { unknown: NO_CONFIGURATION };
      else if (preflight < SHORTEST_PREFLIGHT) {
        const place = written?.place ?? facts.configuration?.execution?.place;
        const said =
          facts.configuration !== undefined && written === undefined
            ? 'timeouts.preflight is absent, which means 60 s'
            : `a preflight of ${preflight} s`;
        yield { ...(place && { place }), message: `${said}: new machines take minutes` };
      }
    }),
  },
  {
    id: 'DWM121',
    severity: 'error',
    title: 'early pods wait for late ones',
    why: 'A pod that came up early leaves before the last one answers, and the preflight then waits for it in vain.',
    when: 'the idle timeout is above 0 and below the preflight',
    fix: 'make the idle timeout at least as long as timeouts.preflight',
    page: PAGE.job,
    find: forPools(function* (pool, facts): Iterable<Found> {
      const { settings } = pool;
      const idle = settings.flags?.idleTimeout;
      const preflight = preflightOf(facts, pool);
      if (idle === undefined) return yield { unknown: settings.unread ?? IDLE_UNREAD };
      if (preflight === undefined) return yield { unknown: NO_CONFIGURATION };
      if (idle > 0 && idle < preflight) {
        yield {
          at: settings.at,
          message: `an idle timeout of ${idle} s ends a pod that waits through a preflight of ${preflight} s`,
        };
      }
    }),
  },
  {
    id: 'DWM122',
    severity: 'warning',
    otherwise: ['error', 'info'],
    title: 'no node leaves during the run',
    why: 'A node without work for the idle time exits with 0 while the run still counts on it. What is assigned to it then waits unclaimed for the task timeout, up to three times.',
    when: 'without a plan and durations: the idle timeout is below the task timeout (info from 900 s on); with them: the longest time a node of the pool stands idle in the simulated run is above the idle timeout (error)',
    fix: 'make the idle timeout as long as timeouts.task, or at least longer than the longest build others wait for',
    page: PAGE.limits,
    find: forPools(function* (pool, facts): Iterable<Found> {
      const idle = pool.settings.flags?.idleTimeout;
      if (idle === undefined) yield { unknown: pool.settings.unread ?? IDLE_UNREAD };
      else if (idle > 0) yield* idleGapHits(pool, facts, idle);
    }),
  },
  {
    id: 'DWM305',
    severity: 'error',
    otherwise: ['warning'],
    title: 'no deadline on the pool',
    why: 'A deadline ends the pods whatever they do.',
    when: "activeDeadlineSeconds, of the Job or the pod, is shorter than the preflight and the tasks of the plan's longest chain (error), or is there at all (warning)",
    fix: 'take activeDeadlineSeconds away: workers end by their idle timeout',
    page: PAGE.limits,
    find: forPools(function* (pool, facts): Iterable<Found> {
      for (const at of [...(pool.form === 'job' ? [pool.spec] : []), pool.pod].map((each) =>
        each.at('activeDeadlineSeconds'),
      )) {
        if (!at.exists) continue;
        const preflight = preflightOf(facts, pool);
        const task = taskTimeoutOf(facts, pool);
        const least =
          preflight === undefined || task === undefined
            ? undefined
            : preflight + task * (1 + chainOf(facts.plan?.packages ?? []));
        const deadline = readQuantity(at.source);
        if (least !== undefined && (deadline === undefined || deadline < least)) {
          yield { at, message: `a deadline of ${at.source} s, and preflight and tasks may take ${least} s` };
        } else yield { at, severity: 'warning', message: `a deadline of ${at.source} s cuts whatever runs then` };
      }
    }),
  },
];

/** How many releasing packages the longest chain has after its first. */
function chainOf(packages: readonly { name: string; releases: boolean; dependsOn: readonly string[] }[]): number {
  const depths = new Map<string, number>();
  let longest = 0;
  for (const { name, releases, dependsOn } of packages) {
    const below = Math.max(0, ...dependsOn.map((provider) => depths.get(provider) ?? 0));
    const depth = below + (releases ? 1 : 0);
    depths.set(name, depth);
    longest = Math.max(longest, depth);
  }
  return Math.max(0, longest - 1);
}
