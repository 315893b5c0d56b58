import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm run load -- [--runners 1000] [--scale-sets 200] [--followers 100] [--seconds 180] [--jobs-per-second 4]

Runs a daemon over emulated services: so many idle runners, jobs that replace some all the time, followers of its events,
and its status asked in a loop. Prints CPU, memory and latency; exits 1 when the heap has grown.`;

export interface LoadOptions {
  readonly runners: number;
  readonly scaleSets: number;
  readonly followers: number;
  readonly seconds: number;
  readonly jobsPerSecond: number;
}

/** @throws when a flag is unknown or no whole number from 1 */
export function readOptions(args: readonly string[]): LoadOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runners: { type: 'string', default: '1000' },
      'scale-sets': { type: 'string', default: '200' },
      followers: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '180' },
      'jobs-per-second': { type: 'string', default: '4' },
    },
  });
  const number = (name: keyof typeof values): number => {
    if (!/^[1-9]\d{0,5}$/.test(values[name])) throw new Error(`--${name} ${values[name]}: want a whole number from 1.`);
    return Number(values[name]);
  };
  return {
    runners: number('runners'),
    scaleSets: number('scale-sets'),
    followers: number('followers'),
    seconds: number('seconds'),
    jobsPerSecond: number('jobs-per-second'),
  };
}
