import { isDeepStrictEqual } from 'node:util';
import { type FakeObject, type FakeResource, isRecord, RESOURCES, Refusal } from './objects.js';
import type { Store } from './store.js';

/** The resource of a kind. */
export function resourceOf(kind: string): FakeResource {
  const found = RESOURCES.find((resource) => resource.kind === kind);
  if (!found) throw new Error(`the fake has no kind ${kind}`);
  return found;
}

/** What the API server itself sets in a new Job or StatefulSet, before it is kept. */
export function withDefaults(object: FakeObject, uid: string): FakeObject {
  if (object.kind !== 'Job' || !isRecord(object.spec)) return object;
  const labels = { 'batch.kubernetes.io/controller-uid': uid, 'batch.kubernetes.io/job-name': object.metadata.name };
  const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
  const template = isRecord(object.spec.template) ? object.spec.template : {};
  const metadata = isRecord(template.metadata) ? template.metadata : {};
  const labelled = { ...metadata, labels: { ...(isRecord(metadata.labels) ? metadata.labels : {}), ...labels } };
  return { ...object, spec: { ...object.spec, selector, template: { ...template, metadata: labelled } } };
}

/** @throws Refusal 422 for a change of a Job's template or completions, or of more than a StatefulSet allows */
export function refuseImmutable(before: FakeObject, after: FakeObject): void {
  const [old, now] = [before.spec, after.spec];
  if (!isRecord(old) || !isRecord(now)) return;
  const fixed =
    before.kind === 'Job' ? ['template', 'completions', 'completionMode', 'selector'] : ['serviceName', 'selector'];
  for (const field of fixed) {
    if (before.kind !== 'Job' && before.kind !== 'StatefulSet') return;
    if (isDeepStrictEqual(old[field], now[field])) continue;
    const message = `${before.kind}.${before.kind === 'Job' ? 'batch' : 'apps'} "${before.metadata.name}" is invalid: spec.${field}: Invalid value: field is immutable`;
    throw new Refusal(422, 'Invalid', message, [
      { reason: 'FieldValueInvalid', field: `spec.${field}`, message: 'field is immutable' },
    ]);
  }
}

/** Makes the pods that a workload wants and does not have; a StatefulSet's beyond its replicas go. */
export function reconcile(store: Store, workload: FakeObject): void {
  const { spec, kind, metadata } = workload;
  if (!isRecord(spec) || (kind !== 'Job' && kind !== 'StatefulSet')) return;
  const wanted = Number((kind === 'Job' ? spec.parallelism : spec.replicas) ?? 1);
  const pods = podsOf(store, workload);
  for (let index = 0; index < wanted; index++) {
    if (spec.suspend === true || pods.some((pod) => indexOf(pod) === index)) continue;
    store.put(resourceOf('Pod'), newPod(workload, index));
  }
  if (kind !== 'StatefulSet') return;
  for (const pod of pods) if (indexOf(pod) >= wanted) store.delete(resourceOf('Pod'), pod);
  store.put(resourceOf('StatefulSet'), { ...workload, metadata, status: { replicas: wanted } });
}

export function podsOf(store: Store, { metadata }: FakeObject): FakeObject[] {
  const all = store.list({ resource: resourceOf('Pod'), namespace: metadata.namespace, labels: '', fields: '' });
  return all.filter((pod) => pod.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
}

function indexOf({ metadata }: FakeObject): number {
  return Number(/-(\d+)(?:-[a-z0-9]+)?$/.exec(metadata.name)?.[1] ?? -1);
}

function newPod(workload: FakeObject, index: number): FakeObject {
  const { kind, apiVersion, metadata, spec } = workload;
  const template = isRecord(spec) && isRecord(spec.template) ? spec.template : {};
  const own = isRecord(template.metadata) ? template.metadata : {};
  const isJob = kind === 'Job';
  const marks: Record<string, string> = isJob
    ? { 'batch.kubernetes.io/job-completion-index': `${index}` }
    : { 'apps.kubernetes.io/pod-index': `${index}` };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: isJob ? `${metadata.name}-${index}-x${index}z` : `${metadata.name}-${index}`,
      namespace: metadata.namespace ?? '',
      labels: { ...stringsOf(own.labels), ...marks },
      annotations: { ...stringsOf(own.annotations), ...(isJob ? marks : {}) },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true }],
    },
    spec: isRecord(template.spec) ? template.spec : {},
    status: { phase: 'Pending' },
  };
}

function stringsOf(value: unknown): Record<string, string> {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)])) : {};
}
