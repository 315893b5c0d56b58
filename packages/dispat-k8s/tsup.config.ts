import { readFileSync } from 'node:fs';
import { plainWidths } from '../../tools/plain-widths.ts';
import { library } from '../../tools/tsup.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

// yargs is a development dependency, so it is bundled: loading it as installed takes twice as long.
export default library(['src/index.ts', 'src/main.ts'], {
  define: { __BUILD__: JSON.stringify({ version }) },
  esbuildPlugins: [plainWidths()],
});
