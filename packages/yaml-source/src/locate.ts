import {
  itemPath,
  type Located,
  type LocatedEntry,
  type LocatedMap,
  type LocatedScalar,
  memberPath,
  nearest,
  type Place,
  type ProblemSink,
} from '@rungar/model';
import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap } from 'yaml';
import { MOST_DEPTH } from './compose.js';
import type { Lines } from './lines.js';
import { copyOf, depthOf, isNullText, nullAt, sizeOf } from './nodes.js';

/** How many values aliases and merge keys may bring in altogether. */
const MOST_COPIES = 400_000;

/** What one text may still cost; the documents of a stream share it. */
export interface Budget {
  copies: number;
  reported: number;
}

/** A text with more than this wrong in it is not mended from a list. */
const MOST_PROBLEMS = 1_000;

/** What an anchor names; nothing while its own value is still being read. */
interface Anchor {
  value?: Located;
}

/** Tags that say what a value is anyway. Any other is refused. */
const TEXT_TAGS: ReadonlySet<string> = new Set(['!', 'tag:yaml.org,2002:str']);
const PLAIN_TAGS: ReadonlySet<string> = new Set(
  ['int', 'float', 'bool', 'null', 'timestamp', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);

/**
 * Turns parsed nodes into located values: aliases become copies of what they name, merge keys give what the mapping
 * does not set itself, and a key that stands twice is a problem.
 */
export function locate(contents: Node, lines: Lines, problems: ProblemSink, spent: Budget): Located {
  const anchors = new Map<string, Anchor>();
  const path: (string | number)[] = [];

  return located(contents, 0);

  function report(place: Place, message: string, hint?: string): void {
    if (++spent.reported > MOST_PROBLEMS) return;
    problems.add({ severity: 'error', place, path: pathText(path), message, ...(hint !== undefined && { hint }) });
  }

  function placeOf(node: Node): Place {
    return lines.placeAt(node.range?.[0] ?? 0);
  }

  function located(node: Node, depth: number): Located {
    if (isAlias(node)) return aliased(node, depth);
    const name = (node as Scalar | YAMLMap).anchor;
    if (name === undefined) return written(node, depth);
    const anchor: Anchor = {};
    anchors.set(name, anchor);
    anchor.value = written(node, depth);
    return anchor.value;
  }

  function written(node: Node, depth: number): Located {
    const place = placeOf(node);
    const { tag } = node as Scalar | YAMLMap;
    if (tag !== undefined && !TEXT_TAGS.has(tag) && !PLAIN_TAGS.has(tag)) {
      report(place, `the tag ${tag} has no meaning here`, 'take it away');
    }
    if (isMap(node)) return mapOf(node as YAMLMap<Node | null, Node | null>, place, depth);
    if (isSeq(node)) {
      const items = node.items.map((item, index) => {
        path.push(index);
        const value = located(item as Node, depth + 1);
        path.pop();
        return value;
      });
      return { kind: 'list', items, place };
    }
    return isScalar(node) ? scalarOf(node, place) : nullAt(place);
  }

  function scalarOf(node: Scalar, place: Place): LocatedScalar {
    const source = String(node.value ?? '');
    const plain = node.type === undefined || node.type === 'PLAIN';
    const quoted = !(plain || (node.tag !== undefined && PLAIN_TAGS.has(node.tag))) || TEXT_TAGS.has(node.tag ?? '');
    return { kind: 'scalar', source, quoted, isNull: !quoted && isNullText(source), place };
  }

  function aliased(node: Alias, depth: number): Located {
    const place = placeOf(node);
    const named = anchored(node, place);
    if (named === undefined) return nullAt(place);
    if (!mayCopy(named, place)) return nullAt(place);
    if (depth + depthOf(named) <= MOST_DEPTH) return copyOf(named, place);
    report(place, `the nesting here is more than ${MOST_DEPTH} deep`);
    return nullAt(place);
  }

  /** What an alias names, if it may be used here. */
  function anchored(node: Alias, place: Place): Located | undefined {
    const anchor = anchors.get(node.source);
    if (anchor?.value !== undefined) return anchor.value;
    if (anchor !== undefined) {
      report(place, `the anchor ${node.source} contains itself`, 'an alias cannot stand inside what it names');
      return undefined;
    }
    const near =
      spent.reported > MOST_PROBLEMS || anchors.size > MOST_PROBLEMS ? undefined : nearest(node.source, anchors.keys());
    const hint = near === undefined ? `define it above as &${node.source}` : `did you mean *${near}?`;
    report(place, `no anchor ${node.source} is defined above`, hint);
    return undefined;
  }

  function mayCopy(value: Located, place: Place): boolean {
    if (spent.copies > MOST_COPIES) return false;
    spent.copies += sizeOf(value);
    if (spent.copies <= MOST_COPIES) return true;
    report(place, `aliases multiply out to more than ${MOST_COPIES} values`, 'repeat less');
    return false;
  }

  function mapOf(node: YAMLMap<Node | null, Node | null>, place: Place, depth: number): LocatedMap {
    const entries = new Map<string, LocatedEntry>();
    const merged: LocatedMap[] = [];
    for (const pair of node.items) {
      if (isMergeKey(pair.key)) {
        merged.push(...mergedBy(pair, depth));
        continue;
      }
      const key = keyOf(pair, place);
      if (key === undefined) continue;
      path.push(key.source);
      const value = pair.value === null ? nullAt(key.place) : located(pair.value, depth + 1);
      const first = entries.get(key.source);
      if (first === undefined) entries.set(key.source, { key: key.source, keyPlace: key.place, value });
      else
        report(
          key.place,
          `is set twice: on line ${key.place.line} and on line ${first.keyPlace.line}`,
          'keep one of them',
        );
      path.pop();
    }
    for (const map of merged) {
      for (const entry of map.entries) if (!entries.has(entry.key)) entries.set(entry.key, entry);
    }
    return { kind: 'map', entries: [...entries.values()], place };
  }

  function keyOf(pair: Pair<Node | null, Node | null>, place: Place): LocatedScalar | undefined {
    const key = pair.key === null ? nullAt(place) : located(pair.key, MOST_DEPTH);
    if (key.kind === 'scalar' && !key.isNull) return key;
    report(key.place, 'a key must be a word');
    return undefined;
  }

  function mergedBy(pair: Pair<Node | null, Node | null>, depth: number): LocatedMap[] {
    const key = pair.key as Node;
    const value = pair.value === null ? nullAt(placeOf(key)) : located(pair.value, depth + 1);
    const parts = value.kind === 'list' ? value.items : [value];
    return parts.filter((part) => {
      if (part.kind !== 'map') report(part.place, 'a merge key ("<<") takes a mapping, or a list of them');
      return part.kind === 'map';
    });
  }
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && (key.type === undefined || key.type === 'PLAIN');
}

function pathText(path: readonly (string | number)[]): string {
  let text = '';
  for (const part of path) text = typeof part === 'number' ? itemPath(text, part) : memberPath(text, part);
  return text;
}
