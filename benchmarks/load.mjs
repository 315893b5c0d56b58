#!/usr/bin/env node
// Puts a daemon under load.
import { runBundled } from './bundled.mjs';

await runBundled('src/load/main.ts', './dist/load.js');
