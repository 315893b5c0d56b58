import type { Located, Place, Problem } from '@rungar/model';
import { compose } from './compose.js';
import { indexLines } from './lines.js';
import { locate } from './locate.js';
import { nullAt } from './nodes.js';

/** Control characters and halves of surrogate pairs. */
const NOT_IN_YAML = /[^\t\n\r -~\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** The largest text that is read, in bytes of UTF-8. */
export const MOST_BYTES = 1024 * 1024;

export interface ParseOptions {
  /** What places call the file. */
  readonly file: string;
}

export interface ParsedSource {
  /** The document; null for an empty file, or for one that was not looked at. */
  readonly root: Located;
  /** Everything wrong with the text as YAML, in order of place. */
  readonly problems: readonly Problem[];
  /**
   * Where the text stops being YAML, if it does. What lies before is as it was written; what follows may have been
   * misunderstood.
   */
  readonly brokenAt?: Place;
}

/**
 * Reads YAML text: every value knows where it was written, and keeps its own spelling.
 *
 * Never throws. Anchors, aliases and merge keys (`<<`) are resolved; a key set twice, an anchor that contains itself,
 * aliases that multiply out, a second document, and a text over 1 MiB or nested over 100 deep are problems.
 */
export function parse(text: string, { file }: ParseOptions): ParsedSource {
  const start: Place = { file, line: 1, column: 1 };
  const source = normalised(text);
  const lines = indexLines(source, file);
  const refusal = refusalOf(source);
  if (refusal !== undefined) {
    const place = lines.placeAt(refusal.offset);
    return { root: nullAt(start), problems: [{ severity: 'error', place, path: '', ...refusal.why }], brokenAt: place };
  }

  const composed = compose(source);
  const problems: Problem[] = composed.problems.map(({ offset, message, hint }) => ({
    severity: 'error',
    place: lines.placeAt(Math.min(offset, source.length)),
    path: '',
    message,
    ...(hint !== undefined && { hint }),
  }));
  const brokenAt = problems.map((problem) => problem.place).sort(byPlace)[0];
  const root =
    composed.contents === null
      ? nullAt(start)
      : locate(composed.contents, lines, { add: (problem) => problems.push(problem) });
  problems.sort((a, b) => byPlace(a.place, b.place));
  return { root, problems: onePerPlace(problems), ...(brokenAt !== undefined && { brokenAt }) };
}

/** `text` without a byte order mark, and with a lone carriage return, which ends a line too, as a line feed. */
function normalised(text: string): string {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  return body.replace(/\r(?!\n)/g, '\n');
}

function refusalOf(text: string): { offset: number; why: { message: string; hint?: string } } | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_BYTES) {
    return { offset: 0, why: { message: `the file has ${bytes} bytes, more than the ${MOST_BYTES} that are read` } };
  }
  const strange = NOT_IN_YAML.exec(text);
  if (strange === null) return undefined;
  const code = (strange[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return { offset: strange.index, why: { message: `the character U+${code} cannot stand in a YAML file` } };
}

/** The parser may say several things of one place: the first says most. */
function onePerPlace(problems: readonly Problem[]): Problem[] {
  return problems.filter((problem, index) => {
    const before = problems[index - 1];
    return before === undefined || byPlace(before.place, problem.place) !== 0;
  });
}

function byPlace(a: Place, b: Place): number {
  return a.line - b.line || a.column - b.column;
}
