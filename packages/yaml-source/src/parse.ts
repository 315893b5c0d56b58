import type { Located, Place, Problem } from '@rungar/model';
import { compose, type SyntaxProblem } from './compose.js';
import { indexLines } from './lines.js';
import { locate } from './locate.js';
import { nullAt } from './nodes.js';

/** Control characters and halves of surrogate pairs. */
const NOT_IN_YAML = /[^\t\n\r -~\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** The largest text that is read, in bytes of UTF-8. */
export const MOST_BYTES = 1024 * 1024;

const MOST_DOCUMENTS = 5000;

/** How a text is read. */
export interface ParseOptions {
  /** What places call the file. */
  readonly file: string;
  /** How much is read before the text is refused, in bytes of UTF-8; {@link MOST_BYTES} without it. */
  readonly mostBytes?: number;
}

/** How a file of several documents is read. */
export interface ParseAllOptions extends ParseOptions {
  /** 5000 without it. */
  readonly mostDocuments?: number;
}

/** What a text says, and all that is wrong with it. */
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

/** A stream of documents; see {@link ParsedSource} for the other members. */
export interface ParsedStream extends Omit<ParsedSource, 'root'> {
  /** Every document in written order, an empty one as null. */
  readonly documents: readonly Located[];
}

/**
 * Reads YAML text: every value knows where it was written, and keeps its own spelling.
 *
 * Never throws. Anchors, aliases and merge keys (`<<`) are resolved; a key set twice, an anchor that contains itself,
 * aliases that multiply out, a second document, and a text over 1 MiB (or `mostBytes`) or nested over 100 deep are
 * problems.
 */
export function parse(text: string, options: ParseOptions): ParsedSource {
  const { documents, ...rest } = parseAll(text, { ...options, mostDocuments: 1 });
  return { root: documents[0] ?? nullAt({ file: options.file, line: 1, column: 1 }), ...rest };
}

/**
 * Reads a stream of YAML documents, each as {@link parse} reads one. Anchors end with their document; what aliases may
 * bring in is counted over the whole stream. Never throws.
 */
export function parseAll(text: string, options: ParseAllOptions): ParsedStream {
  const { file, mostBytes = MOST_BYTES, mostDocuments = MOST_DOCUMENTS } = options;
  const source = normalised(text);
  const lines = indexLines(source, file);
  const refusal = refusalOf(source, mostBytes);
  if (refusal !== undefined) {
    const place = lines.placeAt(refusal.offset);
    return { documents: [], problems: [{ severity: 'error', place, path: '', ...refusal.why }], brokenAt: place };
  }
  const composed = compose(source, { mostDocuments, mostBytes });
  const toProblem = ({ offset, message, hint }: SyntaxProblem): Problem => ({
    severity: 'error',
    place: lines.placeAt(Math.min(offset, source.length)),
    path: '',
    message,
    ...(hint !== undefined && { hint }),
  });
  const problems = composed.problems.map(toProblem);
  const brokenAt = problems.map((problem) => problem.place).sort(byPlace)[0];
  if (composed.surplus) problems.push(toProblem(composed.surplus));
  const spent = { copies: 0, reported: 0 };
  const sink = { add: (problem: Problem) => problems.push(problem) };
  const documents = composed.documents.map((contents) =>
    contents === null ? nullAt({ file, line: 1, column: 1 }) : locate(contents, lines, sink, spent),
  );
  problems.sort((a, b) => byPlace(a.place, b.place));
  return { documents, problems: onePerPlace(problems), ...(brokenAt !== undefined && { brokenAt }) };
}

/** `text` without a byte order mark, and with a lone carriage return, which ends a line too, as a line feed. */
export function normalised(text: string): string {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  return body.replace(/\r(?!\n)/g, '\n');
}

function refusalOf(
  text: string,
  mostBytes: number,
): { offset: number; why: { message: string; hint?: string } } | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > mostBytes) {
    return { offset: 0, why: { message: `the file has ${bytes} bytes, more than the ${mostBytes} that are read` } };
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
