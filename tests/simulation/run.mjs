#!/usr/bin/env node
// Runs the simulation, which is written in TypeScript, against the packages' sources.
import { load } from './bundle.mjs';
import { hunt } from './hunt.mjs';

const args = process.argv.slice(2);
const { main, mutants } = await load();
process.exitCode = args.includes('--mutants') ? await hunt(mutants, args) : await main(args);
