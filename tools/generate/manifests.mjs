// What all packages have in common is said once, in the manifest of the workspace, and so is the licence.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const workspace = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const folders = readdirSync(join(root, 'packages')).filter((name) =>
  existsSync(join(root, 'packages', name, 'package.json')),
);

/** What of a manifest comes in which order; what is not listed stands at the end, as it stood. */
const ORDER = [
  'name',
  'version',
  'description',
  'keywords',
  'license',
  'author',
  'homepage',
  'bugs',
  'repository',
  'type',
  'sideEffects',
  'engines',
  'publishConfig',
  'files',
  'bin',
  'types',
  'exports',
  'scripts',
];

function common(folder) {
  const { license, author, homepage, bugs, repository, engines } = workspace;
  return {
    license,
    author,
    homepage: `${homepage.split('#')[0]}/tree/main/packages/${folder}#readme`,
    bugs,
    repository: { ...repository, directory: `packages/${folder}` },
    type: 'module',
    sideEffects: false,
    engines,
    publishConfig: { access: 'public', provenance: true },
  };
}

function inOrder(manifest) {
  const rank = (key) => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);
  return Object.fromEntries(Object.entries(manifest).sort(([a], [b]) => rank(a) - rank(b)));
}

const manifests = folders.map((folder) => ({
  path: `packages/${folder}/package.json`,
  make: (before) => `${JSON.stringify(inOrder({ ...JSON.parse(before), ...common(folder) }), null, 2)}\n`,
}));

// pnpm would put the licence into a tarball by itself; in the folder it is there for everyone else, too.
const licences = folders.map((folder) => ({
  path: `packages/${folder}/LICENSE`,
  make: () => readFileSync(join(root, 'LICENSE'), 'utf8'),
}));

export const packageFiles = [...manifests, ...licences];
