import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How a run ends whose arguments are wrong. */
const USAGE_CODE = 2;

/** What is wrong with the arguments, in a sentence. */
export class UsageError extends Error {}

/** Runs a program; what is wrong with its arguments is said in a sentence on stderr, without a stack. */
export async function withUsage(run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const mistake = mistakeIn(error);
    if (mistake === undefined) throw error;
    process.stderr.write(`Error: ${mistake}\n`);
    return USAGE_CODE;
  }
}

function mistakeIn(error: unknown): string | undefined {
  if (error instanceof UsageError) return error.message;
  if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('ERR_PARSE_ARGS')) return;
  // The first sentence: Node's advice on the others is no help here.
  return error.message.split(/[.\n]\s/)[0];
}

/** @throws UsageError for anything but a number above 0 */
export function positive(option: string, text: string): number {
  const value = numberIn(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new UsageError(`${option} takes a number above 0, not "${text}"`);
}

/** @throws UsageError for anything but a whole number */
export function whole(option: string, text: string): number {
  const value = numberIn(text);
  if (Number.isSafeInteger(value)) return value;
  throw new UsageError(`${option} takes a whole number, not "${text}"`);
}

/** @throws UsageError for anything but a whole number above 0 */
export function count(option: string, text: string): number {
  const value = numberIn(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new UsageError(`${option} takes a whole number above 0, not "${text}"`);
}

/** Finds out before a long run that its result cannot be kept. @throws UsageError when no file can be there */
export async function fileToWrite(option: string, path: string | undefined): Promise<void> {
  if (path === undefined) return;
  const folder = await stat(dirname(path)).catch(() => undefined);
  if (path === '' || !folder?.isDirectory())
    throw new UsageError(`${option} takes a file in a folder that exists, not "${path}"`);
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory()) throw new UsageError(`${option} takes a file, and "${path}" is a folder`);
}

/** Nothing is no number, although Number says 0. */
function numberIn(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}
