import { readFileSync } from 'node:fs';
import { plainWidths } from '../../tools/plain-widths.ts';
import { library } from '../../tools/tsup.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const { SOURCE_DATE_EPOCH: epoch, RUNGAR_COMMIT: commit } = process.env;
const build = {
  version,
  ...(epoch && { date: new Date(Number(epoch) * 1000).toISOString() }),
  ...(commit && { commit }),
};

// yargs is a development dependency, so it is bundled: loading it as installed takes twice as long.
export default library(['src/index.ts', 'src/main.ts'], {
  define: { __BUILD__: JSON.stringify(build) },
  esbuildPlugins: [plainWidths()],
});
