import { isMap, isScalar, isSeq, type Node, Pair, parseDocument, Scalar, type YAMLMap } from 'yaml';
import { indexLines } from './lines.js';
import { normalised } from './parse.js';

/** A change of one key of a mapping. */
export interface KeyChange {
  /** Where the key stands, counted from 1 as in a `Place`. */
  readonly line: number;
  readonly column: number;
  /** What it is called from now on. */
  readonly key: string;
  /** A value to put in the place of its single one, plain. */
  readonly value?: string;
}

/** What is changed in a document. */
export interface RewriteOptions {
  readonly changes?: readonly KeyChange[];
  /** A key to set in the document's own mapping, before all others if it is not there. */
  readonly set?: { readonly key: string; readonly value: string };
}

/**
 * Writes a YAML document afresh, with an indent of two, some of its keys changed. Comments, anchors, aliases and the
 * style of each value stay; other white space does not.
 * @param text a document that `parse` finds nothing wrong with
 * @throws TypeError when that is no mapping
 */
export function rewrite(text: string, { changes = [], set }: RewriteOptions): string {
  const source = normalised(text);
  const document = parseDocument(source, {
    schema: 'failsafe',
    merge: false,
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const { contents } = document;
  if (!isMap(contents)) throw new TypeError('a document that is rewritten must be a mapping');
  const lines = indexLines(source, '');
  const byPlace = new Map(changes.map((change) => [`${change.line}:${change.column}`, change]));
  changeKeys(contents, (key) => {
    const { line, column } = lines.placeAt(key.range?.[0] ?? 0);
    return byPlace.get(`${line}:${column}`);
  });
  if (set !== undefined) setKey(contents as YAMLMap<Node, Node | null>, set.key, set.value);
  return document.toString({ indent: 2, lineWidth: 0, flowCollectionPadding: false });
}

function changeKeys(node: unknown, changeOf: (key: Scalar) => KeyChange | undefined): void {
  if (isSeq(node)) for (const item of node.items) changeKeys(item, changeOf);
  if (!isMap(node)) return;
  for (const pair of node.items) {
    const change = isScalar(pair.key) ? changeOf(pair.key) : undefined;
    if (change !== undefined) changePair(pair, change);
    changeKeys(pair.value, changeOf);
  }
}

function changePair(pair: Pair<unknown, unknown>, { key, value }: KeyChange): void {
  if (isScalar(pair.key)) pair.key.value = key;
  if (value !== undefined && isScalar(pair.value)) setPlain(pair.value, value);
}

function setPlain(scalar: Scalar, value: string): void {
  scalar.value = value;
  scalar.type = Scalar.PLAIN;
}

function setKey(map: YAMLMap<Node, Node | null>, key: string, value: string): void {
  const present = map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
  if (present === undefined) putFirst(map, key, value);
  else if (isScalar(present.value)) setPlain(present.value, value);
  else present.value = new Scalar(value);
}

/** What a comment says of the first key stays with it; what stands apart from it stays at the top. */
function putFirst(map: YAMLMap<Node, Node | null>, key: string, value: string): void {
  const first = map.items[0]?.key;
  const name = new Scalar(key);
  if (first !== undefined) {
    const comments = [map.commentBefore, first.commentBefore]
      .filter((comment) => typeof comment === 'string')
      .join('\n');
    const [, apart, own = ''] = /^(?:([\s\S]*)\n *\n)?([\s\S]*)$/.exec(comments) ?? [];
    map.commentBefore = null;
    first.commentBefore = own === '' ? null : own;
    first.spaceBefore = map.flow !== true;
    if (apart !== undefined) name.commentBefore = `${apart}\n`;
  }
  map.items.unshift(new Pair<Node, Node>(name, new Scalar(value)));
}
