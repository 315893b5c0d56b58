import type { KubeValue } from './value.js';

/** One object of the input. */
export interface Resource {
  readonly apiVersion: string;
  /** The API group: `batch`; empty for the core. */
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** As written; nothing when the object leaves it to whoever applies it. */
  readonly namespace: string | undefined;
  readonly root: KubeValue;
}

/** Makes a resource of an object's root value. */
export function resourceOf(root: KubeValue): Resource {
  const apiVersion = root.at('apiVersion').text ?? '';
  return {
    apiVersion,
    group: apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '',
    kind: root.at('kind').text ?? '',
    name: root.at('metadata', 'name').source ?? root.at('metadata', 'generateName').source ?? '',
    namespace: root.at('metadata', 'namespace').source,
    root,
  };
}

/** How a person names it: `Job release/dispat-workers`. */
export function nameOf({ kind, name, namespace }: Pick<Resource, 'kind' | 'name' | 'namespace'>): string {
  return `${kind || 'object'} ${namespace === undefined ? '' : `${namespace}/`}${name || '(no name)'}`;
}
