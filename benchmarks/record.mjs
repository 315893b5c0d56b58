#!/usr/bin/env node
// Measures everything for docs/performance.md, which takes a quarter of an hour on a machine that does nothing else:
//   npm run bench:record            all of it, and starts and sizes on Node.js 22 and 24 too
//   npm run bench:record -- 22 24   those alone
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Starts, sizes and what is loaded: what differs from one Node.js to the next. */
const STARTS = ['P37', 'P38', 'P39', 'P40', 'P41'];
const OTHERS = ['22', '24'];
const SEED = '20270104';

const here = import.meta.dirname;
const asked = process.argv.slice(2);
const wrong = asked.find((version) => !OTHERS.includes(version));
if (wrong !== undefined) {
  process.stderr.write(`Error: ${wrong} is none of ${OTHERS.join(', ')}\n`);
  process.exit(64);
}

const bench = (/** @type {string[]} */ node, /** @type {string} */ name, /** @type {string[]} */ ids) => {
  const file = join(here, 'results', `${name}.json`);
  const [command = '', ...more] = node;
  const args = [...more, join(here, 'run.mjs'), ...ids, '--seed', SEED, '--json', file];
  const { status } = spawnSync(command, args, { stdio: 'inherit', cwd: join(here, '..') });
  if (!existsSync(file)) throw new Error(`${name}: nothing was measured (exit code ${status})`);
  const failed = JSON.parse(readFileSync(file, 'utf8')).rows.filter(({ verdict }) => verdict === 'failed');
  for (const { id, what, failure } of failed) process.stderr.write(`${id} ${what} failed: ${failure}\n`);
  if (failed.length > 0) process.exitCode = 1;
};

if (asked.length === 0) bench([process.execPath], 'last-run', []);
for (const version of asked.length > 0 ? asked : OTHERS)
  bench(['npx', '--yes', `node@${version}`], `node-${version}`, STARTS);
