import { build } from 'esbuild';

/** Runs a program of src/, which is written in TypeScript, against the packages as they are built in dist/. */
export async function runBundled(entry, outfile) {
  await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: [entry],
    outfile,
    bundle: true,
    packages: 'external',
    // The repository's own tsconfig leads from the packages' names to their sources.
    tsconfigRaw: {},
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  await import(new URL(outfile, import.meta.url).href);
}
