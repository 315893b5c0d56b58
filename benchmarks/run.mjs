#!/usr/bin/env node
// Runs the benchmarks, which are written in TypeScript, against the packages as they are built in dist/.
import { build } from 'esbuild';

const compiled = new URL('./dist/main.js', import.meta.url);

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['src/main.ts'],
  outfile: 'dist/main.js',
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
await import(compiled.href);
