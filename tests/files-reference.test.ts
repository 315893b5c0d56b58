import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitEnvironment } from '../packages/dispat-k8s/src/demand/git.js';

// docs/reference/files.md has whatever the programs take from their environment, and every place they look at by
// themselves.

const root = resolve(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/reference/files.md'), 'utf8');

interface Source {
  readonly path: string;
  readonly text: string;
}

/** Every source of the packages, tests and comments left out. */
const sources: readonly Source[] = readdirSync(join(root, 'packages'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  .filter((path) => /^packages\/[^/]+\/src\//.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8').replace(/^ *(?:\/\*|\*|\/\/).*$/gm, '') }));

/** The variables a source names: those it looks up as members, and where it looks one up by an expression, any. */
function variablesIn({ text }: Source): readonly string[] {
  const members = [...text.matchAll(/\b(?:env|environment)\??\.([A-Z][A-Z0-9_]+)\b/g)];
  const computed = /\b(?:env|environment)\[/.test(text) ? [...text.matchAll(/'([A-Z]+_[A-Z0-9_]+)'/g)] : [];
  const told = [...text.matchAll(/\b(DWM_[A-Z]+):/g)];
  return [...members, ...computed, ...told].map(([, name = '']) => name);
}

/** The places a source knows without being told. What only shows how an answer could look is none. */
function placesIn({ text }: Source): readonly string[] {
  return text
    .split('\n')
    .filter((line) => !/\bexample: /.test(line))
    .flatMap((line) => [...line.matchAll(/'(\/(?:etc|home|run|var)\/[^']+)'/g)].map(([, place = '']) => place));
}

function missing(names: Iterable<string>): readonly string[] {
  return [...new Set(names)].filter((name) => !page.includes(`\`${name}\``) && !page.includes(`\`${name}/`));
}

test.each([
  ["process.env.FOO ?? ''", ['FOO']],
  ['const { a } = env; env?.BAR_2 || environment.BAZ', ['BAR_2', 'BAZ']],
  ["env[name] ?? read('SOME_PROXY')", ['SOME_PROXY']],
  ["read('NOT_LOOKED_UP')", []],
])('the search finds the variables of %s', (text, names) => {
  expect(variablesIn({ path: 'x.ts', text })).toEqual(names);
});

describe('the page of files and environment', () => {
  test('has every variable that a source of the packages looks up', () => {
    const names = sources.flatMap(variablesIn);
    expect(names).toEqual(expect.arrayContaining(['RUNGAR_SOCKET', 'STATE_DIRECTORY', 'KUBECONFIG', 'NO_PROXY']));
    expect(missing(names)).toEqual([]);
  });

  test('has every variable that git is given', () => {
    expect(missing(Object.keys(gitEnvironment({})))).toEqual([]);
  });

  test('has every place that a program looks at by itself', () => {
    // An emulator's own hosts are no place of this one.
    const places = sources.filter(({ path }) => !path.startsWith('packages/emulators/')).flatMap(placesIn);
    expect(places).toEqual(expect.arrayContaining(['/etc/rungar/config.yaml', '/run/rungar/rungar.sock']));
    expect(missing(places)).toEqual([]);
  });
});
