import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { count, positive, whole, withUsage } from '../simulation/usage.js';
import { runChaos } from './run.js';

const USAGE = `npm run chaos -- [--seed N] [--minutes M] [--runs R] [--speed S] [--processes] [--logs FOLDER] [--quiet]
  --minutes  of the world's time, before all trouble ends (default 60)
  --speed    how much faster than the host's the world's time passes (default 12)
  --runs     how many seeds to run, from --seed on (default 1)
  --processes  daemons are processes of their own (the built program), and time passes as the host's does
  --logs     where to write what the daemons logged`;

/** @returns the exit code: 1 when something was that must not be, 2 for wrong arguments */
export const main = (args: readonly string[]): Promise<number> => withUsage(() => run(args));

async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '60' },
      runs: { type: 'string', default: '1' },
      speed: { type: 'string', default: '12' },
      logs: { type: 'string' },
      processes: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const first = whole('--seed', values.seed);
  const runs = count('--runs', values.runs);
  const minutes = positive('--minutes', values.minutes);
  const speed = positive('--speed', values.speed);
  let found = 0;
  for (let seed = first; seed < first + runs; seed++) {
    const lines: string[] = [];
    const say = (line: string): void => {
      lines.push(line);
      if (!values.quiet) process.stdout.write(`${line}\n`);
    };
    const began = performance.now();
    const result = await runChaos({
      seed,
      minutes,
      speed,
      processes: values.processes,
      say,
    });
    const { violations, jobs, machines, kills, troubles, peakMiB } = result;
    const seconds = Math.round((performance.now() - began) / 1000);
    const heap = Math.round(process.memoryUsage().heapUsed / 2 ** 20);
    const memory = values.processes ? `, daemon at most ${peakMiB} MiB` : `, heap ${heap} MiB`;
    process.stdout.write(
      `seed ${seed}: ${jobs} jobs, ${machines} launches asked for, ${troubles} troubles, ${kills} kills, ` +
        `${violations.length} violations, ${seconds} s${memory}\n`,
    );
    for (const { at, rule, what } of violations) process.stdout.write(`  ${at} s: ${rule}: ${what}\n`);
    found += violations.length;
    if (values.logs === undefined) continue;
    await mkdir(values.logs, { recursive: true });
    await writeFile(join(values.logs, `seed-${seed}.txt`), `${lines.join('\n')}\n`);
    for (const [name, text] of result.logs) await writeFile(join(values.logs, `seed-${seed}-${name}.log`), text);
  }
  return found === 0 ? 0 : 1;
}
