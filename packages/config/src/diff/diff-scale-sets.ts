import type { ScaleSetPolicy } from '@rungar/model';
import type { CheckedConfig } from '../print/checked-config.js';
import { printedConfig } from '../print/printed-config.js';
import { list, map, text, type YamlMap } from '../print/yaml-node.js';
import type { ConfigChange } from './config-change.js';
import { valueChanges, without } from './value-change.js';

/** Which scale sets are new or become leftovers, and what differs in the others, their runners left out. */
export function diffScaleSets(before: CheckedConfig, after: CheckedConfig): readonly ConfigChange[] {
  const old = byName(before);
  const now = byName(after);
  const providers = new Set(after.settings.providers.map(({ name }) => name));
  const gone = [...old.keys()].filter((name) => !now.has(name));
  return [
    ...leadChange([...old.keys()][0], [...now.keys()][0]),
    ...gone.map((scaleSet): ConfigChange => ({ kind: 'scale_set_removed', scaleSet, applies: 'reload' })),
    ...[...now].flatMap(([name, scaleSet]): readonly ConfigChange[] => {
      const was = old.get(name);
      if (was === undefined) return [{ kind: 'scale_set_added', scaleSet: name, applies: 'reload' }];
      return [
        ...valueChanges(was.printed, scaleSet.printed).map((change) => ({ ...change, scaleSet: name })),
        ...diffUses(was.policy, scaleSet.policy, providers),
      ];
    }),
  ];
}

interface ScaleSet {
  readonly policy: ScaleSetPolicy;
  /** Its keys, less its providers. */
  readonly printed: YamlMap;
}

function byName(config: CheckedConfig): ReadonlyMap<string, ScaleSet> {
  const sets = printedConfig(config).entries.find(([key]) => key === 'scale_sets')?.[1];
  const nodes = sets?.kind === 'list' ? sets.items : [];
  return new Map(
    config.settings.scaleSets.map((policy, index) => {
      const node = nodes[index];
      const printed = node?.kind === 'map' ? without(node, ['name', 'providers']) : map({});
      return [policy.name, { policy, printed }];
    }),
  );
}

/** Whoever holds the session of the first scale set serves them all, so that the first one is no one's to change. */
function leadChange(from: string | undefined, to: string | undefined): readonly ConfigChange[] {
  if (from === undefined || to === undefined || from === to) return [];
  return [{ kind: 'value_changed', key: 'scale_sets[0].name', from, to, applies: 'restart' }];
}

/** @param providers those there are now: of one that is gone for all nothing more is said */
function diffUses(
  before: ScaleSetPolicy,
  after: ScaleSetPolicy,
  providers: ReadonlySet<string>,
): readonly ConfigChange[] {
  const scaleSet = after.name;
  const old = before.providers.map(({ name }) => name);
  const now = after.providers.map(({ name }) => name);
  const added = now.filter((name) => !old.includes(name));
  const removed = old.filter((name) => !now.includes(name) && providers.has(name));
  const order = valueChanges(
    map({ providers: list(old.filter((name) => now.includes(name)).map(text)) }),
    map({ providers: list(now.filter((name) => old.includes(name)).map(text)) }),
  );
  return [
    ...removed.map((provider): ConfigChange => ({ kind: 'use_removed', scaleSet, provider, applies: 'reload' })),
    ...added.map((provider): ConfigChange => ({ kind: 'use_added', scaleSet, provider, applies: 'reload' })),
    ...order.map((change) => ({ ...change, scaleSet })),
  ];
}
