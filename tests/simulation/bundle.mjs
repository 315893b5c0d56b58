// Bundles the simulation with the packages' sources, perhaps with a deliberate fault in one of them.
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, loadConfigFromFile } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @param {import('./mutants.js').Mutant} [mutant]
 * @returns {Promise<string>} the address of the module
 */
export async function bundle(mutant) {
  const name = mutant ? createHash('sha256').update(JSON.stringify(mutant)).digest('hex').slice(0, 12) : 'sim';
  const outDir = fileURLToPath(new URL(`./dist/${name}-${process.pid}`, import.meta.url));
  mkdirSync(outDir, { recursive: true });
  // The names of the packages lead to their sources, as in the tests.
  const tests = await loadConfigFromFile({ command: 'build', mode: 'test' }, `${root}vitest.config.ts`);
  const missing = new Set(mutant?.patches);
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    resolve: tests?.config.resolve ?? {},
    oxc: { target: 'node20' },
    plugins: mutant
      ? [
          {
            name: 'mutant',
            enforce: 'pre',
            transform(code, id) {
              const patches = mutant.patches.filter(({ file }) => id.endsWith(`/packages/reconciler/src/${file}`));
              if (patches.length === 0) return undefined;
              let patched = code;
              for (const patch of patches) {
                if (patched.split(patch.from).length !== 2)
                  throw new Error(`${mutant.name}: ${patch.file} has this not exactly once: ${patch.from}`);
                patched = patched.replace(patch.from, () => patch.to);
                missing.delete(patch);
              }
              return { code: patched, map: null };
            },
          },
        ]
      : [],
    build: {
      ssr: fileURLToPath(new URL('./main.ts', import.meta.url)),
      outDir,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      rollupOptions: { output: { entryFileNames: 'main.mjs' } },
    },
    ssr: { noExternal: true },
  });
  for (const { file } of missing) throw new Error(`${mutant?.name}: ${file} is no part of the bundle`);
  return pathToFileURL(`${outDir}/main.mjs`).href;
}
