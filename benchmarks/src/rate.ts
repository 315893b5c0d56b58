import type { Random } from '@rungar/model';
import { seededRandom } from '@rungar/model/testing';
import type { Lab, Measurement } from './benchmark.js';
import { compare, type Round } from './measure.js';

const ROUND_MS = 60;

/** Ours and what it is compared with, over the same inputs. */
export interface RateComparison<Input> {
  readonly what: string;
  /** Made from the seed; the outcome is checked on them before anything is timed. */
  readonly inputs: (random: Random) => readonly Input[];
  readonly check: (input: Input) => void;
  readonly ours: (input: Input) => unknown;
  readonly reference: (input: Input) => unknown;
  readonly target: number;
  readonly bar: number;
}

/** How many inputs ours gets through in a second of CPU, compared with the reference in the same process. */
export function rate<Input>({ what, target, bar, ...comparison }: RateComparison<Input>): Measurement {
  return {
    what,
    async run(lab) {
      const inputs = comparison.inputs(seededRandom(lab.seed));
      for (const input of inputs) comparison.check(input);
      const times = await compare(
        roundOver(lab, inputs, comparison.ours),
        roundOver(lab, inputs, comparison.reference),
      );
      return {
        unit: '/s',
        ours: 1000 / times.oursMs,
        reference: 1000 / times.referenceMs,
        // The times' ratio turned round is the rates'.
        ratio: 1 / times.ratio,
        spread: { min: 1 / times.max, max: 1 / times.min },
        better: 'higher',
        target,
        bar,
      };
    },
  };
}

/** How much CPU ours takes for an input, compared with the reference in the same process. */
export function cost<Input>({ what, target, bar, ...comparison }: RateComparison<Input>): Measurement {
  return {
    what,
    async run(lab) {
      const inputs = comparison.inputs(seededRandom(lab.seed));
      for (const input of inputs) comparison.check(input);
      const times = await compare(
        roundOver(lab, inputs, comparison.ours),
        roundOver(lab, inputs, comparison.reference),
      );
      return {
        unit: 'ms',
        ours: times.oursMs,
        reference: times.referenceMs,
        ratio: times.ratio,
        spread: { min: times.min, max: times.max },
        better: 'lower',
        target,
        bar,
      };
    },
  };
}

/** A round that goes over all inputs as often as fits its time, and gives the CPU time that one input took. */
function roundOver<Input>(lab: Lab, inputs: readonly Input[], work: (input: Input) => unknown): Round {
  return () => {
    // Results are kept until the round is over, so that no work can be left out as unused.
    const results: unknown[] = new Array(inputs.length);
    const start = lab.cpu();
    let count = 0;
    let now = start;
    do {
      for (let at = 0; at < inputs.length; at++) results[at] = work(inputs[at] as Input);
      count += inputs.length;
      now = lab.cpu();
    } while (now - start < ROUND_MS);
    if (results.includes(undefined)) throw new Error('a result is missing');
    return (now - start) / count;
  };
}
