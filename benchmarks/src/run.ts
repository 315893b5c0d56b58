import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Benchmark, Lab, Measurement } from './benchmark.js';
import { isNoisy, judge } from './judge.js';
import { type Host, lines, type Report, type Row, toJson } from './report.js';

const USAGE = `Usage: npm run bench -- [P30 …] [--kind virtual|real] [--seed N] [--json FILE|-] [--check]

Compares what is built in packages/*/dist with the references of each benchmark.
--check exits 1 when a bar is missed.`;

interface Choice {
  readonly benchmarks: readonly Benchmark[];
  readonly seed: number | undefined;
  readonly json: string | undefined;
  readonly check: boolean;
}

/**
 * Runs the benchmarks asked for.
 * @returns the exit code: 0 done, 1 an outcome was wrong or (with `--check`) a bar was missed, 64 wrong usage
 */
export async function runBenchmarks(
  all: readonly Benchmark[],
  args: readonly string[],
  lab: Lab,
  host: Host,
  print: (text: string) => void,
): Promise<number> {
  let choice: Choice;
  try {
    choice = choose(all, args);
  } catch (error) {
    print(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`);
    return 64;
  }
  const seeded = { ...lab, seed: choice.seed ?? lab.seed };
  const show = choice.json === '-' ? () => {} : print;
  show(`seed ${seeded.seed} (repeat with --seed ${seeded.seed})\n\n`);
  const reports: Report[] = [];
  for (const benchmark of choice.benchmarks) {
    const rows: Row[] = [];
    for (const measurement of benchmark.measurements) rows.push(await measure(measurement, seeded));
    reports.push({ benchmark, rows });
    show(`${lines({ benchmark, rows }).join('\n')}\n`);
  }
  if (choice.json === '-') print(toJson(reports, seeded.seed, host));
  else if (choice.json !== undefined) await writeFile(choice.json, toJson(reports, seeded.seed, host));
  const rows = reports.flatMap((report) => report.rows);
  const failed = rows.some((row) => 'failure' in row);
  const missed = rows.some((row) => 'verdict' in row && row.verdict === 'missed');
  return failed || (choice.check && missed) ? 1 : 0;
}

function choose(all: readonly Benchmark[], args: readonly string[]): Choice {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      kind: { type: 'string' },
      seed: { type: 'string' },
      json: { type: 'string' },
      check: { type: 'boolean', default: false },
    },
  });
  const ids = positionals.map((id) => id.toUpperCase());
  const unknown = ids.find((id) => !all.some((benchmark) => benchmark.id === id));
  if (unknown !== undefined) {
    throw new Error(`There is no benchmark ${unknown}; there are ${all.map(({ id }) => id).join(', ')}.`);
  }
  const { kind, seed } = values;
  if (kind !== undefined && kind !== 'virtual' && kind !== 'real')
    throw new Error(`--kind ${kind}: want virtual or real.`);
  if (seed !== undefined && !/^\d{1,10}$/.test(seed)) throw new Error(`--seed ${seed}: want a whole number.`);
  return {
    benchmarks: all.filter((one) => (ids.length === 0 || ids.includes(one.id)) && (kind ?? one.kind) === one.kind),
    seed: seed === undefined ? undefined : Number(seed),
    json: values.json,
    check: values.check,
  };
}

/** Measures, and once more when the first time was too noisy to tell anything. */
async function measure({ what, run }: Measurement, lab: Lab): Promise<Row> {
  try {
    let result = await run(lab);
    if (isNoisy(result)) result = await run(lab);
    return { what, result, verdict: judge(result) };
  } catch (error) {
    return { what, failure: withoutPaths(error instanceof Error ? error.message : String(error), lab) };
  }
}

/** Results are kept and shown: where they were measured is nobody's business. */
const withoutPaths = (text: string, { root, node }: Lab): string =>
  [
    [node, 'node'],
    [root, '.'],
  ].reduce((rest, [path = '', short = '']) => (path.startsWith('/') ? rest.replaceAll(path, short) : rest), text);
