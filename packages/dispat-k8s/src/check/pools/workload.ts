import type { Resource } from '../kube/resource.js';
import type { KubeValue } from '../kube/value.js';

/** A resource that makes pods, whoever's. */
export interface Workload {
  readonly resource: Resource;
  /** What kind of pods-maker it is; a CronJob and a ScaledJob are Jobs inside. */
  readonly form: 'job' | 'statefulset' | 'other';
  /** Where `completions` or `replicas` stand. */
  readonly spec: KubeValue;
  /** The pod's `metadata` and `spec`. */
  readonly template: KubeValue;
  readonly pod: KubeValue;
  /** The template's, and those the controller adds to each pod. */
  readonly podLabels: ReadonlyMap<string, string>;
}

/** Where each kind keeps the spec of what makes pods, and the pod's template within that. */
const KINDS: ReadonlyMap<string, { form: Workload['form']; spec: readonly string[]; template: readonly string[] }> =
  new Map([
    ['Job', { form: 'job', spec: ['spec'], template: ['template'] }],
    ['CronJob', { form: 'job', spec: ['spec', 'jobTemplate', 'spec'], template: ['template'] }],
    ['ScaledJob', { form: 'job', spec: ['spec', 'jobTargetRef'], template: ['template'] }],
    ['StatefulSet', { form: 'statefulset', spec: ['spec'], template: ['template'] }],
    ['Deployment', { form: 'other', spec: ['spec'], template: ['template'] }],
    ['ReplicaSet', { form: 'other', spec: ['spec'], template: ['template'] }],
    ['DaemonSet', { form: 'other', spec: ['spec'], template: ['template'] }],
    ['Pod', { form: 'other', spec: [], template: [] }],
  ]);

/** The resource as something that makes pods; nothing when it makes none. */
export function workloadOf(resource: Resource): Workload | undefined {
  const kind = KINDS.get(resource.kind);
  if (kind === undefined) return undefined;
  const spec = resource.root.at(...kind.spec);
  const template = spec.at(...kind.template);
  return {
    resource,
    form: kind.form,
    spec,
    template,
    pod: template.at('spec'),
    podLabels: new Map([...template.at('metadata', 'labels').textMap, ...addedLabels(resource)]),
  };
}

/** By these, `kubectl` and policies written by hand often find a Job's pods. Those that differ by pod are left out. */
function addedLabels({ kind, name }: Resource): [string, string][] {
  if (kind !== 'Job' || name === '') return [];
  return ['batch.kubernetes.io/job-name', 'job-name'].map((label) => [label, name]);
}

/** Every container of a pod; init containers first, as they run. */
export function allContainers(pod: KubeValue): readonly KubeValue[] {
  return [...pod.at('initContainers').items, ...pod.at('containers').items];
}
