import type { ScaleSetProvider } from '@rungar/model';
import { mergeRunner } from '../merge-runner.js';
import { type CheckedConfig, memberOf, overlayNode, providerNode } from '../print/checked-config.js';
import { nodeOf, nodeOfData, type YamlMap } from '../print/yaml-node.js';
import type { ProviderSettings } from '../settings.js';

/** What a scale set's runner is on one of its providers. */
export interface EffectiveRunnerNode {
  readonly scaleSet: string;
  readonly provider: string;
  readonly endpoint: string;
  readonly size: string;
  readonly revision: string;
  /** Every key that is set, nothing hidden. */
  readonly runner: YamlMap;
}

/** What every scale set's runner is on each of its providers, in the order of the file. */
export function effectiveRunners(config: CheckedConfig): readonly EffectiveRunnerNode[] {
  const { providers, scaleSets } = config.settings;
  const numbers = new Map(providers.map(({ name }, index) => [name, index]));
  return scaleSets.flatMap((scaleSet, index) =>
    scaleSet.providers.flatMap((runner, at) => {
      const number = numbers.get(runner.name) ?? -1;
      const provider = providers[number];
      if (provider === undefined) return [];
      const written = (): YamlMap => mergedBlock(config, number, index, at);
      return {
        scaleSet: scaleSet.name,
        provider: runner.name,
        endpoint: provider.configured.endpoint,
        size: runner.size,
        revision: runner.revision,
        runner: blockOf(provider, runner) ?? written(),
      };
    }),
  );
}

function blockOf({ configured }: ProviderSettings, { spec }: ScaleSetProvider): YamlMap | undefined {
  const node = configured.effectiveRunner && nodeOfData(configured.effectiveRunner(spec));
  return node?.kind === 'map' ? node : undefined;
}

/** The block as it is written, without the keys that are cleared. */
function mergedBlock(config: CheckedConfig, provider: number, scaleSet: number, at: number): YamlMap {
  const base = memberOf(providerNode(config, provider), 'runner');
  const merged = mergeRunner(base?.kind === 'map' ? base : undefined, overlayNode(config, scaleSet, at));
  if (merged?.kind !== 'map') return { kind: 'map', entries: [] };
  const set = merged.entries.filter(({ value }) => value.kind !== 'scalar' || !value.isNull);
  return { kind: 'map', entries: set.map(({ key, value }) => [key, nodeOf(value)]) };
}
