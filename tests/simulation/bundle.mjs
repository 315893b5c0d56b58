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
  let patched = 0;
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
              if (!id.endsWith(`/packages/reconciler/src/${mutant.file}`)) return undefined;
              if (code.split(mutant.from).length !== 2)
                throw new Error(`${mutant.name}: ${mutant.file} has this text not once: ${mutant.from}`);
              patched++;
              return { code: code.replace(mutant.from, () => mutant.to), map: null };
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
  if (mutant && patched !== 1) throw new Error(`${mutant.name}: ${mutant.file} is no part of the bundle`);
  return pathToFileURL(`${outDir}/main.mjs`).href;
}
