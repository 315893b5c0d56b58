import { memberPath } from '@rungar/model';
import { onOneLine } from '../print/write-yaml.js';
import type { YamlMap, YamlNode } from '../print/yaml-node.js';
import { type Difference, differences } from './changed-keys.js';
import type { ValueChange } from './config-change.js';

/** The values that differ between two mappings, those of mappings in them one by one. */
export function valueChanges(before: YamlMap, after: YamlMap, path = ''): readonly ValueChange[] {
  return differences(before, after).flatMap((difference) => {
    const { key, from, to } = difference;
    const at = memberPath(path, key);
    return from?.kind === 'map' && to?.kind === 'map' ? valueChanges(from, to, at) : [valueChange(difference, at)];
  });
}

function valueChange({ from, to }: Difference, key: string): ValueChange {
  return {
    kind: 'value_changed',
    key,
    ...(from !== undefined && { from: words(from) }),
    ...(to !== undefined && { to: words(to) }),
    applies: 'reload',
  };
}

/** A value for people: a text without quotes, anything else as a file could have it. */
function words(node: YamlNode): string {
  return node.kind === 'text' ? node.text : onOneLine(node);
}

/** A mapping less some of its keys. */
export function without({ entries }: YamlMap, keys: readonly string[]): YamlMap {
  return { kind: 'map', entries: entries.filter(([key]) => !keys.includes(key)) };
}
