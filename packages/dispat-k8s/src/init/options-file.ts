import { OPTIONS, type OptionKey, type OptionRow, type PoolInput } from '../options/table.js';
import { yamlText } from '../yaml-out/scalar.js';
import { writeYaml } from '../yaml-out/write.js';

/**
 * A commented options file: what was chosen, and every other option as a comment with its default or an example.
 * @param chosen the options to write in clear
 */
export function optionsFile(chosen: PoolInput): string {
  const rows: [string, OptionRow][] = Object.entries(OPTIONS);
  const blocks = rows.map(([key, row]) => {
    const value = chosen[key as OptionKey];
    return `# ${sentence(row)}\n${value === undefined ? suggestion(key, row) : writeYaml({ [key]: value })}`;
  });
  return `${HEAD}\n${blocks.join('\n')}`;
}

const HEAD = `# The options of a dispat worker pool. A line that begins with "#" and a key is what holds without it.
#   dispat-worker-manifest generate --config THIS_FILE
#   dispat-worker-manifest orchestrator --config THIS_FILE
`;

function sentence(row: OptionRow): string {
  const words = row.kind === 'choice' ? `: ${row.words.join(' or ')}` : '';
  return `${row.describe.charAt(0).toUpperCase()}${row.describe.slice(1)}${words}.`;
}

function suggestion(key: string, row: OptionRow): string {
  if (row.default !== undefined) return `#${key}: ${row.kind === 'text' ? yamlText(row.default) : row.default}\n`;
  return `# For example:\n#${key}: ${row.example ?? '…'}\n`;
}
