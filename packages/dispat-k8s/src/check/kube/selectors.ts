import { grouped } from './resources.js';
import type { KubeValue } from './value.js';

/**
 * Whether a label selector (`matchLabels`, `matchExpressions`) matches. An empty one matches everything.
 * @param selector a selector that is there
 */
function selects(selector: KubeValue, labels: ReadonlyMap<string, string>): boolean {
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

/** An object that selects pods by their labels. */
export interface Selecting<Item> {
  readonly item: Item;
  /** Where it selects them: objects of two scopes never meet. */
  readonly scope: string;
  readonly selector: KubeValue;
}

/**
 * Finds the objects whose selector matches some labels, in their order. Each is kept under the rarest pair its
 * selector asks for, so that one among thousands is found without trying them all.
 */
export function selectorFinder<Item>(
  objects: readonly Selecting<Item>[],
): (scope: string, labels: ReadonlyMap<string, string>) => readonly Item[] {
  const wanted = objects.map((object, order) => ({ ...object, order, pairs: pairsOf(object) }));
  const frequency = new Map<string, number>();
  for (const { pairs } of wanted) for (const pair of pairs) frequency.set(pair, (frequency.get(pair) ?? 0) + 1);
  const byPair = grouped(wanted, ({ scope, pairs }) =>
    pairs.reduce(
      (rarest, pair) =>
        (frequency.get(pair) ?? 0) < (frequency.get(rarest) ?? Number.POSITIVE_INFINITY) ? pair : rarest,
      pairOf(scope),
    ),
  );
  return (scope, labels) =>
    [pairOf(scope), ...[...labels].map(([key, value]) => pairOf(scope, key, value))]
      .flatMap((pair) => byPair.get(pair) ?? [])
      .filter(({ selector }) => selects(selector, labels))
      .sort((a, b) => a.order - b.order)
      .map(({ item }) => item);
}

function pairsOf({ scope, selector }: Selecting<unknown>): readonly string[] {
  return selector
    .at('matchLabels')
    .entries.flatMap(([key, { source }]) => (source === undefined ? [] : [pairOf(scope, key, source)]));
}

function pairOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
