// What docs/performance.md shows of the last run, and of Node.js's other versions.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pageWith, table } from './page.mjs';
import { read, root } from './source.mjs';

const RESULTS = 'benchmarks/results';
const resultOf = (name) => JSON.parse(read(`${RESULTS}/${name}.json`));

/** Why a row misses its target or its bar; every such row has its words. */
const causes = () => JSON.parse(read(`${RESULTS}/causes.json`));
const causeOf = ({ id, what }) => causes().find((cause) => cause.id === id && what.includes(cause.row ?? ''))?.cause;

const number = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(2));
const limit = (value) => (value === undefined ? '' : number(value));

function amount(value, unit) {
  if (value === undefined) return '';
  if (unit === '/s') return value >= 1e6 ? `${(value / 1e6).toFixed(2)}M/s` : `${Math.round(value / 1000)}k/s`;
  if (unit === 'ms') return value >= 10_000 ? `${(value / 1000).toFixed(1)} s` : `${value.toFixed(1)} ms`;
  if (unit === 'B') return value >= 2 ** 20 ? `${(value / 2 ** 20).toFixed(1)} MiB` : `${Math.round(value)} B`;
  return `${number(value)}${unit && ` ${unit}`}`;
}

const WORDS = {
  target: 'target met',
  pass: 'bar met',
  missed: '**missed**',
  noisy: 'noisy',
  info: '',
  failed: '**failed**',
};

function hostLine({ host }) {
  const { date, node, cores, memoryGiB } = host;
  return `${date}, Node.js ${node}, ${cores} cores, ${memoryGiB} GiB.`;
}

function tableOf(rows) {
  return table(
    ['', 'ours', 'reference', 'ratio', 'target', 'bar', ''],
    rows.map(({ what, ours, reference, unit, ratio, target, bar, verdict, failure }) =>
      failure === undefined
        ? [what, amount(ours, unit), amount(reference, unit), number(ratio), limit(target), limit(bar), WORDS[verdict]]
        : [what, '', '', '', '', '', WORDS[verdict]],
    ),
  );
}

function lastRun() {
  const run = resultOf('last-run');
  const ids = [...new Set(run.rows.map(({ id }) => id))].sort();
  const counted = run.rows.filter(({ verdict }) => verdict !== 'info');
  const count = (...verdicts) => counted.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const parts = ids.map((id) => {
    const rows = run.rows.filter((row) => row.id === id);
    return `#### ${id}: ${rows[0].benchmark}\n\n${tableOf(rows)}`;
  });
  const summary = `${hostLine(run)} Of ${counted.length} rows that are judged, ${count('target')} meet their target, ${count('pass')} their bar, ${count('missed', 'failed')} neither; ${count('noisy')} were too noisy to tell.`;
  return [summary, ...parts].join('\n\n');
}

/** What falls short of its target, and why. */
function shortfalls() {
  const rows = resultOf('last-run').rows.filter(
    ({ verdict, target }) =>
      verdict === 'missed' || verdict === 'failed' || (verdict === 'pass' && target !== undefined),
  );
  return table(
    ['', 'ratio', 'target', 'bar', 'likely cause'],
    rows.map((row) => {
      const cause = causeOf(row);
      if (cause === undefined) throw new Error(`${RESULTS}/causes.json says nothing of ${row.id}, "${row.what}"`);
      return [`${row.id}, ${row.what}`, number(row.ratio ?? Number.NaN), limit(row.target), limit(row.bar), cause];
    }),
  );
}

/** Starts and sizes, by version of Node.js. */
function versions() {
  const runs = [resultOf('last-run'), ...['node-22', 'node-24'].filter(isThere).map(resultOf)];
  const first = runs[1] ?? runs[0];
  return table(
    ['', ...runs.map(({ host }) => `Node.js ${host.node}`), 'bar'],
    first.rows.map(({ id, what, bar }) => [
      `${id}, ${what}`,
      ...runs.map(({ rows }) => {
        const row = rows.find((one) => one.id === id && one.what === what);
        if (row?.ratio === undefined) return '';
        const verdict = row.verdict === 'missed' ? ', **missed**' : '';
        return `${number(row.ratio)} (${amount(row.ours, row.unit)})${verdict}`;
      }),
      limit(bar),
    ]),
  );
}

const isThere = (name) => existsSync(join(root, RESULTS, `${name}.json`));

export const performancePage = pageWith('docs/performance.md', {
  'last run': lastRun,
  shortfalls,
  versions,
});
