import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '@rungar/model';
import type { Args, World } from './command.js';
import { inputError } from './problems.js';
import { type FileToWrite, writeFiles } from './write-files.js';

/** The largest input that is read, in bytes. */
export const MOST_INPUT_BYTES = 10 * 1024 * 1024;

/** A text and what to call it in messages. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads an input file.
 * @param file a path; `-` is standard input
 * @throws InputError `CONFIG_NOT_READABLE`, `INPUT_TOO_LARGE`, or `YAML_INVALID` for UTF-16
 */
export async function readInput(file: string, world: World): Promise<NamedText> {
  const name = file === '-' ? 'standard input' : file;
  let bytes: Buffer;
  try {
    bytes = file === '-' ? await readStream(world) : await readFile(file, { signal: world.signal });
  } catch (error) {
    world.signal.throwIfAborted();
    throw inputError({
      code: 'CONFIG_NOT_READABLE',
      at: name,
      found: messageOf(error),
      allowed: 'a file this user may read',
      fix: 'name an existing file, or - for standard input',
    });
  }
  if (bytes.length > MOST_INPUT_BYTES) {
    throw inputError({
      code: 'INPUT_TOO_LARGE',
      at: name,
      found: `${bytes.length} bytes`,
      allowed: `at most ${MOST_INPUT_BYTES} bytes`,
      fix: 'give it in parts',
    });
  }
  if (isUtf16(bytes)) {
    throw inputError({
      code: 'YAML_INVALID',
      at: name,
      found: 'UTF-16, as PowerShell writes with >',
      allowed: 'UTF-8',
      fix: 'write it with `Out-File -Encoding utf8`, or save it as UTF-8 in the editor',
    });
  }
  return { name, text: bytes.toString('utf8') };
}

/** A mark of its byte order, or a first character in two bytes of which one is zero. */
function isUtf16([first, second]: Buffer): boolean {
  if (first === undefined || second === undefined) return false;
  const marked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return marked || (first === 0) !== (second === 0);
}

async function readStream({ stdin, signal }: World): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stdin) {
    signal.throwIfAborted();
    const bytes = Buffer.from(part);
    parts.push(bytes);
    size += bytes.length;
    if (size > MOST_INPUT_BYTES) break;
  }
  return Buffer.concat(parts);
}

/**
 * Writes a command's result where `--output` says.
 * @param others further files, which are written with it or not at all
 */
export async function writeResult(
  text: string,
  args: Args,
  world: World,
  others: readonly FileToWrite[] = [],
): Promise<void> {
  const file = args.output === undefined ? '-' : String(args.output);
  await writeFiles([...others, ...(file === '-' ? [] : [{ file, text }])]);
  if (file === '-') world.stdout.write(text);
}

/**
 * Writes files into a folder, which is made when it is missing.
 * @param others further files, which are written with them or not at all
 * @throws InputError `OUTPUT_NOT_WRITABLE`
 */
export async function writeFolder(
  folder: string,
  files: readonly { readonly name: string; readonly text: string }[],
  others: readonly FileToWrite[] = [],
): Promise<void> {
  try {
    await makeFolder(folder);
  } catch (error) {
    throw inputError({
      code: 'OUTPUT_NOT_WRITABLE',
      at: folder,
      found: messageOf(error),
      allowed: 'a folder this user may write into',
      fix: 'name another folder',
    });
  }
  await writeFiles([...files.map(({ name, text }) => ({ file: join(folder, name), text })), ...others]);
}

/** Makes a folder and those above it that are missing; Node.js 20's own recursive `mkdir` never ends below `/proc`. */
async function makeFolder(folder: string): Promise<void> {
  const failed = await mkdir(folder).catch((error: NodeJS.ErrnoException) => error);
  if (!failed || failed.code === 'EEXIST') return;
  if (failed.code !== 'ENOENT' || dirname(folder) === folder) throw failed;
  await makeFolder(dirname(folder));
  await mkdir(folder);
}
