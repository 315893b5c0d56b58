// Writes the files that are made from the code and kept in the repository; with --check, says which are not current.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const check = process.argv.includes('--check');

/** Each generated file, and what makes its text. */
const generated = [];

let stale = 0;
for (const { path, make } of generated) {
  const text = await make();
  const file = join(root, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (!check) writeFileSync(file, text);
  else {
    stale++;
    process.stderr.write(`${path} is not what the code makes: run "npm run generate" and commit the result\n`);
  }
}
process.exitCode = stale > 0 ? 1 : 0;
