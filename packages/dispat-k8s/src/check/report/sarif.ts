import type { Rule, Severity } from '../rule.js';
import type { CheckReport, Finding } from './model.js';

const LEVELS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' };

/** The report as SARIF 2.1.0, for code scanning. Every rule is listed, so that a result may point at its own. */
export function checkSarif(report: CheckReport, rules: readonly Rule[], version: string): string {
  const indexes = new Map(rules.map(({ id }, index) => [id as string, index]));
  const suppressed = report.ignored.map((finding) => ({
    ...resultOf(finding, indexes),
    suppressions: [{ kind: 'inSource', justification: finding.ignoredBecause }],
  }));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'dispat-worker-manifest', semanticVersion: version, rules: rules.map(descriptorOf) },
        },
        columnKind: 'utf16CodeUnits',
        results: [...report.findings.map((finding) => resultOf(finding, indexes)), ...suppressed],
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function descriptorOf({ id, title, why, when, fix, severity, page }: Rule): object {
  return {
    id,
    name: nameOf(title),
    shortDescription: { text: `${title}.` },
    fullDescription: { text: why },
    help: { text: `Speaks when: ${when}. Fix: ${fix}.` },
    defaultConfiguration: { level: LEVELS[severity] },
    properties: { page },
  };
}

/** A rule's title as one word: `AsManyPodsAsListedNodes`. */
function nameOf(title: string): string {
  return title
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .split(' ')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');
}

function resultOf(finding: Finding, indexes: ReadonlyMap<string, number>): object {
  const { rule, severity, message, fix, file, line, column, object, pointer } = finding;
  const logical = object && {
    logicalLocations: [
      {
        name: object.name,
        fullyQualifiedName: `${object.kind}/${object.namespace ?? ''}/${object.name}${pointer ?? ''}`,
        kind: 'resource',
      },
    ],
  };
  const physical = file !== undefined && {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file) },
      ...(line !== undefined && { region: { startLine: line, ...(column !== undefined && { startColumn: column }) } }),
    },
  };
  return {
    ruleId: rule,
    ruleIndex: indexes.get(rule),
    level: LEVELS[severity],
    message: { text: `${message}. Fix: ${fix}.` },
    locations: physical || logical ? [{ ...physical, ...logical }] : [],
  };
}

function uriOf(file: string): string {
  return file.split('/').map(encodeURIComponent).join('/');
}
