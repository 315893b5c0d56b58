import { LABEL_VALUES, LABELS } from '../../pool.js';
import type { Resources } from '../kube/resources.js';
import type { KubeValue } from '../kube/value.js';
import { type Mount, mountsOf } from './environment.js';
import { type Program, programOf, runsWorker } from './program.js';
import { firstIndex, nodeNameOf, settingsOfWorker, type WorkerSettings } from './settings.js';
import { type Workload, workloadOf } from './workload.js';

/** A workload of the input that runs workers, and all that is known of it. */
export interface PoolFacts extends Workload {
  readonly worker: KubeValue;
  readonly program: Program | undefined;
  readonly settings: WorkerSettings;
  readonly mounts: readonly Mount[];
  /** How many pods it asks for; nothing when that is not a number of its own. */
  readonly count: number | undefined;
  /** The number in the first pod's name. */
  readonly first: number;
  /** The names of the nodes its pods become; nothing when they are not known. */
  readonly nodeNames: readonly string[] | undefined;
}

/** No pool is larger; a number above it is somebody's slip. */
const MOST_NODES = 100_000;

/** Every pool among the objects. */
export function findPools(resources: Resources): readonly PoolFacts[] {
  return resources.all.flatMap((resource) => {
    const workload = workloadOf(resource);
    const pool = workload && poolOf(workload, resources);
    return pool === undefined ? [] : [pool];
  });
}

function poolOf(workload: Workload, resources: Resources): PoolFacts | undefined {
  const containers = workload.pod.at('containers').items;
  const programs = containers.map((container) => programOf(workload, container, resources));
  let at = containers.findIndex((container, index) => runsWorker(container, programs[index]));
  if (at === -1 && isOurs(workload)) {
    at = Math.max(
      0,
      containers.findIndex((container) => container.at('name').source === 'worker'),
    );
  }
  const worker = containers[at];
  if (worker === undefined) return undefined;
  const settings = settingsOfWorker(workload, worker, programs[at]);
  const count = countOf(workload);
  const first = firstIndex(workload);
  const { names } = settings;
  return {
    ...workload,
    worker,
    program: programs[at],
    settings,
    mounts: mountsOf(workload, worker),
    count,
    first,
    nodeNames:
      names === undefined || count === undefined
        ? undefined
        : Array.from({ length: count }, (_, index) => nodeNameOf(names, first + index)),
  };
}

function isOurs({ resource, podLabels }: Workload): boolean {
  const own = resource.root.at('metadata', 'labels', LABELS.name).source;
  return own === LABEL_VALUES.name || podLabels.get(LABELS.name) === LABEL_VALUES.name;
}

function countOf({ form, spec }: Workload): number | undefined {
  const field = spec.at(form === 'job' ? 'completions' : 'replicas');
  const count = field.exists ? field.number : 1;
  return count !== undefined && Number.isInteger(count) && count >= 0 && count <= MOST_NODES ? count : undefined;
}
