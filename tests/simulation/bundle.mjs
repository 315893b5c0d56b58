// Bundles what runs in virtual time with the packages' sources, perhaps with a deliberate fault in one of them.
import { rm } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, loadConfigFromFile } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));
let bundles = 0;

/**
 * @param {import('./mutants.js').Mutant} [mutant]
 * @returns {Promise<typeof import('./main.js')>}
 * @throws when a text of the fault is not, or not once, where it should be
 */
export function load(mutant) {
  return bundled(new URL('./main.ts', import.meta.url), mutant ? [patching(mutant)] : []);
}

/**
 * @param {URL} entry a TypeScript module
 * @param {import('vite').Plugin[]} [plugins]
 * @returns {Promise<any>} its exports
 */
export async function bundled(entry, plugins = []) {
  const outDir = fileURLToPath(new URL(`./dist/${process.pid}-${++bundles}`, import.meta.url));
  // The names of the packages lead to their sources, as in the tests.
  const tests = await loadConfigFromFile({ command: 'build', mode: 'test' }, `${root}vitest.config.ts`);
  try {
    await build({
      root,
      configFile: false,
      logLevel: 'silent',
      resolve: tests?.config.resolve ?? {},
      oxc: { target: 'node20' },
      plugins,
      build: {
        ssr: fileURLToPath(entry),
        outDir,
        target: 'node20',
        minify: false,
        rollupOptions: { output: { entryFileNames: 'main.mjs' } },
      },
      ssr: { noExternal: true },
    });
    return await import(/* @vite-ignore */ pathToFileURL(`${outDir}/main.mjs`).href);
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

/** @param {import('./mutants.js').Mutant} mutant */
function patching({ name, patches }) {
  const missing = new Set(patches);
  return {
    name: 'mutant',
    enforce: 'pre',
    transform(code, id) {
      let patched = code;
      for (const patch of patches) {
        if (!id.endsWith(`/packages/reconciler/src/${patch.file}`)) continue;
        if (patched.split(patch.from).length !== 2)
          throw new Error(`${name}: ${patch.file} has this not exactly once: ${patch.from}`);
        patched = patched.replace(patch.from, () => patch.to);
        missing.delete(patch);
      }
      return patched === code ? undefined : { code: patched, map: null };
    },
    buildEnd() {
      for (const { file } of missing) throw new Error(`${name}: ${file} is no part of the simulation`);
    },
  };
}
