import { effectiveRunners } from '../effective/effective-runners.js';
import type { CheckedConfig } from './checked-config.js';
import { printedConfig, type Showing } from './printed-config.js';
import { redactRunner } from './redact-runner.js';
import { writeYaml } from './write-yaml.js';
import { dataOf, list, map, text, type YamlMap } from './yaml-node.js';

export interface PrintOptions extends Showing {
  /** Whether to add what each scale set's runner is on each of its providers, as the list `effective`. */
  readonly effective?: boolean;
  /** YAML unless set. */
  readonly as?: 'yaml' | 'json';
}

/**
 * Prints a configuration as the daemon takes it: defaults filled in, anchors and merge keys written out, comments
 * left out, secrets as `REDACTED`. Runner blocks stay as they are written. Without `effective` the YAML is a
 * configuration again, and printing that gives the same text.
 * @returns a document of several lines, with a line feed at its end
 * @see docs/reference/cli.md, "Printing a configuration"
 */
export function printConfig(config: CheckedConfig, options: PrintOptions = {}): string {
  const { entries } = printedConfig(config, options);
  const document: YamlMap = {
    kind: 'map',
    entries: options.effective ? [...entries, ['effective', list(printedRunners(config, options))]] : entries,
  };
  return options.as === 'json' ? `${JSON.stringify(dataOf(document), null, 2)}\n` : writeYaml(document);
}

function printedRunners(config: CheckedConfig, { showValues = false }: Showing): YamlMap[] {
  return effectiveRunners(config).map(({ scaleSet, provider, endpoint, size, revision, runner }) =>
    map({
      scale_set: text(scaleSet),
      provider: text(provider),
      endpoint: text(endpoint),
      size: text(size),
      revision: text(revision),
      runner: showValues ? runner : redactRunner(runner),
    }),
  );
}
