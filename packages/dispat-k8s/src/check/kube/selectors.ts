import type { KubeValue } from './value.js';

/**
 * Whether a label selector (`matchLabels`, `matchExpressions`) matches. An empty one matches everything.
 * @param selector a selector that is there
 */
export function selects(selector: KubeValue, labels: ReadonlyMap<string, string>): boolean {
  const equal = selector.at('matchLabels').entries.every(([key, value]) => labels.get(key) === value.source);
  return equal && selector.at('matchExpressions').items.every((expression) => holds(expression, labels));
}

function holds(expression: KubeValue, labels: ReadonlyMap<string, string>): boolean {
  const value = labels.get(expression.at('key').source ?? '');
  const values = expression.at('values').texts;
  switch (expression.at('operator').source) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** Whether a plain mapping of labels, a Service's selector, matches. An empty one matches nothing. */
export function selectsPlainly(selector: KubeValue, labels: ReadonlyMap<string, string>): boolean {
  const { entries } = selector;
  return entries.length > 0 && entries.every(([key, value]) => labels.get(key) === value.source);
}
