import type { KubeValue } from './kube/value.js';
import type { PoolFacts } from './pools/pool.js';

const IGNORE_ANNOTATION = 'dispat.dev/ignore';
const REASON_ANNOTATION = 'dispat.dev/ignore-reason';

/** What one annotation asks to leave out. */
export interface Ignore {
  readonly at: KubeValue;
  readonly ids: readonly string[];
  /** Without one nothing is left out. */
  readonly reason: string | undefined;
}

/** The ignore annotations of a pool: the workload's own and its pod template's. */
export function ignoresOf({ resource, template }: PoolFacts): readonly Ignore[] {
  const metadata = [resource.root.at('metadata', 'annotations'), template.at('metadata', 'annotations')];
  const distinct = template.pointer === '' ? metadata.slice(0, 1) : metadata;
  return distinct.flatMap((annotations): Ignore[] => {
    const at = annotations.at(IGNORE_ANNOTATION);
    if (!at.exists) return [];
    const ids = (at.source ?? '').split(/[\s,]+/).filter((id) => id !== '');
    const reason = annotations.at(REASON_ANNOTATION).source?.trim();
    return [{ at, ids: ids.map((id) => id.toUpperCase()), reason: reason === '' ? undefined : reason }];
  });
}
