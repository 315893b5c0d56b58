// Packs the packages of the command line and builds the image from them: node deploy/docker/build.mjs [TAG]
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packCommandLine } from '../pack.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const tag = process.argv[2] ?? 'rungar:dev';
const context = mkdtempSync(join(tmpdir(), 'rungar-image-'));
try {
  mkdirSync(join(context, 'tarballs'));
  mkdirSync(join(context, 'empty'));
  packCommandLine(join(context, 'tarballs'));
  copyFileSync(join(here, 'Dockerfile'), join(context, 'Dockerfile'));
  execFileSync('docker', ['build', '--tag', tag, context], { stdio: 'inherit' });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(context, { recursive: true, force: true });
}
