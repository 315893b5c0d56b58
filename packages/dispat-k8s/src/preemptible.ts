/** A label that marks machines which their cloud may take away, and the value that says so. */
export interface Marker {
  readonly key: string;
  /** Any value but `false`, when absent. */
  readonly values?: readonly string[];
}

const MARKERS: readonly Marker[] = [
  { key: 'cloud.google.com/gke-spot' },
  { key: 'cloud.google.com/gke-preemptible' },
  { key: 'cloud.google.com/gke-provisioning', values: ['spot', 'preemptible'] },
  { key: 'eks.amazonaws.com/capacityType', values: ['SPOT'] },
  { key: 'karpenter.sh/capacity-type', values: ['spot'] },
  { key: 'kubernetes.azure.com/scalesetpriority', values: ['spot'] },
  { key: 'node.kubernetes.io/lifecycle', values: ['spot'] },
  { key: 'lifecycle', values: ['Ec2Spot'] },
  { key: 'node-role.kubernetes.io/spot' },
  { key: 'spotinst.io/node-lifecycle', values: ['spot'] },
];

/** Where a pod's specification speaks of preemptible machines. */
export interface PreemptibleMark {
  readonly label: string;
  readonly from: 'nodeSelector' | 'affinity' | 'toleration';
  /** A selection asks for such machines, a toleration only permits them, `NotIn` and `DoesNotExist` exclude them. */
  readonly effect: 'selects' | 'permits' | 'excludes';
}

/** The parts of a pod's specification that choose its machine. */
export interface PlacementParts {
  readonly nodeSelector?: unknown;
  readonly affinity?: unknown;
  readonly tolerations?: unknown;
}

/**
 * Every place where a pod selects, permits or excludes preemptible machines.
 * @param spotLabels further labels that mark them: `key` or `key=value`
 */
export function preemptibleMarks(spec: PlacementParts, spotLabels: readonly string[] = []): PreemptibleMark[] {
  const markers = preemptibleMarkers(spotLabels);
  return [
    ...selectorMarks(spec.nodeSelector, markers),
    ...affinityMarks(spec.affinity, markers),
    ...tolerationMarks(spec.tolerations, markers),
  ];
}

/**
 * The labels of preemptible machines.
 * @param spotLabels further ones: `key` or `key=value`
 */
export function preemptibleMarkers(spotLabels: readonly string[]): readonly Marker[] {
  return [...MARKERS, ...spotLabels.map(markerOf)];
}

function markerOf(text: string): Marker {
  const cut = text.indexOf('=');
  return cut === -1 ? { key: text } : { key: text.slice(0, cut), values: [text.slice(cut + 1)] };
}

/** Whether a marker's label with that value is a preemptible machine's. */
export function means({ values }: Marker, value: string): boolean {
  return values === undefined ? value !== 'false' : values.includes(value);
}

function selectorMarks(selector: unknown, markers: readonly Marker[]): PreemptibleMark[] {
  return markers.flatMap((marker) => {
    const value = memberOf(selector, marker.key);
    if (typeof value !== 'string') return [];
    const label = `${marker.key}=${value}`;
    return [{ label, from: 'nodeSelector', effect: means(marker, value) ? 'selects' : 'excludes' } as const];
  });
}

function affinityMarks(affinity: unknown, markers: readonly Marker[]): PreemptibleMark[] {
  const nodeAffinity = memberOf(affinity, 'nodeAffinity');
  const required = listOf(
    memberOf(memberOf(nodeAffinity, 'requiredDuringSchedulingIgnoredDuringExecution'), 'nodeSelectorTerms'),
  );
  const preferred = listOf(memberOf(nodeAffinity, 'preferredDuringSchedulingIgnoredDuringExecution'));
  const terms = [...required, ...preferred.map((each) => memberOf(each, 'preference'))];
  const expressions = terms.flatMap((term) => listOf(memberOf(term, 'matchExpressions')));
  return expressions.flatMap((expression) => expressionMarks(expression, markers));
}

function expressionMarks(expression: unknown, markers: readonly Marker[]): PreemptibleMark[] {
  const operator = memberOf(expression, 'operator');
  const values = listOf(memberOf(expression, 'values')).map(String);
  return markers.flatMap((marker) => {
    if (memberOf(expression, 'key') !== marker.key) return [];
    const named = values.some((value) => means(marker, value));
    const label = values.length === 0 ? marker.key : `${marker.key}=${values.join(',')}`;
    const effect =
      operator === 'Exists' || (operator === 'In' && named)
        ? 'selects'
        : operator === 'DoesNotExist' || (operator === 'NotIn' && named) || operator === 'In'
          ? 'excludes'
          : undefined;
    return effect === undefined ? [] : [{ label, from: 'affinity', effect } as const];
  });
}

function tolerationMarks(tolerations: unknown, markers: readonly Marker[]): PreemptibleMark[] {
  return listOf(tolerations).flatMap((toleration) => {
    if (!memberOf(toleration, 'key') && memberOf(toleration, 'operator') === 'Exists')
      return [{ label: 'a toleration of everything', from: 'toleration', effect: 'permits' } as const];
    return markers.flatMap((marker) => {
      if (memberOf(toleration, 'key') !== marker.key) return [];
      const value = memberOf(toleration, 'value');
      const any = memberOf(toleration, 'operator') === 'Exists' || value === undefined;
      if (!any && !means(marker, String(value))) return [];
      return [{ label: any ? marker.key : `${marker.key}=${value}`, from: 'toleration', effect: 'permits' } as const];
    });
  });
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
