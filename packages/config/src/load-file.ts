import { constants, openSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { type CallOptions, messageOf, type Place, type Problem, type ProviderType, RungarError } from '@rungar/model';
import { MOST_BYTES } from '@rungar/yaml-source';
import { type ParsedConfig, parseConfig } from './parse.js';

const WHAT_IT_IS =
  'It says which GitHub organisation to serve and where runners are created. Write one, or name another with --config.';

/**
 * Reads and checks a configuration file; nothing else is read, and nothing is contacted.
 * @throws RungarError `not_found` when there is no such file, `unavailable` when it cannot be read. What is wrong
 * inside the file is not thrown: it is in `problems`.
 */
export async function loadConfig(
  path: string,
  { types, signal }: CallOptions & { readonly types: readonly ProviderType[] },
): Promise<ParsedConfig> {
  const read = await readConfigText(path, { signal });
  return 'text' in read ? parseConfig(read.text, { file: path, types }) : refused(read.problem);
}

/**
 * Reads the text of a configuration file.
 * @returns the text, or why the file is none that could be a configuration
 * @throws RungarError `not_found` when there is no such file, `unavailable` when it cannot be read
 */
export async function readConfigText(
  path: string,
  { signal }: CallOptions,
): Promise<{ readonly text: string } | { readonly problem: Problem }> {
  const bytes = await readStart(path, signal);
  const start: Place = { file: path, line: 1, column: 1 };
  if (bytes.length > MOST_BYTES) return problem(start, `the file has more than the ${MOST_BYTES} bytes that are read`);
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return problem(placeOfBadText(bytes, path), 'the file is not UTF-8 text', 'save it as UTF-8');
  }
}

/** The file, or as much of it as shows that it is too long. A pipe or a device may have no size to ask for. */
async function readStart(path: string, signal: AbortSignal): Promise<Uint8Array> {
  signal.throwIfAborted();
  try {
    if ((await stat(path)).isFIFO()) return await readPipe(path, signal);
    const file = await open(path);
    try {
      const buffer = Buffer.alloc(MOST_BYTES + 1);
      let length = 0;
      while (length < buffer.length) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length);
        signal.throwIfAborted();
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return buffer.subarray(0, length);
    } finally {
      await file.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw toReadError(path, error);
  }
}

/** Like {@link readStart}. Whoever is to write into the pipe may never come, and an ordinary read could not be ended. */
async function readPipe(path: string, signal: AbortSignal): Promise<Uint8Array> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const pipe = new Socket({ fd, readable: true, writable: false, signal });
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of pipe as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MOST_BYTES + 1);
}

function toReadError(path: string, cause: unknown): RungarError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new RungarError('not_found', `there is no configuration file at ${path}`, { cause, hint: WHAT_IT_IS });
  }
  const hint = code === 'EISDIR' ? 'Name the file, not its folder.' : 'Let the user who runs this read it.';
  return new RungarError('unavailable', `the configuration file ${path} cannot be read: ${messageOf(cause)}`, {
    cause,
    hint,
  });
}

function problem(place: Place, message: string, hint?: string): { problem: Problem } {
  return { problem: { severity: 'error', place, path: '', message, ...(hint !== undefined && { hint }) } };
}

function refused(problem: Problem): ParsedConfig {
  return {
    problems: [problem],
    deprecations: [],
    root: { kind: 'scalar', source: '', quoted: false, isNull: true, place: problem.place },
    readable: { providers: [] },
  };
}

/** About where text stops being UTF-8: the first place at which a decoder has to make something up. */
function placeOfBadText(bytes: Uint8Array, file: string): Place {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const before = text.slice(0, text.indexOf('\ufffd')).split('\n');
  return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
