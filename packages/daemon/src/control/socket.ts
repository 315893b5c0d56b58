import { chmod, link, lstat, rename, unlink } from 'node:fs/promises';
import { type Server, Socket } from 'node:net';
import { dirname, isAbsolute } from 'node:path';
import { type Clock, limitTime, messageOf, RungarError } from '@rungar/model';
import { makeFolder } from '../make-folder.js';

/** The longest path of a socket in bytes: what macOS takes, which is less than Linux does. */
const SOCKET_PATH_LIMIT = 103;

const PROBE_LIMIT_MS = 1000;

/**
 * Makes sure that nobody serves at `path` and that nothing but a socket stands there. Changes nothing.
 * @throws RungarError `unavailable` when a living daemon has it, `invalid_argument` when the path cannot be used
 */
export async function probeSocket(path: string, clock: Clock): Promise<void> {
  await findStale(path, clock);
}

/** A socket that is being listened on. */
export interface BoundSocket {
  /** Takes no more connections. Removes the file if it is still the one that was bound. */
  close(): Promise<void>;
}

/**
 * Listens on `path` in place of what a dead daemon left there. The file is for the owner and the group (0660) and was
 * never for more; a folder made for it is 0750.
 * @param umask sets the process's file mode mask and gives the one before
 * @throws RungarError as {@link probeSocket}
 */
export async function bindSocket(
  server: Server,
  path: string,
  { clock, umask }: { clock: Clock; umask(mask: number): number },
): Promise<BoundSocket> {
  try {
    await makeFolder(dirname(path), 0o750);
    if (await findStale(path, clock)) await removeSocket(path);
    await listen(server, path, umask);
    await chmod(path, 0o660);
  } catch (error) {
    server.close();
    throw unusable(path, error);
  }
  const bound = await identityOf(path);
  return { close: () => closeSocket(server, path, bound) };
}

/** @returns whether a socket stands there on which nobody listens */
async function findStale(path: string, clock: Clock): Promise<boolean> {
  if (!isAbsolute(path)) throw unusable(path, 'it is not an absolute path');
  const bytes = Buffer.byteLength(path);
  if (bytes > SOCKET_PATH_LIMIT) throw unusable(path, `it has ${bytes} bytes, and ${SOCKET_PATH_LIMIT} are allowed`);
  try {
    if (!(await lstat(path)).isSocket()) throw unusable(path, 'something else than a socket stands there');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw unusable(path, error);
  }
  return !(await isLiving(path, clock));
}

/**
 * Removes a socket. With `unlink` and not `rm`: that one looks at the file in a way that makes Node.js 20 take the
 * next symbolic links it meets for sockets too, so that packages linked into `node_modules` no longer load.
 */
async function removeSocket(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** Only a refused connection proves that nobody listens: one that is too busy to answer is alive. */
async function isLiving(path: string, clock: Clock): Promise<boolean> {
  using limit = limitTime(clock, PROBE_LIMIT_MS, () => new Error('no answer'));
  const failure = await new Promise<unknown>((resolve) => {
    const socket = new Socket({ signal: limit.signal }).connect({ path });
    socket.once('error', resolve);
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
  });
  if (codeOf(failure) === 'ECONNREFUSED' || codeOf(failure) === 'ENOENT') return false;
  if (codeOf(failure) === 'EACCES' || codeOf(failure) === 'EPERM') throw unusable(path, failure);
  throw new RungarError('unavailable', `a daemon already serves at ${path}`, {
    hint: 'Stop it first, or give this one another socket and another installation.',
  });
}

/** Binding happens within the call of `listen`, so the mask holds for nothing else. */
function listen(server: Server, path: string, umask: (mask: number) => number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    const before = umask(0o177);
    try {
      server.listen({ path });
    } finally {
      umask(before);
    }
  });
}

async function closeSocket(server: Server, path: string, bound: string | undefined): Promise<void> {
  const foreign = (await identityOf(path)) !== bound;
  // Closing removes whatever stands at the path: somebody else's file is held by a second name meanwhile.
  const aside = `${path}~`;
  const held =
    foreign &&
    (await link(path, aside).then(
      () => true,
      () => false,
    ));
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (held) await rename(aside, path);
}

async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await lstat(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function unusable(path: string, why: unknown): RungarError {
  if (why instanceof RungarError) return why;
  return new RungarError('invalid_argument', `the socket ${path} cannot be used: ${messageOf(why)}`, {
    hint: 'Set socket to another path, or see what stands there and who may write there.',
    ...(why instanceof Error && { cause: why }),
  });
}
