import { type EffectiveRunnerNode, effectiveRunners } from '../effective/effective-runners.js';
import type { CheckedConfig } from '../print/checked-config.js';
import type { ProviderSettings } from '../settings.js';
import { changedKeys } from './changed-keys.js';
import type { RunnersOutdated } from './config-change.js';
import { isAnotherBackend } from './diff-providers.js';

/** The runners that are made from another block now, of scale sets and providers that stay. */
export function diffRunners(before: CheckedConfig, after: CheckedConfig): readonly RunnersOutdated[] {
  const old = new Map(effectiveRunners(before).map((runner) => [keyOf(runner), runner]));
  return effectiveRunners(after).flatMap((now): readonly RunnersOutdated[] => {
    const was = old.get(keyOf(now));
    if (was === undefined || was.revision === now.revision) return [];
    const [providerBefore, providerAfter] = [before, after].map((config) => providerOf(config, now.provider));
    const moved =
      providerBefore !== undefined && providerAfter !== undefined && isAnotherBackend(providerBefore, providerAfter);
    const sameType = providerBefore?.type === providerAfter?.type;
    return [
      {
        kind: 'runners_outdated',
        scaleSet: now.scaleSet,
        provider: now.provider,
        oldRevision: was.revision,
        newRevision: now.revision,
        keys: sameType ? changedKeys(was.runner, now.runner) : [],
        applies: moved ? 'restart' : 'reload',
      },
    ];
  });
}

function keyOf({ scaleSet, provider }: EffectiveRunnerNode): string {
  return JSON.stringify([scaleSet, provider]);
}

function providerOf({ settings }: CheckedConfig, name: string): ProviderSettings | undefined {
  return settings.providers.find((provider) => provider.name === name);
}
