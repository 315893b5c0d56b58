// Puts deliberate faults into the code, one at a time, and sees whether the simulation catches them.
import { load } from './bundle.mjs';

/** Runs a fault may take to be caught; most take a few. */
const MOST_SEEDS = 100;

/**
 * @param {import('./mutants.js').Mutant} mutant
 * @returns {Promise<{ seed: number, rule: string } | undefined>} what caught it
 */
export async function caught(mutant, mostSeeds = MOST_SEEDS) {
  const { simulate } = await load(mutant);
  for (let seed = 1; seed <= mostSeeds; seed++) {
    const { violations } = await simulate({ seed, size: 'small' });
    if (violations.length > 0) return { seed, rule: violations[0].rule };
  }
  return undefined;
}

/**
 * @param {readonly import('./mutants.js').Mutant[]} mutants
 * @param {readonly string[]} args a part of a name, to try only those
 * @returns {Promise<number>} the exit code: 1 when one was not caught
 */
export async function hunt(mutants, args) {
  const part = partIn(args) ?? '';
  let missed = 0;
  for (const mutant of mutants.filter(({ name }) => name.includes(part))) {
    let how;
    try {
      const found = await caught(mutant);
      how = found ? `caught by seed ${found.seed}: ${found.rule}` : 'NOT CAUGHT';
      if (!found) missed++;
    } catch (error) {
      how = `cannot be put in: ${error.message}`;
      missed++;
    }
    process.stdout.write(`${mutant.name}: ${how}\n`);
  }
  return missed === 0 ? 0 : 1;
}

/** @param {readonly string[]} args */
const partIn = (args) => args.find((arg) => !arg.startsWith('-'));

/**
 * @param {readonly import('./mutants.js').Mutant[]} mutants
 * @param {readonly string[]} args
 * @returns {string | undefined} what is wrong with the arguments
 */
export function wrongPart(mutants, args) {
  const option = args.find((arg) => arg.startsWith('-') && arg !== '--mutants');
  if (option !== undefined) return `--mutants goes with a part of a name alone, not with "${option}"`;
  const part = partIn(args);
  if (part !== undefined && !mutants.some(({ name }) => name.includes(part)))
    return `no fault has "${part}" in its name`;
  return undefined;
}
