import { join } from 'node:path';
import { systemClock } from '@rungar/model';
import { type LoadOptions, readOptions, USAGE } from './options.js';
import { hasGrown, type LoadResult, runLoad } from './run.js';

const { argv, env, execPath, stdout, stderr } = process;

const MEBIBYTE = 1024 * 1024;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const mebibytes = (bytes: number): string => `${(bytes / MEBIBYTE).toFixed(1)} MiB`;

process.exitCode = await main(argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: LoadOptions;
  try {
    options = readOptions(args);
  } catch (error) {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`);
    return 64;
  }
  const root = join(import.meta.dirname, '..', '..');
  const lab = { seed: 0, now: systemClock.now, cpu: () => 0, node: execPath, root, env };
  const result = await runLoad(options, lab);
  stdout.write(`${report(options, result).join('\n')}\n`);
  return hasGrown(result) ? 1 : 0;
}

function report(options: LoadOptions, result: LoadResult): string[] {
  const { first, last, statusMs, betweenMs, jobs } = result;
  const percentile = (share: number): string =>
    `${(statusMs[Math.floor((statusMs.length - 1) * share)] ?? Number.NaN).toFixed(0)} ms`;
  const busy = ((last.cpuMs - first.cpuMs) / betweenMs) * 100;
  return [
    `${options.runners} runners of ${options.scaleSets} scale sets idle after ${seconds(result.fillMs)}; at the end ${result.idleAtEnd}`,
    `jobs     ${jobs.queued} queued, ${jobs.completed} done`,
    `CPU      ${busy.toFixed(1)} % of one for ${seconds(betweenMs)}`,
    `RSS      ${mebibytes(first.rssBytes)}, at the end ${mebibytes(last.rssBytes)}`,
    `heap     ${mebibytes(first.heapBytes)}, at the end ${mebibytes(last.heapBytes)}: ${hasGrown(result) ? 'it has grown' : 'it has not grown'}`,
    `status   p50 ${percentile(0.5)}, p95 ${percentile(0.95)}, longest ${percentile(1)}, ${statusMs.length} times`,
    `events   ${result.received} received by ${options.followers} followers`,
  ];
}
