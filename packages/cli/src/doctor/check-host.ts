import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '@rungar/model';
import { type Finding, fine, warning, wrong } from './finding.js';

/** The oldest Node.js that is supported. */
const OLDEST = [20, 19] as const;
/** Less room than this is soon used up. */
const LITTLE_ROOM_BYTES = 100 * 1024 * 1024;

/** @param version without a `v` */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const good = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  if (good) return fine('node', `Node.js ${version}`);
  return wrong('node', `Node.js ${version} is too old`, `Install Node.js ${OLDEST.join('.')} or newer.`);
}

const PROXY_VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY'] as const;

/** Whether the proxies of the environment can be used. Small letters win, as with curl. */
export function checkProxies(env: Readonly<Record<string, string | undefined>>): readonly Finding[] {
  const named = PROXY_VARIABLES.flatMap((name) => {
    const value = env[name.toLowerCase()] || env[name];
    return value ? [{ name, value }] : [];
  });
  if (named.length === 0) return [fine('proxies', 'none: GitHub and the providers are reached directly')];
  return named.map(({ name, value }) => {
    const url = parseUrl(value.includes('://') ? value : `http://${value}`);
    if (!url) return wrong('proxies', `${name} is no address of a proxy`, 'Set it to http://HOST:PORT, or unset it.');
    return fine('proxies', `${name} leads through ${url.host}`);
  });
}

function parseUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && url.host !== '' && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Whether events can be written where the configuration has them, and for how long there is room. */
export async function checkEventFile(file: string): Promise<Finding> {
  const folder = dirname(file);
  const found = await stat(file).catch(() => undefined);
  if (found && !found.isFile())
    return wrong('events', `${file} is not an ordinary file`, 'Set events.file to another place.');
  try {
    await access(found ? file : folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const room = bavail * bsize;
    const said = `${file} has ${Math.floor(room / 1024 / 1024)} MiB of room`;
    if (room >= LITTLE_ROOM_BYTES) return fine('events', said);
    return warning('events', said, 'Make room on that disk: until then events are kept in memory only.');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return fine('events', `${folder} is not there yet; the daemon makes it`);
    const hint =
      "Run this as the daemon's user; if it may not write there either, let it, or set events.file elsewhere.";
    return warning('events', `${file} cannot be written by whoever runs this: ${messageOf(error)}`, hint);
  }
}
