#!/usr/bin/env node
// Runs the benchmarks.
import { runBundled } from './bundled.mjs';

await runBundled('src/main.ts', './dist/main.js');
