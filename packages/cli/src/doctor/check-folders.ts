import { access, constants, lstat, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@rungar/model';
import { type Area, type Finding, fine, warning, wrong } from './finding.js';

/**
 * Whether what was paused and disabled with `--keep` can be read, and kept.
 * @param check throws for a text that says nothing of the kind
 */
export async function checkStateFile(path: string, check: (text: string) => unknown): Promise<Finding> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => error);
  if (typeof text !== 'string' && codeOf(text) !== 'ENOENT') {
    const hint = "Run this as the daemon's user; if it may not read the file either, let it.";
    return warning('state', `${path} cannot be read by whoever runs this: ${messageOf(text)}`, hint);
  }
  if (typeof text === 'string') {
    try {
      check(text);
    } catch (error) {
      const hint = 'Remove it, and pause again what is to stay paused: the daemon starts without it.';
      return wrong('state', `${path} is damaged: ${messageOf(error)}`, hint);
    }
  }
  const said = typeof text === 'string' ? `${path} is valid` : `${path} is not there yet; nothing is kept`;
  return checkFolder('state', dirname(path), { said, lost: '--keep is refused until then' });
}

/** Whether the daemon can listen where the configuration has its socket. */
export async function checkSocketFolder(path: string): Promise<Finding> {
  const found = await lstat(path).catch(() => undefined);
  if (found && !found.isSocket())
    return wrong(
      'socket',
      `something else than a socket stands at ${path}`,
      'Remove it, or set socket to another path.',
    );
  return checkFolder('socket', dirname(path), {
    said: `${path} is ${found ? 'a socket' : 'free'}`,
    lost: 'the daemon cannot start without',
  });
}

/** Whether files can be made in a folder, which the daemon makes itself where it is missing and its parent lets it. */
async function checkFolder(
  area: Area,
  folder: string,
  { said, lost }: { readonly said: string; readonly lost: string },
): Promise<Finding> {
  const existing = await firstExisting(folder);
  try {
    if (!(await stat(existing)).isDirectory()) return wrong(area, `${existing} is no folder`, 'Use another path.');
    await access(existing, constants.W_OK | constants.X_OK);
    return fine(area, existing === folder ? said : `${said}; the daemon makes ${folder}`);
  } catch (error) {
    const hint = `Run this as the daemon's user; if it may not write there either, let it: ${lost}.`;
    return warning(area, `nothing can be made in ${existing} by whoever runs this: ${messageOf(error)}`, hint);
  }
}

async function firstExisting(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const code = await stat(at).then(() => undefined, codeOf);
    if (code !== 'ENOENT' || dirname(at) === at) return at;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
