// Checks the packages as they are published: packs them, looks into the tarballs, installs them into an empty project
// outside the workspace, first without what is optional, and runs there what their READMEs show.
//   node tools/check-tarballs.mjs                  with this Node.js
//   node tools/check-tarballs.mjs --node 20,22,24  with others, too, which npm fetches
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { contentFaults } from './tarballs/contents.mjs';
import { lintFaults } from './tarballs/lint.mjs';
import { packAll } from './tarballs/pack.mjs';
import { commandFaults, nodeOf, readmeFaults } from './tarballs/programs.mjs';
import { install, makeProject, typeFaults, writeEntries } from './tarballs/project.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { node: { type: 'string' } } });
const majors = values.node?.split(',') ?? [process.versions.node.split('.')[0]];
const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const faults = [];

const work = mkdtempSync(join(tmpdir(), 'rungar-tarballs-'));
try {
  const packages = packAll(root, work);
  for (const packed of packages) faults.push(...contentFaults(packed), ...(await lintFaults(packed)));
  say(`${packages.length} tarballs`);

  const nodes = majors.map((major) => ({ major, node: nodeOf(major) }));
  const project = join(work, 'project');
  makeProject(project, packages, { '@types/node': devDependencies['@types/node'] });
  const entries = writeEntries(project, packages);

  install(project, '--omit=optional');
  for (const { major, node } of nodes) add(`Node.js ${major}, nothing optional`, await commandFaults(project, node));
  say(`${entries} entries and the commands without optional dependencies`);

  install(project);
  for (const { major, node } of nodes) {
    const commands = await commandFaults(project, node);
    const readmes = await readmeFaults(project, node, packages);
    add(`Node.js ${major}`, [...commands, ...readmes.faults]);
    say(`the commands and ${readmes.ran} examples on Node.js ${major}`);
  }
  faults.push(...typeFaults(project, packages));
  say(`the types of ${entries} entries`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`${faults.length} faults\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

function add(where, found) {
  for (const fault of found) faults.push(`${where}: ${fault}`);
}

function say(what) {
  process.stdout.write(`checked ${what} (${Math.round(performance.now() / 1000)} s)\n`);
}
