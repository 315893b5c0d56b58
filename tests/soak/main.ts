import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { storyLines } from '../simulation/summary.js';
import { fileToWrite, positive, whole, withUsage } from '../simulation/usage.js';
import { plot } from './plot.js';
import { reportText } from './report.js';
import type { MemorySeen, SoakResult } from './result.js';
import { type Soaked, soak } from './soak.js';

const USAGE = `npm run soak -- [--days N] [--hours N] [--seed N] [--jobs N] [--json FILE] [--svg FILE]
  --days   how long, of the organisation's time (default 7)
  --hours  the same in hours
  --seed   what all chance comes from (default 1)
  --jobs   jobs an hour, the mean over a week (default 2000)
  --json   where to write the result
  --svg    where to draw it`;

/** @returns the exit code: 1 when something was that must not be, 2 for wrong arguments */
export const main = (args: readonly string[]): Promise<number> => withUsage(() => run(args));

async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      days: { type: 'string' },
      hours: { type: 'string' },
      seed: { type: 'string', default: '1' },
      jobs: { type: 'string', default: '2000' },
      json: { type: 'string' },
      svg: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const hours = positive('--hours', values.hours ?? String(24 * positive('--days', values.days ?? '7')));
  const seed = whole('--seed', values.seed);
  const jobs = positive('--jobs', values.jobs);
  await fileToWrite('--json', values.json);
  await fileToWrite('--svg', values.svg);
  const { result, story } = await measured(hours, seed, jobs);
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(result)}\n`);
  if (values.svg !== undefined) await writeFile(values.svg, plot(result));
  process.stdout.write(reportText(result));
  if (story.length > 0)
    process.stdout.write(`${['', 'What came before the first:', ...storyLines(story)].join('\n')}\n`);
  return result.violations.length === 0 ? 0 : 1;
}

async function measured(
  hours: number,
  seed: number,
  jobsPerHour: number,
): Promise<{ readonly result: SoakResult; readonly story: Soaked['story'] }> {
  const memory: MemorySeen[] = [memoryAt(0)];
  const before = process.cpuUsage();
  const { result, story } = await soak({
    seed,
    hours,
    jobsPerHour,
    onHour(hour, jobs, violations) {
      if (hour % 24 === 0) memory.push(memoryAt(hour / 24));
      show(`day ${Math.ceil(hour / 24)} of ${Math.ceil(hours / 24)}: ${jobs} jobs, ${violations} violations`);
    },
  });
  show('');
  const { user, system } = process.cpuUsage(before);
  const host = { node: process.versions.node, cpuSeconds: Math.round((user + system) / 1e6), memory };
  return { result: { ...result, host }, story };
}

function memoryAt(day: number): MemorySeen {
  // Twice: what the first one finalizes, the second one frees.
  for (let round = 0; round < 2; round++) globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const inMiB = (bytes: number): number => Math.round((bytes / 2 ** 20) * 10) / 10;
  return { day, heapMiB: inMiB(heapUsed), rssMiB: inMiB(rss) };
}

/** One passing line, where somebody looks. */
function show(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
}
