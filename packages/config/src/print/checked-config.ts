import { entryOf, type Located, type LocatedMap } from '@rungar/model';
import type { ParsedConfig } from '../parse.js';
import type { Settings } from '../settings.js';

/** A configuration without errors, as `parseConfig` and `loadConfig` give it. */
export type CheckedConfig = Pick<ParsedConfig, 'root'> & { readonly settings: Settings };

/** A provider's entry as it is written, by its number. */
export function providerNode({ root }: CheckedConfig, index: number): LocatedMap | undefined {
  return asMap(itemsOf(memberOf(asMap(root), 'providers'))[index]);
}

/** What is written over the runner block of a scale set's provider, by the numbers of both; null clears that. */
export function overlayNode({ root }: CheckedConfig, scaleSet: number, provider: number): Located | undefined {
  const entry = asMap(itemsOf(memberOf(asMap(root), 'scale_sets'))[scaleSet]);
  const reference = asMap(itemsOf(memberOf(entry, 'providers'))[provider]);
  return memberOf(reference, 'runner');
}

/** The value a mapping has of that key, if any. */
export function memberOf(map: LocatedMap | undefined, key: string): Located | undefined {
  return map === undefined ? undefined : entryOf(map, key)?.value;
}

function asMap(node: Located | undefined): LocatedMap | undefined {
  return node?.kind === 'map' ? node : undefined;
}

function itemsOf(node: Located | undefined): readonly Located[] {
  return node?.kind === 'list' ? node.items : [];
}
