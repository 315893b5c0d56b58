import type { CheckedConfig } from '../print/checked-config.js';
import type { Showing } from '../print/printed-config.js';
import { redactRunner } from '../print/redact-runner.js';
import { dataOf } from '../print/yaml-node.js';
import { effectiveRunners } from './effective-runners.js';

/** What a scale set's runner is on one of its providers. */
export interface EffectiveRunner {
  readonly scaleSet: string;
  readonly provider: string;
  /** Which backend that is. */
  readonly endpoint: string;
  /** How big its machines are, for people. */
  readonly size: string;
  /** The hash of the runner block; a runner made from another one is outdated. */
  readonly revision: string;
  /** The merged runner block with defaults filled in, by the keys of the configuration. */
  readonly runner: Readonly<Record<string, unknown>>;
}

/**
 * What every scale set's runner is on each of its providers, in the order of the file. Pure: contacts nothing.
 * Values of `env` and `metadata`, and parts of scripts, that look like credentials are `REDACTED` unless `showValues`.
 */
export function effectiveConfig(
  config: CheckedConfig,
  { showValues = false }: Showing = {},
): readonly EffectiveRunner[] {
  return effectiveRunners(config).map(({ runner, ...facts }) => ({
    ...facts,
    runner: dataOf(showValues ? runner : redactRunner(runner)) as Record<string, unknown>,
  }));
}
