import { memberPath } from '@rungar/model';
import type { YamlMap, YamlNode } from '../print/yaml-node.js';

/** The keys that two mappings do not have in common, or with other values: one level down where both are mappings. */
export function changedKeys(before: YamlMap, after: YamlMap): readonly string[] {
  return differences(before, after).flatMap(({ key, from, to }) =>
    from?.kind === 'map' && to?.kind === 'map'
      ? differences(from, to).map((member) => memberPath(memberPath('', key), member.key))
      : [memberPath('', key)],
  );
}

/** A key that is not the same in two mappings. */
export interface Difference {
  readonly key: string;
  readonly from: YamlNode | undefined;
  readonly to: YamlNode | undefined;
}

/** What is different between two mappings, in their order. The order of their keys is no difference. */
export function differences(before: YamlMap, after: YamlMap): readonly Difference[] {
  const old = new Map(before.entries);
  const now = new Map(after.entries);
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((key) => ({ key, from: old.get(key), to: now.get(key) }))
    .filter(({ from, to }) => from === undefined || to === undefined || meaning(from) !== meaning(to));
}

/** The same text for what is the same, whatever the order of keys in it. */
function meaning(node: YamlNode): string {
  switch (node.kind) {
    case 'text':
      return JSON.stringify(node.text);
    case 'bare':
      return node.source;
    case 'list':
      return `[${node.items.map(meaning).join()}]`;
    case 'map': {
      const members = node.entries.map(([key, value]) => `${JSON.stringify(key)}:${meaning(value)}`);
      return `{${members.sort().join()}}`;
    }
  }
}
