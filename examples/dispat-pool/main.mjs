// Makes the manifests and the orchestrator's block in memory, and compares them with those in `generated/`;
// with --write they are written there.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateFrom, manifestFiles, orchestratorBlock, orchestratorYaml } from 'dispat-k8s';

const folder = join(import.meta.dirname, 'generated');
const text = readFileSync(join(import.meta.dirname, 'pool.yaml'), 'utf8');

const { objects, options, notices } = generateFrom({ file: { name: 'pool.yaml', text } });
for (const { at, found, fix } of notices) process.stderr.write(`${at}: ${found}; ${fix}\n`);

const files = [
  ...manifestFiles(objects),
  { name: 'dispat-execution.yaml', text: orchestratorYaml(orchestratorBlock(options), options) },
];

if (process.argv.includes('--write')) {
  for (const file of files) writeFileSync(join(folder, file.name), file.text);
}
const stale = files.filter((file) => readFileSync(join(folder, file.name), 'utf8') !== file.text);
for (const { name } of stale) {
  process.stderr.write(`generated/${name} is not what pool.yaml makes: run npm start -- --write\n`);
}
process.stdout.write(`${files.length} files, ${stale.length} not current\n`);
process.exitCode = stale.length > 0 ? 1 : 0;
