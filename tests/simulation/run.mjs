#!/usr/bin/env node
// Runs the simulation, which is written in TypeScript, against the packages' sources.
import { load } from './bundle.mjs';
import { hunt, wrongPart } from './hunt.mjs';

const args = process.argv.slice(2);
const { main, mutants, UsageError, withUsage } = await load();
process.exitCode = args.includes('--mutants')
  ? await withUsage(() => {
      const wrong = wrongPart(mutants, args);
      if (wrong !== undefined) throw new UsageError(wrong);
      return hunt(mutants, args);
    })
  : await main(args);
