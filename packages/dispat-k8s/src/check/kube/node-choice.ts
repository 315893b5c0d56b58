import type { KubeValue } from './value.js';

/** A demand on the label of a machine, wherever the pod states it. */
export interface NodeDemand {
  /** Nothing for a toleration of every key. */
  readonly key: string | undefined;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'other';
  readonly values: readonly string[];
  /** A preferred one only weighs; a tolerated one only permits. */
  readonly strength: 'required' | 'preferred' | 'tolerated';
  readonly at: KubeValue;
}

/** Everything a pod says about the machines it may run on. */
export function nodeDemands(pod: KubeValue): readonly NodeDemand[] {
  return [
    ...selected(pod),
    ...requiredTerms(pod).flatMap((term) => expressionsOf(term, 'required')),
    ...pod
      .at('affinity', 'nodeAffinity', 'preferredDuringSchedulingIgnoredDuringExecution')
      .items.flatMap((term) => expressionsOf(term.at('preference'), 'preferred')),
    ...pod.at('tolerations').items.flatMap(tolerated),
  ];
}

/**
 * The values of a label the pod may land on: the selector's, else those every alternative of the required affinity
 * names. Nothing when any value will do.
 */
export function allowedValues(
  pod: KubeValue,
  keys: readonly string[],
): { values: readonly string[]; at: KubeValue } | undefined {
  const isOne = (key: string | undefined): boolean => key !== undefined && keys.includes(key);
  const chosen = selected(pod).find(({ key }) => isOne(key));
  if (chosen !== undefined) return chosen;
  const terms = requiredTerms(pod).map((term) =>
    expressionsOf(term, 'required').find(({ key, operator }) => isOne(key) && operator === 'In'),
  );
  const [first] = terms;
  if (first === undefined || terms.includes(undefined)) return undefined;
  return { values: [...new Set(terms.flatMap((term) => term?.values ?? []))], at: first.at };
}

function selected(pod: KubeValue): readonly NodeDemand[] {
  return pod
    .at('nodeSelector')
    .entries.map(([key, at]) => ({ key, operator: 'In', values: [at.source ?? ''], strength: 'required', at }));
}

function requiredTerms(pod: KubeValue): readonly KubeValue[] {
  return pod.at('affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms')
    .items;
}

function expressionsOf(term: KubeValue, strength: NodeDemand['strength']): readonly NodeDemand[] {
  return term.at('matchExpressions').items.map((at) => ({
    key: at.at('key').source ?? '',
    operator: operatorOf(at.at('operator').source),
    values: at.at('values').texts,
    strength,
    at,
  }));
}

function operatorOf(text: string | undefined): NodeDemand['operator'] {
  return text === 'In' || text === 'NotIn' || text === 'Exists' || text === 'DoesNotExist' ? text : 'other';
}

function tolerated(at: KubeValue): readonly NodeDemand[] {
  const key = at.at('key').source || undefined;
  const exists = at.at('operator').source === 'Exists';
  const value = at.at('value').source ?? '';
  return [{ key, operator: exists ? 'Exists' : 'In', values: exists ? [] : [value], strength: 'tolerated', at }];
}
