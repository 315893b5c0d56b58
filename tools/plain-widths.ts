import { readFile } from 'node:fs/promises';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

const DECLARED = 'export default function stringWidth(';

/**
 * Bundles string-width, by which yargs lays out its help, so that what it takes to measure any text is made ready with
 * the first one that is not ASCII: that takes as long as starting Node.js.
 */
export function plainWidths(): Plugin {
  return {
    name: 'plain-widths',
    setup(build) {
      build.onLoad({ filter: /[\\/]string-width[\\/]index\.js$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        if (!text.includes(DECLARED)) throw new Error(`${path} does not say ${DECLARED}`);
        const lines = text.split('\n');
        const isImport = (line: string): boolean => line.startsWith('import ');
        const rest = lines.filter((line) => !isImport(line)).join('\n');
        return {
          contents: `${lines.filter(isImport).join('\n')}
let measure;
export default function stringWidth(text, options) {
  if (typeof text !== 'string') return 0;
  if (/^[ -~]*$/.test(text)) return text.length;
  measure ??= makeReady();
  return measure(text, options);
}
function makeReady() {
${rest.replace(DECLARED, 'return function (')}
}`,
          loader: 'js',
        };
      });
    },
  };
}
