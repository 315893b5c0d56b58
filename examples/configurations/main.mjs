// Checks every configuration here, or those named as arguments, and prints where the runners of each scale set go.
// `rungar validate` does more: it also looks for the keys and certificates that a file names.
import { readdirSync, readFileSync } from 'node:fs';
import { effectiveConfig, formatProblem, parseConfig } from '@rungar/config';
import { providerTypes } from '@rungar/providers';

const named = process.argv.slice(2);
const files = named.length > 0 ? named : readdirSync('.').filter((name) => name.endsWith('.yaml'));
let wrong = 0;

for (const file of files) {
  const { settings, root, problems } = parseConfig(readFileSync(file, 'utf8'), { file, types: providerTypes });
  if (settings === undefined) {
    wrong++;
    for (const problem of problems) console.error(formatProblem(problem));
    continue;
  }
  console.log(file);
  for (const { scaleSet, endpoint, size } of effectiveConfig({ settings, root })) {
    console.log(`  ${scaleSet.padEnd(12)}  ${endpoint.padEnd(36)}  ${size}`);
  }
}
console.log(`${files.length} files, ${wrong} with problems`);
process.exitCode = wrong > 0 ? 1 : 0;
