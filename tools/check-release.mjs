// Checks what a release is made from: one version for all packages, a changelog that has it, changesets that can be read.
//   node tools/check-release.mjs
//   node tools/check-release.mjs --since origin/main   and every package whose API changed since then has a changeset
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packagesInOrder } from './workspace.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { since: { type: 'string' } } });
const packages = packagesInOrder(root);
const changesets = readdirSync(join(root, '.changeset'))
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .map((file) => ({ file, text: readFileSync(join(root, '.changeset', file), 'utf8') }));

const faults = [...versionFaults(), ...changelogFaults(), ...changesetFaults(), ...undeclared(values.since)];
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`${packages.length} packages, ${changesets.length} changesets, ${faults.length} faults\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

function versionFaults() {
  const [first] = packages;
  return packages
    .filter(({ manifest }) => manifest.version !== first.manifest.version)
    .map(({ name, manifest }) => `${name} is ${manifest.version}, and ${first.name} is ${first.manifest.version}`);
}

function changelogFaults() {
  return packages
    .filter(({ folder, manifest }) => {
      const text = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
      return /^## (\S+)$/m.exec(text)?.[1] !== manifest.version;
    })
    .map(({ name, manifest }) => `the changelog of ${name} does not begin with ${manifest.version}`);
}

/** Each line of a changeset's head is a package of ours and a step. An empty head is a change that needs no release. */
function changesetFaults() {
  const names = packages.map(({ name }) => name);
  return changesets.flatMap(({ file, text }) =>
    headOf(text)
      .filter((line) => {
        const [, name] = /^["'](.+)["']: (?:patch|minor|major)$/.exec(line) ?? [];
        return !names.includes(name);
      })
      .map((line) => `.changeset/${file}: "${line}" is no package of ours with patch, minor or major`),
  );
}

function headOf(text) {
  const [, head = ''] = text.split(/^---$/m);
  return head.split('\n').filter((line) => line.trim() !== '');
}

function undeclared(since) {
  if (since === undefined) return [];
  const diff = ['diff', '--name-only', `${since}...HEAD`, '--', 'packages/*/api.md'];
  const changed = execFileSync('git', diff, { cwd: root, encoding: 'utf8' }).split('\n');
  return packages
    .filter(({ folder }) => changed.includes(`${folder.slice(root.length + 1)}/api.md`))
    .filter(
      ({ name }) =>
        !changesets.some(({ text }) => headOf(text).some((line) => line.slice(1).startsWith(`${name}${line[0]}`))),
    )
    .map(({ name }) => `the API of ${name} changed, and no changeset names it: run "npm run changeset"`);
}
