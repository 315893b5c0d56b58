import type { CheckedConfig } from '../print/checked-config.js';
import type { ConfigChange } from './config-change.js';
import { diffProviders } from './diff-providers.js';
import { diffRunners } from './diff-runners.js';
import { diffScaleSets } from './diff-scale-sets.js';
import { diffTopLevel } from './diff-top-level.js';

/**
 * What changes when a daemon that runs with one configuration goes on with another: which runners become outdated,
 * which scale sets are new or become leftovers, and every other value, each with whether a reload takes it up. Pure:
 * contacts nothing. Comments, anchors and spelling are no difference.
 * @returns the changes by where they are: top level, providers, scale sets, runners; none when both mean the same
 * @see docs/reference/cli.md, "Comparing two configurations"
 */
export function diffConfigs(before: CheckedConfig, after: CheckedConfig): readonly ConfigChange[] {
  return [
    ...diffTopLevel(before, after),
    ...diffProviders(before, after),
    ...diffScaleSets(before, after),
    ...diffRunners(before, after),
  ];
}
