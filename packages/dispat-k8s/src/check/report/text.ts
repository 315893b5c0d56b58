import { wrap } from '../../wrap.js';
import { SEVERITIES, type Severity, someOf } from '../rule.js';
import type { CheckReport, Finding, ReportObject } from './model.js';

/** How a report is written for people. */
export interface TextOptions {
  /** Characters in a line. */
  readonly width: number;
  readonly colour: boolean;
  /** Leaves out what is only info. */
  readonly quiet: boolean;
}

const WORDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'info' };
const COLOURS: Readonly<Record<Severity, string>> = { error: '31', warning: '33', info: '36' };
const MARGIN = 10;

/** The report for a person: by object, the worst first, each with its reason and cure. */
export function checkText(report: CheckReport, options: TextOptions): string {
  const shown = report.findings.filter(({ severity }) => !options.quiet || severity !== 'info');
  const groups = groupByObject(shown);
  const lines = [...groups].flatMap(([title, findings]) => [
    paint(title, '1', options),
    '',
    ...findings.flatMap((finding) => [...findingLines(finding, options), '']),
  ]);
  return `${[...lines, ...ignoredLines(report, options), ...summaryLines(report, options)].join('\n')}\n`;
}

function groupByObject(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const title = finding.object === undefined ? (finding.file ?? 'the input') : objectText(finding.object);
    groups.set(title, [...(groups.get(title) ?? []), finding]);
  }
  return groups;
}

function objectText({ kind, namespace, name }: ReportObject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function findingLines(finding: Finding, options: TextOptions): readonly string[] {
  const { severity, rule, title, message, reason, fix } = finding;
  const level = paint(WORDS[severity].padEnd(MARGIN - 2), COLOURS[severity], options);
  const details = [placeOf(finding), message, ...(severity === 'info' ? [] : [`Why: ${reason}`, `Fix: ${fix}`])];
  return [
    `  ${level}${paint(`${rule}  ${title}`, '1', options)}`,
    ...details.filter((text) => text !== '').flatMap((text) => indented(text, options)),
  ];
}

function placeOf({ file, line, pointer }: Finding): string {
  const at = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}`;
  return pointer === undefined || pointer === '' ? at : `${at} ${pointer}`.trim();
}

function indented(text: string, { width }: TextOptions): readonly string[] {
  return wrap(text, Math.max(20, width - MARGIN)).map((line) => `${' '.repeat(MARGIN)}${line}`);
}

function ignoredLines({ ignored }: CheckReport, options: TextOptions): readonly string[] {
  if (ignored.length === 0) return [];
  const lines = ignored.flatMap(({ rule, ignoredBecause }) => indented(`${rule}: ${ignoredBecause}`, options));
  return [paint('Ignored on purpose', '1', options), '', ...lines, ''];
}

function summaryLines({ pools, summary }: CheckReport, { width }: TextOptions): readonly string[] {
  const counts = SEVERITIES.map((severity) => `${summary[severity]} ${plural(WORDS[severity], summary[severity])}`);
  const which = pools.map(
    (pool) => `${objectText(pool)}${pool.nodes === undefined ? '' : ` (${someOf(pool.nodes, 4)})`}`,
  );
  return [
    ...wrap(`${counts.join(', ')} in ${which.join(', ')}.`, width),
    ...(summary.error + summary.warning > 0 ? ['More on a rule: dispat-worker-manifest explain DWM101'] : []),
  ];
}

function plural(word: string, count: number): string {
  return count === 1 || word === 'info' ? word : `${word}s`;
}

function paint(text: string, code: string, { colour }: TextOptions): string {
  return colour ? `\u001b[${code}m${text}\u001b[0m` : text;
}
