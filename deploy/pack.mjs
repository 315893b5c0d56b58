// Packs the command line and every package of this workspace that it needs, built before: what an installation
// outside the workspace begins with.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Writes a tarball for each into `folder`, which is there already. @returns the version of the command line */
export function packCommandLine(folder) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  execFileSync(process.execPath, [join(root, 'tools', 'setup.mjs')], { cwd: root, stdio: 'inherit' });
  const pack = ['--filter', 'rungar...', 'pack', '--pack-destination', folder];
  execFileSync('npx', ['--yes', '--prefer-offline', packageManager, ...pack], { cwd: root, stdio: 'pipe' });
  return JSON.parse(readFileSync(join(root, 'packages', 'cli', 'package.json'), 'utf8')).version;
}
