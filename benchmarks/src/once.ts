import type { Lab } from './benchmark.js';

/** Runs `work` once for all measurements of one run that look at its outcome from several sides. */
export function oncePerRun<Outcome>(work: (lab: Lab) => Promise<Outcome>): (lab: Lab) => Promise<Outcome> {
  const outcomes = new WeakMap<Lab, Promise<Outcome>>();
  return (lab) => {
    const outcome = outcomes.get(lab) ?? work(lab);
    outcomes.set(lab, outcome);
    return outcome;
  };
}
