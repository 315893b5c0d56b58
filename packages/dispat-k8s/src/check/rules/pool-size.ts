import { kubeAtLeast } from '../../kube-version.js';
import { readQuantity } from '../kube/quantity.js';
import type { KubeValue } from '../kube/value.js';
import { linkFinder, NO_LINKS } from '../pools/orchestrator.js';
import type { PoolFacts } from '../pools/pool.js';
import { type Found, forPools, forPoolsWith, PAGE, type Rule, someOf } from '../rule.js';

const NAMES_UNREAD = "the nodes' names";

/** What a container asks for; a limit without a request is the request too. */
export function requestOf(container: KubeValue, resource: string): KubeValue {
  const request = container.at('resources', 'requests', resource);
  const limit = container.at('resources', 'limits', resource);
  return request.exists || !limit.exists ? request : limit;
}

/** The first version of Kubernetes whose pods carry their index as a label. */
const INDEX_LABELS_SINCE = '1.28';

/** Where a variable takes the index from a label. */
function indexLabelIn(worker: KubeValue): KubeValue | undefined {
  return worker
    .at('env')
    .items.map((entry) => entry.at('valueFrom', 'fieldRef', 'fieldPath'))
    .find((at) =>
      /^metadata\.labels\['(?:apps\.kubernetes\.io\/pod-index|batch\.kubernetes\.io\/job-completion-index)'\]$/.test(
        at.source ?? '',
      ),
    );
}

function countField({ form, spec }: PoolFacts): KubeValue {
  return spec.at(form === 'job' ? 'completions' : 'replicas');
}

export const poolSizeRules: readonly Rule[] = [
  {
    id: 'DWM101',
    severity: 'error',
    title: 'as many pods as listed nodes',
    why: 'Every node the orchestrator lists has to answer the preflight; one that is silent refuses the whole run. A pool of another size needs another list.',
    when: "completions (Job) or replicas (StatefulSet, unless 0) differs from the number of listed nodes whose names follow the pool's pattern",
    fix: 'make completions, parallelism and the list of workers say the same number',
    page: PAGE.job,
    find: forPoolsWith(linkFinder, function* (pool, linksLike): Iterable<Found> {
      const { form, count, settings, nodeNames } = pool;
      if (form === 'other' || (form === 'statefulset' && count === 0)) return;
      const at = countField(pool);
      if (form === 'job' && !at.exists) {
        yield { at, message: 'completions is missing, and an Indexed Job needs it' };
        return;
      }
      const like = linksLike(pool);
      if (like === undefined) return yield { unknown: NO_LINKS };
      if (settings.names === undefined || nodeNames === undefined) return yield { unknown: NAMES_UNREAD };
      const listed = like.map(({ name }) => name);
      if (listed.length === 0 || listed.length === nodeNames.length) return;
      const folded = new Set(nodeNames.map((name) => name.toLowerCase()));
      const listedFolded = new Set(listed.map((name) => name.toLowerCase()));
      const podless = listed.filter((name) => !folded.has(name.toLowerCase()));
      const unlisted = nodeNames.filter((name) => !listedFolded.has(name.toLowerCase()));
      const consequences = [
        ...(podless.length > 0 ? [`no pod becomes ${someOf(podless)}`] : []),
        ...(unlisted.length > 0 ? [`nobody lists ${someOf(unlisted)}`] : []),
      ];
      yield {
        at,
        message: `${nodeNames.length} pods, and the orchestrator lists ${listed.length} nodes of this pool: ${consequences.join('; ')}`,
      };
    }),
  },
  {
    id: 'DWM102',
    severity: 'error',
    title: 'all pods at once',
    why: 'Indexes that have not started cannot answer a probe, and the ones before them stay until the run is over.',
    when: 'parallelism is absent, which means 1, or smaller than completions',
    fix: 'set parallelism to the same number as completions',
    page: PAGE.job,
    find: forPools(function* ({ form, spec, count }): Iterable<Found> {
      const at = spec.at('parallelism');
      const parallelism = at.exists ? at.number : 1;
      // A parallelism of 0 has a rule of its own.
      if (form !== 'job' || parallelism === undefined || parallelism === 0 || count === undefined) return;
      if (parallelism >= count) return;
      const said = at.exists ? `parallelism is ${parallelism}` : 'parallelism is absent, which means 1';
      yield {
        at,
        message: `${said}, for ${count} completions: ${count - parallelism} nodes start only after others end`,
      };
    }),
  },
  {
    id: 'DWM103',
    severity: 'error',
    title: 'pods with an index',
    why: 'A node is addressed by its name, and a pod without an index cannot take a name of its own.',
    when: 'completionMode is not Indexed, or the workload is a Deployment, a ReplicaSet or a DaemonSet',
    fix: 'use a Job with completionMode: Indexed, or the StatefulSet variation',
    page: PAGE.job,
    find: forPools(function* ({ form, spec, resource }): Iterable<Found> {
      if (form === 'other' && resource.kind !== 'Pod') {
        yield {
          at: resource.root.at('kind'),
          message: `a ${resource.kind} gives its pods no index, so no two of them can be told apart`,
        };
      }
      const at = spec.at('completionMode');
      if (form !== 'job' || at.source === 'Indexed') return;
      yield { at, message: `completionMode is ${at.source ?? 'absent, which means NonIndexed'}: pods get no index` };
    }),
  },
  {
    id: 'DWM104',
    severity: 'error',
    title: 'the same names on both sides',
    why: 'A name is an address. One letter off means that a listed node stays silent until the preflight ends the run with E225. Names are compared byte for byte.',
    when: 'the names the pods take and the names the orchestrator lists are not the same set (what DWM101 already explains left out)',
    fix: "write the same names in the worker's file and in the orchestrator's list",
    page: PAGE.limits,
    *find(facts) {
      const { pools, links } = facts;
      const linksLike = linkFinder(facts);
      const indexed = pools.filter(({ form, count }) => form === 'job' || (form === 'statefulset' && count !== 0));
      if (links === undefined) {
        for (const pool of indexed) yield { pool, unknown: NO_LINKS };
        return;
      }
      const listed = new Set(links.map(({ name }) => name));
      const listedFolded = new Map(links.map(({ name }) => [name.toLowerCase(), name]));
      const made = new Set<string>();
      const explained = new Set<string>();
      for (const pool of indexed) {
        const { nodeNames, settings } = pool;
        if (nodeNames === undefined) {
          yield { pool, unknown: NAMES_UNREAD };
          continue;
        }
        for (const name of nodeNames) made.add(name.toLowerCase());
        const like = linksLike(pool) ?? [];
        const sizesDiffer = like.length > 0 && like.length !== nodeNames.length;
        if (sizesDiffer) for (const { name } of like) explained.add(name);
        const inOtherCase = nodeNames.filter((name) => !listed.has(name) && listedFolded.has(name.toLowerCase()));
        // A name that does not vary is the same for every pod.
        const unlisted = sizesDiffer
          ? []
          : [...new Set(nodeNames)].filter((name) => !listedFolded.has(name.toLowerCase()));
        if (inOtherCase.length > 0) {
          const pairs = inOtherCase.map((name) => `${name} (listed as ${listedFolded.get(name.toLowerCase())})`);
          yield { pool, at: settings.at, message: `the name differs only in case: ${someOf(pairs)}` };
        }
        if (unlisted.length > 0) yield { pool, at: settings.at, message: `nobody lists ${someOf(unlisted)}` };
      }
      if (indexed.some(({ nodeNames }) => nodeNames === undefined)) return;
      const podless = links.filter(({ name }) => !made.has(name.toLowerCase()) && !explained.has(name));
      const [pool] = indexed;
      if (podless.length === 0 || pool === undefined) return;
      yield {
        pool,
        at: pool.settings.at,
        message: `no pod becomes ${someOf(podless.map(({ name }) => name))}, which the orchestrator lists`,
      };
    },
  },
  {
    id: 'DWM105',
    severity: 'warning',
    title: 'one slot on a whole machine',
    why: 'A build usually takes every core it finds. Two on one machine starve each other, and one slot a pod is what makes a pending pod mean a new machine.',
    when: "the worker's concurrency is above 1 while its CPU request is at least half of --machine-cpu, or at least 4 cores when the machine is not known",
    fix: 'set concurrency to 1 and ask for more pods',
    page: PAGE.job,
    find: forPools(function* ({ worker, settings }, { surroundings }): Iterable<Found> {
      const { execution } = settings;
      if (execution === undefined) return yield { unknown: settings.unread ?? 'the concurrency' };
      const concurrency = execution.concurrency?.value ?? 1;
      const at = requestOf(worker, 'cpu');
      const cpu = readQuantity(at.source);
      const whole = surroundings.machineCpu === undefined ? 4 : surroundings.machineCpu / 2;
      if (concurrency <= 1 || cpu === undefined || cpu < whole) return;
      yield {
        at: settings.at,
        message: `concurrency ${concurrency} on a pod that asks for ${at.source} cores: that many builds share them`,
      };
    }),
  },
  {
    id: 'DWM106',
    severity: 'warning',
    otherwise: ['error'],
    title: 'a CPU request close to a machine',
    why: 'Without it several pods share one machine, and no machine is added for the others. A request above the machine is never scheduled.',
    when: 'the CPU request is absent, below half of --machine-cpu (warning), or above it (error)',
    fix: 'request the cores of one machine, less what the system keeps',
    page: PAGE.job,
    find: forPools(function* ({ worker }, { surroundings: { machineCpu } }): Iterable<Found> {
      const at = requestOf(worker, 'cpu');
      const cpu = readQuantity(at.source);
      if (cpu === undefined) {
        yield {
          at,
          message: at.exists
            ? `the CPU request ${at.source} is no quantity`
            : 'no CPU request: any number of workers may share a machine',
        };
      } else if (machineCpu !== undefined && cpu > machineCpu) {
        yield { at, severity: 'error', message: `a request of ${at.source} cores fits on no machine of ${machineCpu}` };
      } else if (machineCpu !== undefined && cpu < machineCpu / 2) {
        yield { at, message: `a request of ${at.source} of ${machineCpu} cores: two workers or more share a machine` };
      }
    }),
  },
  {
    id: 'DWM107',
    severity: 'warning',
    title: 'memory requested is memory allowed',
    why: 'A request below the limit lets the machine promise more than it has, and a build is what it kills then.',
    when: 'the memory request or the memory limit is absent, or they differ',
    fix: 'set both to the same quantity',
    page: PAGE.job,
    find: forPools(function* ({ worker }): Iterable<Found> {
      const request = worker.at('resources', 'requests', 'memory');
      const limit = worker.at('resources', 'limits', 'memory');
      if (request.exists && limit.exists) {
        if (readQuantity(request.source) === readQuantity(limit.source)) return;
        yield { at: request, message: `memory request ${request.source}, limit ${limit.source}` };
        return;
      }
      const missing = request.exists ? limit : request;
      yield { at: missing, message: `no memory ${request.exists ? 'limit' : 'request'}` };
    }),
  },
  {
    id: 'DWM108',
    severity: 'info',
    title: 'no CPU limit',
    why: "A CPU limit throttles a build even while the machine's other cores are idle.",
    when: 'the worker has a CPU limit',
    fix: 'leave the CPU limit out, unless a quota asks for one',
    page: PAGE.job,
    find: forPools(function* ({ worker }): Iterable<Found> {
      const at = worker.at('resources', 'limits', 'cpu');
      if (at.exists) yield { at, message: `a CPU limit of ${at.source} throttles builds` };
    }),
  },
  {
    id: 'DWM128',
    severity: 'error',
    title: 'a name for each pod',
    why: "dispat reads a worker's name from its file alone. A pod cannot be one node while the others are the same node.",
    when: "the name in the worker's file does not change with the index, or --kube is older than the label it is taken from",
    fix: 'put the index into the name: "name": "w-${JOB_COMPLETION_INDEX}" in an unquoted heredoc, or the generated script',
    page: PAGE.limits,
    find: forPools(function* ({ form, count, settings, worker }, { surroundings: { kube } }): Iterable<Found> {
      const { names, at } = settings;
      if (form === 'other' || count === 1 || count === 0) return;
      const label = kube === undefined || kubeAtLeast(kube, INDEX_LABELS_SINCE) ? undefined : indexLabelIn(worker);
      if (label !== undefined) {
        yield {
          at: label,
          message: `pods have the label ${label.source} since Kubernetes ${INDEX_LABELS_SINCE}, and this is ${kube}: the index is empty`,
          fix: "take the index from the pod's name, as the generator does for that version, or from JOB_COMPLETION_INDEX",
        };
        return;
      }
      if (names === undefined) return yield { unknown: NAMES_UNREAD };
      if (!names.hasIndex) yield { at, message: `every pod takes the name ${JSON.stringify(names.before)}` };
    }),
  },
];
