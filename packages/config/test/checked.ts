import type { ProviderType } from '@rungar/model';
import { formatProblem } from '../src/format-problem.js';
import { parseConfig } from '../src/parse.js';
import type { CheckedConfig } from '../src/print/checked-config.js';

/** A configuration that is fine; what is wrong with one that is not is thrown. */
export function checked(text: string, types: readonly ProviderType[], file = 'f.yaml'): CheckedConfig {
  const { settings, root, problems } = parseConfig(text, { file, types });
  if (settings === undefined) throw new Error(problems.map(formatProblem).join('\n'));
  return { settings, root };
}
