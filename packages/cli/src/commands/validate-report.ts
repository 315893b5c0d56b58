import { formatDeprecation, formatProblem } from '@rungar/config';
import { entryOf, type Located, type Problem } from '@rungar/model';
import { plural } from '../output/words.js';

/** Something found of a configuration. */
export interface Finding extends Problem {
  /**
   * What it is about: the file and the files it names; an old form that will not be read for ever; what the Go daemon
   * does not know; what GitHub or a provider said; or that one of them could not be asked.
   */
  readonly kind: 'file' | 'deprecation' | 'addition' | 'online' | 'unreachable';
}

/** All that was found of one file. */
export interface Report {
  readonly file: string;
  /** By place. */
  readonly findings: readonly Finding[];
  /** The file as written. */
  readonly root: Located;
}

/** One finding, as `validate --json` prints it. Lines and columns count from 1. */
export interface FindingAnswer {
  readonly severity: 'error' | 'warning';
  readonly kind: Finding['kind'];
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Where a value is used that an alias or a merge key brought from elsewhere. */
  readonly used_line?: number;
  readonly used_column?: number;
  /** Empty for the whole file. */
  readonly path: string;
  /** As written; `REDACTED` when it looks like a credential, absent when it may be one or there is none. */
  readonly value?: string;
  readonly message: string;
  readonly hint?: string;
}

/** What `validate --json` prints. */
export interface ValidateAnswer {
  /** Whether there is no error. */
  readonly valid: boolean;
  readonly file: string;
  /** How many the file lists. */
  readonly providers: number;
  readonly scale_sets: number;
  readonly problems: readonly FindingAnswer[];
}

/** The report for a program: one JSON document. */
export function reportJson({ file, findings, root }: Report): string {
  const answer: ValidateAnswer = {
    valid: !findings.some(({ severity }) => severity === 'error'),
    file,
    providers: countOf(root, 'providers'),
    scale_sets: countOf(root, 'scale_sets'),
    problems: findings.map(toAnswer),
  };
  return `${JSON.stringify(answer, undefined, 2)}\n`;
}

function toAnswer({ severity, kind, place, path, value, message, hint }: Finding): FindingAnswer {
  return {
    severity,
    kind,
    file: place.file,
    line: place.line,
    column: place.column,
    ...(place.usedAt !== undefined && { used_line: place.usedAt.line, used_column: place.usedAt.column }),
    path,
    ...(value !== undefined && { value }),
    message,
    ...(hint !== undefined && { hint }),
  };
}

/** The report for a person, of a file without errors. */
export function reportText({ file, root }: Report): string {
  const providers = plural(countOf(root, 'providers'), 'provider');
  return `${file}: valid (${providers}, ${plural(countOf(root, 'scale_sets'), 'scale set')})\n`;
}

/** What a person is warned of, and what to do about an old form: a file that does not load cannot be migrated. */
export function warningLines({ file, findings }: Report): readonly string[] {
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  const lines = warnings.map((finding) =>
    finding.kind === 'deprecation'
      ? `Warning: ${file}: ${formatDeprecation(finding)}`
      : `Warning: ${formatProblem(finding)}`,
  );
  const loads = !findings.some(({ kind, severity }) => kind === 'file' && severity === 'error');
  if (loads && warnings.some(({ kind }) => kind === 'deprecation'))
    lines.push(`Warning: ${file}: rungar config migrate --write -f ${file} brings it up to date`);
  return lines;
}

function countOf(root: Located, key: 'providers' | 'scale_sets'): number {
  const value = root.kind === 'map' ? entryOf(root, key)?.value : undefined;
  return value?.kind === 'list' ? value.items.length : 0;
}
