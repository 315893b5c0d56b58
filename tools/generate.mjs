// Writes the files that are made from the code and kept in the repository; with --check, says which are not current.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiReports } from './generate/api-reports.mjs';
import { cliSchemas } from './generate/cli-schemas.mjs';
import { configurationFiles } from './generate/configurations.mjs';
import { dashboard } from './generate/dashboard.mjs';
import { dispatSchemas } from './generate/dispat-schemas.mjs';
import { packageFiles } from './generate/manifests.mjs';
import { performancePage } from './generate/performance.mjs';
import { referencePages } from './generate/reference.mjs';
import { soakFiles } from './generate/soak.mjs';
import { workerRulesPage } from './generate/worker-rules.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const check = process.argv.includes('--check');

/**
 * Each generated file, and what makes its text. `make` gets the text that stands there now, empty where there is none,
 * so that a page written by hand can have parts that are made.
 */
const generated = [
  ...apiReports,
  ...cliSchemas,
  ...configurationFiles,
  dashboard,
  ...dispatSchemas,
  ...packageFiles,
  performancePage,
  ...referencePages,
  ...soakFiles,
  workerRulesPage,
];

let stale = 0;
for (const { path, make } of generated) {
  const file = join(root, path);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const text = await make(before);
  if (before === text) continue;
  if (!check) {
    writeFileSync(file, text);
    process.stdout.write(`wrote ${path}\n`);
  } else {
    stale++;
    process.stderr.write(`${path} is not what the code makes: run "npm run generate" and commit the result\n`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;
