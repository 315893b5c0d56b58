import type { Problem } from '@rungar/model';

/** A problem for a person, on one line: `FILE:LINE:COLUMN: path: message (hint)`. */
export function formatProblem({ place, path, message, hint }: Problem): string {
  const used = place.usedAt === undefined ? '' : `, and used on line ${place.usedAt.line}`;
  const where = `${place.file}:${place.line}:${place.column}`;
  const what = path === '' ? message : `${path}: ${message}`;
  return onOneLine(`${where}: ${what}${used}${hint === undefined ? '' : ` (${hint})`}`);
}

/** A deprecation for a person: `line N: text`, or the text alone where it concerns the whole file. */
export function formatDeprecation({ place, path, message, hint }: Problem): string {
  const text = hint === undefined ? message : `${message} (${hint})`;
  return onOneLine(path === '' ? text : `line ${place.line}: ${text}`);
}

/** A name in a file may hold what a terminal would act on. */
function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}
