// What the workspace holds: its packages, in an order in which each comes after what it needs.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** @typedef {{ name: string, folder: string, manifest: any, needs: string[] }} WorkspacePackage */

/**
 * Every package under packages/, each after the workspace packages it is built against.
 * @param {string} root
 * @returns {WorkspacePackage[]}
 */
export function packagesInOrder(root) {
  const all = readdirSync(join(root, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, 'packages', entry.name, 'package.json')))
    .map((entry) => readPackage(join(root, 'packages', entry.name)));
  const byName = new Map(all.map((one) => [one.name, one]));
  /** @type {Set<WorkspacePackage>} */
  const ordered = new Set();
  const visit = (one, path) => {
    if (ordered.has(one)) return;
    if (path.includes(one.name))
      throw new Error(`workspace packages need each other in a circle: ${[...path, one.name].join(' -> ')}`);
    for (const name of one.needs) visit(byName.get(name), [...path, one.name]);
    ordered.add(one);
  };
  for (const one of all) visit(one, []);
  return [...ordered];
}

function readPackage(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const built = { ...manifest.dependencies, ...manifest.devDependencies };
  const needs = Object.entries(built)
    .filter(([, range]) => String(range).startsWith('workspace:'))
    .map(([name]) => name);
  return { name: manifest.name, folder, manifest, needs };
}

/** Files below `folder` that a build reads: no tests, no output. */
export function sourceFiles(folder) {
  const found = [];
  const walk = (at) => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) {
        if (!['node_modules', 'dist', 'gen', 'test', 'fixtures', 'coverage'].includes(entry.name)) walk(path);
      } else if (!/\.(test|spec)\.ts$|\.md$/.test(entry.name)) found.push(path);
    }
  };
  walk(folder);
  return found.sort();
}

/** One hash over the names and contents of `files` and over `more`. */
export function hashOf(root, files, more = []) {
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(relative(root, file)).update('\0');
    hash.update(readFileSync(file)).update('\0');
  }
  for (const text of more) hash.update(text).update('\0');
  return hash.digest('hex');
}
