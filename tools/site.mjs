// Builds the site into site/dist, the API's pages included, and looks at it in a Chromium where this host has one.
// Its tools are installed here and not with the workspace, which they would make a third larger.
import { spawn } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkSite } from './check-site.mjs';
import { root } from './generate/source.mjs';

const site = join(root, 'site');
const dist = join(site, 'dist');

try {
  await build();
  // Under another base the pages ask for what this host does not have.
  const { pages, faults, skipped } = await checkSite(dist, { look: process.env.SITE_BASE === undefined });
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.stdout.write(`${pages} pages in site/dist, ${faults.length} faults${skipped ? `; ${skipped}` : ''}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function build() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const pnpm = ['--yes', '--prefer-offline', packageManager];
  rmSync(dist, { recursive: true, force: true });
  await run('npx', [...pnpm, 'install', '--ignore-workspace', '--frozen-lockfile', '--prefer-offline'], site);
  const built = await Promise.allSettled([
    run(join(root, 'node_modules/.bin/typedoc'), [], root),
    run(join(site, 'node_modules/.bin/vitepress'), ['build'], site),
  ]);
  for (const one of built) if (one.status === 'rejected') throw one.reason;
  cpSync(join(root, 'docs/api'), join(dist, 'api'), { recursive: true });
}

/** Runs a program with its output held back. @throws Error with all of that when the program fails */
async function run(program, args, cwd) {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  await new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) => {
      if (code === 0) done();
      else fail(new Error(`${output}\n${program} ended with ${code ?? signal}`));
    });
  });
}
