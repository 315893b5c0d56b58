#!/usr/bin/env node
// Puts a daemon under load: written in TypeScript, and run against the packages as they are built in dist/.
import { build } from 'esbuild';

const compiled = new URL('./dist/load.js', import.meta.url);

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ['src/load/main.ts'],
  outfile: 'dist/load.js',
  bundle: true,
  packages: 'external',
  tsconfigRaw: {},
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  logLevel: 'warning',
});
await import(compiled.href);
