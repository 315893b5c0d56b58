import { REDACTED } from '../credential-like.js';
import { type CheckedConfig, memberOf, providerNode } from '../print/checked-config.js';
import { bare, map, nodeOfData, text, type YamlMap } from '../print/yaml-node.js';
import type { ProviderSettings } from '../settings.js';
import type { ConfigChange, ValueChange } from './config-change.js';
import { valueChanges } from './value-change.js';

/** Which providers are new or gone, and what differs in the entries of the others. */
export function diffProviders(before: CheckedConfig, after: CheckedConfig): readonly ConfigChange[] {
  const old = new Map(before.settings.providers.map((provider, index) => [provider.name, { provider, index }]));
  const now = new Map(after.settings.providers.map((provider, index) => [provider.name, { provider, index }]));
  const gone = [...old.keys()].filter((name) => !now.has(name));
  return [
    ...gone.map((provider): ConfigChange => ({ kind: 'provider_removed', provider, applies: 'reload' })),
    ...[...now].flatMap(([name, { provider, index }]): readonly ConfigChange[] => {
      const was = old.get(name);
      if (was === undefined) return [{ kind: 'provider_added', provider: name, applies: 'reload' }];
      const secrets = changedSecrets(before, was.index, after, index, provider);
      return [...diffProvider(was.provider, provider), ...secrets].map((change) => ({ ...change, provider: name }));
    }),
  ];
}

/** Whether a provider is another backend now, which a running daemon cannot follow. */
export function isAnotherBackend(before: ProviderSettings, after: ProviderSettings): boolean {
  return before.type !== after.type || before.configured.endpoint !== after.configured.endpoint;
}

function diffProvider(before: ProviderSettings, after: ProviderSettings): readonly ValueChange[] {
  const common = valueChanges(commonKeys(before), commonKeys(after));
  const identity = valueChanges(identityOf(before), identityOf(after)).map(needsRestart);
  if (before.type !== after.type) return [...identity, ...common];
  const own = valueChanges(ownKeys(before), ownKeys(after));
  return [...identity, ...common, ...(isAnotherBackend(before, after) ? own.map(needsRestart) : own)];
}

function needsRestart(change: ValueChange): ValueChange {
  return { ...change, applies: 'restart' };
}

function identityOf({ type, configured }: ProviderSettings): YamlMap {
  return map({ type: text(type), endpoint: text(configured.endpoint) });
}

function commonKeys({ weight, maxRunners, disabled }: ProviderSettings): YamlMap {
  return map({ weight: bare(weight), max_runners: bare(maxRunners), disabled: bare(disabled) });
}

function ownKeys({ configured }: ProviderSettings): YamlMap {
  const node = nodeOfData(configured.effective);
  return node.kind === 'map' ? node : map({});
}

/** Secrets of an entry that are other ones now: what is printed of both is the same. */
function changedSecrets(
  before: CheckedConfig,
  indexBefore: number,
  after: CheckedConfig,
  indexAfter: number,
  { configured }: ProviderSettings,
): readonly ValueChange[] {
  const written = (config: CheckedConfig, index: number, key: string): string | undefined => {
    const node = memberOf(providerNode(config, index), key);
    return node?.kind === 'scalar' && !node.isNull ? node.source : undefined;
  };
  return Object.entries(configured.effective).flatMap(([key, value]): readonly ValueChange[] => {
    const old = written(before, indexBefore, key);
    if (value !== REDACTED || old === undefined || old === written(after, indexAfter, key)) return [];
    return [{ kind: 'value_changed', key, from: REDACTED, to: REDACTED, applies: 'reload' }];
  });
}
