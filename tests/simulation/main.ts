import { parseArgs } from 'node:util';
import type { Fault } from './faults.js';
import type { Size } from './shape.js';
import { type SimulationResult, simulate } from './simulate.js';
import { jsonOf, Summary, storyLines } from './summary.js';
import { count, positive, UsageError, whole, withUsage } from './usage.js';

export { mutants } from './mutants.js';
export { simulate } from './simulate.js';
export { UsageError, withUsage } from './usage.js';

const USAGE = `npm run sim -- [--seed N] [--seeds N] [--jobs N] [--minutes M] [--size small|large] [--trace] [--json] [--mutants]
  --seed     the first seed (default 1); alone, the only one
  --seeds    how many seeds to run
  --jobs     go on until so many jobs have ended
  --minutes  go on for so long on this host
  --size     small fleets, which meet their limits all the time, or large ones, which run many jobs (default: in turn)
  --trace    print the whole story of what a violation is about
  --quick    do not look for the least that makes a violation happen
  --json     print the summary as JSON
  --mutants  put deliberate faults into the code, one at a time, and see that each is caught`;

/** @returns the exit code: 1 when something was that must not be, 2 for wrong arguments */
export const main = (args: readonly string[]): Promise<number> => withUsage(() => run(args));

async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string' },
      jobs: { type: 'string' },
      minutes: { type: 'string' },
      size: { type: 'string' },
      trace: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const first = whole('--seed', values.seed ?? '1');
  const alone =
    values.seed !== undefined &&
    values.seeds === undefined &&
    values.jobs === undefined &&
    values.minutes === undefined;
  const wantedJobs = values.jobs === undefined ? Infinity : count('--jobs', values.jobs);
  const minutes = values.minutes === undefined ? Infinity : positive('--minutes', values.minutes);
  const limited = wantedJobs < Infinity || minutes < Infinity;
  const usual = alone ? 1 : limited ? Infinity : 20;
  const seeds = values.seeds === undefined ? usual : count('--seeds', values.seeds);
  const wantedSize = sizeIn(values.size);
  const until = performance.now() + minutes * 60_000;
  const summary = new Summary();
  let ended = false;
  // The run under way is finished, and what there is is summed up.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (ended = true));
  const say = (text: string): void => void (values.json || process.stdout.write(text));
  for (
    let seed = first;
    seed < first + seeds && !ended && summary.jobs < wantedJobs && performance.now() < until;
    seed++
  ) {
    const size = sizeOf(seed, wantedSize);
    const result = await simulate({ seed, size, stacks: values.trace });
    summary.add(result);
    if (result.violations.length > 0)
      say(await failureText(result, values.trace, !values.quick && summary.failed.length <= SHRUNK));
    if (process.stdout.isTTY) say(`\r\u001b[K${summary.line()}`);
  }
  if (process.stdout.isTTY) say('\r\u001b[K');
  process.stdout.write(values.json ? `${JSON.stringify(jsonOf(summary))}\n` : summary.text());
  return summary.violations === 0 ? 0 : 1;
}

function sizeIn(text: string | undefined): Size | undefined {
  if (text === undefined || text === 'small' || text === 'large') return text;
  throw new UsageError(`--size takes small or large, not "${text}"`);
}

/** Every fourth run is of a small fleet. */
export const sizeOf = (seed: number, wanted?: Size): Size => wanted ?? (seed % 4 === 0 ? 'small' : 'large');

/** So many failures are told with the least that makes them happen. */
const SHRUNK = 2;

async function failureText(result: SimulationResult, whole: boolean, shrink: boolean): Promise<string> {
  const { seed, size, violations } = result;
  const lines = [`\nseed ${seed} (${size}):`];
  for (const { at, rule, subject, what } of violations)
    lines.push(`  ${(at / 1000).toFixed(1)} s  ${rule}: ${subject}: ${what}`);
  if (shrink) lines.push(`  with nothing but: ${[...(await shrunk(result))].join(', ')}`);
  lines.push(...storyLines(result.story.slice(whole ? 0 : -25)));
  lines.push(`  again: npm run sim -- --seed ${seed} --size ${size} --trace`);
  return `${lines.join('\n')}\n`;
}

/** The faults without which it does not happen: each other kind is left out, as long as the same rule is broken. */
async function shrunk({ seed, size, violations, faults }: SimulationResult): Promise<ReadonlySet<Fault>> {
  const [first] = violations;
  const struck = new Set(faults.keys());
  const without = new Set<Fault>();
  const end = performance.now() + 20_000;
  for (const fault of struck) {
    if (!first || performance.now() > end) break;
    const fewer = await simulate({ seed, size, without: new Set([...without, fault]) });
    if (fewer.violations.some(({ rule }) => rule === first.rule)) without.add(fault);
  }
  return new Set([...struck].filter((fault) => !without.has(fault)));
}
