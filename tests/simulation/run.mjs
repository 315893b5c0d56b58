#!/usr/bin/env node
// Runs the simulation, which is written in TypeScript, against the packages' sources.
import { bundle } from './bundle.mjs';

const { main } = await import(await bundle());
process.exitCode = await main(process.argv.slice(2));
