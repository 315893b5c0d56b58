#!/usr/bin/env node
// Runs the soak, which is written in TypeScript, against the packages' sources.
import { bundled } from '../simulation/bundle.mjs';

const { main } = await bundled(new URL('./main.ts', import.meta.url));
process.exitCode = await main(process.argv.slice(2));
