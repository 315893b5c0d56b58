import { kubeAtLeast } from '../../kube-version.js';
import { LABELS } from '../../pool.js';
import { NO_LINKS } from '../pools/orchestrator.js';
import { type Found, forPools, PAGE, type Rule } from '../rule.js';
import { QUEUE_LABEL } from './autoscaling.js';
import { PER_INDEX_SINCE } from './lifetime.js';

const BUILT_IN_CONTROLLER = 'kubernetes.io/job-controller';
const SYSTEM_PRIORITIES = new Set(['system-cluster-critical', 'system-node-critical']);

export const jobControlRules: readonly Rule[] = [
  {
    id: 'DWM304',
    severity: 'error',
    otherwise: ['info'],
    title: 'pods that start',
    why: 'No pods, no answer to the preflight.',
    when: "a Job is suspended (info with a queue's label, which lifts it), or its parallelism is 0",
    fix: 'take suspend away, and set parallelism to completions',
    page: PAGE.limits,
    find: forPools(function* ({ form, spec, resource }): Iterable<Found> {
      if (form !== 'job') return;
      const suspended = spec.at('suspend');
      const queued = resource.root.at('metadata', 'labels', QUEUE_LABEL).exists;
      if (suspended.boolean === true)
        yield {
          at: suspended,
          ...(queued && { severity: 'info' }),
          message: queued ? 'suspended until its queue admits it' : 'a suspended Job makes no pods',
        };
      const parallelism = spec.at('parallelism');
      if (parallelism.number === 0) yield { at: parallelism, message: 'a parallelism of 0 makes no pods' };
    }),
  },
  {
    id: 'DWM306',
    severity: 'error',
    title: 'no early success',
    why: 'A success policy ends the Job, and its pods, when some nodes are done.',
    when: 'successPolicy is set',
    fix: 'take successPolicy away',
    page: PAGE.limits,
    find: forPools(function* ({ form, spec }): Iterable<Found> {
      const at = spec.at('successPolicy');
      if (form === 'job' && at.exists) yield { at, message: 'the Job ends when some of its nodes have' };
    }),
  },
  {
    id: 'DWM307',
    severity: 'error',
    otherwise: ['warning'],
    title: 'no failure policy that restarts',
    why: 'A pod that is ignored or counted is replaced in the middle of the run; FailJob ends all nodes for one.',
    when: 'a podFailurePolicy rule has the action Ignore or Count (error) or FailJob (warning)',
    fix: 'take podFailurePolicy away, or use FailIndex with backoffLimitPerIndex: 0',
    page: PAGE.job,
    find: forPools(function* ({ form, spec }): Iterable<Found> {
      if (form !== 'job') return;
      for (const rule of spec.at('podFailurePolicy', 'rules').items) {
        const at = rule.at('action');
        if (at.source === 'Ignore' || at.source === 'Count')
          yield { at, message: `the action ${at.source} starts a replacement during the run` };
        else if (at.source === 'FailJob')
          yield { at, severity: 'warning', message: 'the action FailJob ends every node for one that failed' };
      }
    }),
  },
  {
    id: 'DWM308',
    severity: 'info',
    title: 'one lost pod and the others',
    why: 'With backoffLimit: 0 one lost pod makes the controller end all of them. The limit per index confines a failure to its node.',
    when: 'backoffLimit is 0 without backoffLimitPerIndex',
    fix: 'on Kubernetes 1.29 or newer, set backoffLimitPerIndex: 0 in place of backoffLimit (--failure-scope index)',
    page: PAGE.limits,
    find: forPools(function* ({ form, spec }, { surroundings: { kube } }): Iterable<Found> {
      const at = spec.at('backoffLimit');
      if (form !== 'job' || at.number !== 0 || spec.at('backoffLimitPerIndex').exists) return;
      const isOlder = kube !== undefined && !kubeAtLeast(kube, PER_INDEX_SINCE);
      yield {
        at,
        message: 'one lost pod ends the whole pool',
        ...(isOlder && {
          fix: `use Kubernetes ${PER_INDEX_SINCE} or newer, which has a limit per index; ${kube} has none`,
        }),
      };
    }),
  },
  {
    id: 'DWM310',
    severity: 'info',
    title: 'whose Job it is',
    why: 'Another controller decides when its pods start and end.',
    when: 'managedBy names another controller than the built-in one',
    fix: 'make sure that controller starts all pods and stops none',
    page: PAGE.job,
    find: forPools(function* ({ form, spec }): Iterable<Found> {
      const at = spec.at('managedBy');
      if (form === 'job' && at.exists && at.source !== BUILT_IN_CONTROLLER)
        yield { at, message: `the Job belongs to ${at.source}` };
    }),
  },
  {
    id: 'DWM314',
    severity: 'warning',
    otherwise: ['info'],
    title: 'not preempted by others',
    why: 'A pod of a low priority gives way to others, and its task with it.',
    when: 'the priority class has a negative value or is not in the input (warning), or states a preemptionPolicy, which does not protect the pod (info)',
    fix: 'use a class of a known value of 0 or more, or none',
    page: PAGE.job,
    find: forPools(function* ({ pod }, facts): Iterable<Found> {
      const at = pod.at('priorityClassName');
      const name = at.source;
      if (name === undefined || SYSTEM_PRIORITIES.has(name)) return;
      const priority = facts.resources.ofKind('PriorityClass').find((resource) => resource.name === name);
      const value = priority?.root.at('value').number;
      if (priority === undefined) yield { at, message: `the value of the priority class ${name} is not in the input` };
      else if (value === undefined || value < 0)
        yield {
          at,
          message: `the priority class ${name} has the value ${priority.root.at('value').source}: others go first`,
        };
      if (priority?.root.at('preemptionPolicy').exists === true)
        yield {
          resource: priority,
          at: priority.root.at('preemptionPolicy'),
          severity: 'info',
          message: 'the preemptionPolicy says whom the workers displace, not who displaces them',
        };
    }),
  },
  {
    id: 'DWM316',
    severity: 'error',
    title: 'a StatefulSet that starts at once',
    why: 'OrderedReady starts a pod after the one before it is ready, so the start of one machine after another outlasts the preflight.',
    when: "a StatefulSet's podManagementPolicy is not Parallel",
    fix: 'set podManagementPolicy: Parallel',
    page: PAGE.job,
    find: forPools(function* ({ form, spec }): Iterable<Found> {
      const at = spec.at('podManagementPolicy');
      if (form === 'statefulset' && at.source !== 'Parallel')
        yield { at, message: `podManagementPolicy is ${at.source ?? 'absent, which means OrderedReady'}` };
    }),
  },
  {
    id: 'DWM317',
    severity: 'error',
    title: 'indexes from 0 on both sides',
    why: 'ordinals.start shifts every name.',
    when: "a StatefulSet's ordinals.start is above 0 and the links begin at 0",
    fix: 'take ordinals away, or list the names it makes',
    page: PAGE.limits,
    find: forPools(function* ({ form, spec, first, settings }, { links }): Iterable<Found> {
      if (form !== 'statefulset' || first === 0) return;
      if (links === undefined || settings.names === undefined)
        return yield { unknown: links === undefined ? NO_LINKS : "the nodes' names" };
      const zero = `${settings.names.before}0${settings.names.after}`;
      if (links.some(({ name }) => name.toLowerCase() === zero.toLowerCase()))
        yield { at: spec.at('ordinals', 'start'), message: `the pods begin at ${first}, the links at ${zero}` };
    }),
  },
  {
    id: 'DWM319',
    severity: 'warning',
    title: 'a Job of its own for each release',
    why: "A Job's pods cannot be changed. Applying the same name while a finished Job is kept starts nothing, or is refused.",
    when: "a Job has a fixed name and a time to live other than 0, and no run's label",
    fix: 'generate with --run-id, or delete the finished Job before the next release (apply --replace does)',
    page: PAGE.job,
    find: forPools(function* ({ resource, spec }): Iterable<Found> {
      const metadata = resource.root.at('metadata');
      const at = metadata.at('name');
      if (resource.kind !== 'Job' || !at.exists || metadata.at('labels', LABELS.run).exists) return;
      const ttl = spec.at('ttlSecondsAfterFinished');
      if (ttl.number === 0) return;
      yield {
        at,
        message: `a second release within ${ttl.exists ? `${ttl.source} s` : 'the life of the finished Job'} starts nothing: the Job ${resource.name} is still there`,
      };
    }),
  },
  {
    id: 'DWM322',
    severity: 'warning',
    title: 'no rolling restart',
    why: 'An edit of the StatefulSet restarts its pods, in the middle of a run if it falls there.',
    when: "a StatefulSet's updateStrategy is not OnDelete",
    fix: 'set updateStrategy: {type: OnDelete}',
    page: PAGE.job,
    find: forPools(function* ({ form, spec }): Iterable<Found> {
      const at = spec.at('updateStrategy', 'type');
      if (form === 'statefulset' && at.source !== 'OnDelete')
        yield { at, message: `updateStrategy is ${at.source ?? 'absent, which means RollingUpdate'}` };
    }),
  },
];
