import type { Resources } from '../kube/resources.js';
import type { KubeValue } from '../kube/value.js';
import { normalPath, type Variables } from '../shell/interpret.js';
import type { Workload } from './workload.js';

export const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';

const INDEX_FIELDS = new Set([
  "metadata.annotations['batch.kubernetes.io/job-completion-index']",
  "metadata.labels['batch.kubernetes.io/job-completion-index']",
  "metadata.labels['apps.kubernetes.io/pod-index']",
]);

/**
 * The environment of a container in the pod of one index, as far as the input tells: a Secret's value, say, is not
 * known.
 * @param index the number that stands in the pod's name
 */
export function environmentOf(
  workload: Workload,
  container: KubeValue,
  resources: Resources,
  index: number,
): Variables {
  const variables = new Map<string, string | undefined>();
  const { resource, form } = workload;
  if (form !== 'statefulset' && resource.kind !== 'Pod') variables.set(INDEX_VARIABLE, String(index));
  variables.set('HOSTNAME', form === 'other' ? undefined : `${resource.name}-${index}`);
  for (const source of container.at('envFrom').items) {
    const prefix = source.at('prefix').source ?? '';
    const data = dataOf(workload, source.at('configMapRef', 'name').source, resources);
    for (const [key, value] of data?.entries ?? []) variables.set(prefix + key, value.source);
  }
  for (const entry of container.at('env').items) {
    const name = entry.at('name').source;
    if (name === undefined) continue;
    const literal = entry.at('value').source;
    variables.set(
      name,
      entry.at('valueFrom').exists
        ? referred(entry.at('valueFrom'), workload, resources, index)
        : expandReferences(literal ?? '', variables),
    );
  }
  return variables;
}

function referred(from: KubeValue, workload: Workload, resources: Resources, index: number): string | undefined {
  const field = from.at('fieldRef', 'fieldPath').source;
  if (field !== undefined) {
    if (INDEX_FIELDS.has(field)) return String(index);
    const isPodName = field === 'metadata.name' && workload.form === 'statefulset';
    return isPodName ? `${workload.resource.name}-${index}` : undefined;
  }
  const map = from.at('configMapKeyRef');
  return dataOf(workload, map.at('name').source, resources)?.at(map.at('key').source ?? '').source;
}

function dataOf({ resource }: Workload, name: string | undefined, resources: Resources): KubeValue | undefined {
  return name === undefined ? undefined : resources.named(resource, 'ConfigMap', name)?.root.at('data');
}

/**
 * What the kubelet makes of `$(NAME)` in a command, an argument or a variable: the variable's value where it is one of
 * the container's, the text itself where it is none; `$$` is one dollar.
 * @returns nothing when the value of a variable in it is not known
 */
export function expandReferences(text: string, variables: Variables): string | undefined {
  let unknown = false;
  const expanded = text.replace(/\$\$|\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)/g, (all: string, name?: string) => {
    if (name === undefined) return '$';
    if (!variables.has(name)) return all;
    const value = variables.get(name);
    unknown ||= value === undefined;
    return value ?? '';
  });
  return unknown ? undefined : expanded;
}

/** One mount of a container and the volume it shows. */
export interface Mount {
  readonly path: string;
  readonly mount: KubeValue;
  /** The pod's volume, or a StatefulSet's claim template. */
  readonly volume: KubeValue;
  readonly isClaimTemplate: boolean;
}

export function mountsOf({ pod, spec }: Workload, container: KubeValue): readonly Mount[] {
  const volumes = pod.at('volumes').items;
  const claims = spec.at('volumeClaimTemplates').items;
  return container.at('volumeMounts').items.flatMap((mount): Mount[] => {
    const name = mount.at('name').source;
    const path = normalPath(mount.at('mountPath').source ?? '/');
    const claim = claims.find((each) => each.at('metadata', 'name').source === name);
    const volume = volumes.find((each) => each.at('name').source === name);
    const shown = claim ?? volume;
    return shown === undefined ? [] : [{ path, mount, volume: shown, isClaimTemplate: claim !== undefined }];
  });
}

/** The files that mounted ConfigMaps of the input bring, by path. */
export function mountedFiles(
  workload: Workload,
  container: KubeValue,
  resources: Resources,
): ReadonlyMap<string, string | undefined> {
  const files = new Map<string, string | undefined>();
  for (const { path, mount, volume } of mountsOf(workload, container)) {
    const sources = [
      volume.at('configMap'),
      ...volume.at('projected', 'sources').items.map((each) => each.at('configMap')),
    ];
    const subPath = mount.at('subPath').source;
    for (const source of sources) {
      const data = dataOf(workload, source.at('name').source, resources);
      for (const [key, file] of keysOf(source, data)) {
        const content = data?.at(key).source;
        if (subPath === undefined) files.set(normalPath(`${path}/${file}`), content);
        else if (subPath === file) files.set(path, content);
      }
    }
  }
  return files;
}

/** Each key of a mounted ConfigMap or Secret and the file it becomes. */
export function keysOf(
  source: KubeValue,
  data: KubeValue | undefined,
): readonly (readonly [key: string, file: string])[] {
  const items = source.at('items').items;
  if (items.length > 0) {
    return items.map((item) => [item.at('key').source ?? '', item.at('path').source ?? ''] as const);
  }
  return (data?.entries ?? []).map(([key]) => [key, key] as const);
}
