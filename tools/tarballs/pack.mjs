// The packages as they are published: packed, and unpacked again to look into.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packagesInOrder } from '../workspace.mjs';

/**
 * @typedef {object} Packed
 * @property {string} name
 * @property {string} folder where its source is
 * @property {any} manifest as it is published
 * @property {string} tarball the file
 * @property {string} unpacked the folder with what the tarball holds
 * @property {string[]} files what the tarball holds, named from there
 */

/**
 * Packs every package of the workspace below `work`.
 * @returns {Packed[]}
 */
export function packAll(root, work) {
  const tarballs = join(work, 'tarballs');
  mkdirSync(tarballs, { recursive: true });
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const pack = ['-r', '--filter', './packages/*', 'pack', '--pack-destination', tarballs];
  execFileSync('npx', ['--yes', '--prefer-offline', packageManager, ...pack], { cwd: root, stdio: 'pipe' });
  return packagesInOrder(root).map(({ name, folder, manifest: { version } }) => {
    const tarball = join(tarballs, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
    const unpacked = join(work, 'unpacked', name);
    mkdirSync(unpacked, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1']);
    const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
    return { name, folder, manifest, tarball, unpacked, files: filesIn(unpacked) };
  });
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** Every module of a package that others can import, as they name it. */
export function entriesOf({ name, manifest }) {
  return Object.entries(manifest.exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([subpath]) => name + subpath.slice(1));
}
