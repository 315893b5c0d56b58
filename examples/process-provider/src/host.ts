import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { cp, link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Labels, RungarError } from '@rungar/model';
import { hasCode, isAlive, kill, lifeOf, MARK, markedWith, type ProcessLife } from './proc.js';

/** What is written down of a process before it is started. */
export interface MachineRecord {
  readonly id: string;
  readonly name: string;
  readonly labels: Labels;
  /** In epoch milliseconds. */
  readonly createdAt: number;
}

export interface Kept extends MachineRecord {
  readonly state: 'starting' | 'running' | 'stopped';
}

export interface Start {
  readonly command: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<{ [name: string]: string }>;
  /** What the process gets a copy of to work in; without it an empty folder. */
  readonly folder?: string;
}

/** The backend: this host. Every call may throw the system's error. */
export interface Host {
  /** Makes the folder where there is none, and takes away what a daemon that was killed left half done. */
  tidy(): Promise<void>;
  all(): Promise<Kept[]>;
  find(name: string): Promise<Kept | undefined>;
  /** Takes the name for this record. @returns what has the name: this record, or one that was there before */
  keep(record: MachineRecord): Promise<Kept>;
  /** Starts the process of a record. However often it is called, one process runs, once. */
  start(record: MachineRecord, what: Start, signal: AbortSignal): Promise<void>;
  /** Ends the processes of a record, and takes away whatever is kept of it. Safe to repeat. */
  end(record: MachineRecord, signal: AbortSignal): Promise<void>;
  /** The end of what it wrote, in at most `bytes`. */
  readLog(record: MachineRecord, bytes: number): Promise<string | undefined>;
}

const RECORD = 'machine.json';
const LIFE = 'process';
const LOG = 'log';
const WORK = 'runner';
const NAME = /^[A-Za-z0-9][A-Za-z0-9.-]*$/;
const TREE = { recursive: true, force: true } as const;
/** What is younger may be in somebody's hands. */
const HALF_DONE_MS = 10 * 60_000;

/**
 * Writes down which process it is, then becomes the command. The link is what makes it happen once: of several that
 * try, one gets the name, and none does when `end` has taken it.
 */
const BECOME = `
read -r boot </proc/sys/kernel/random/boot_id &&
read -r stat </proc/$$/stat &&
printf '%s\\n%s\\n' "$boot" "$stat" >"$1/process.$$" &&
ln "$1/process.$$" "$1/process" 2>/dev/null &&
shift && exec "$@"`;

/** Keeps each process in a folder of its name below `root`, so that a daemon that was restarted finds it again. */
export function fileHost(root: string, clock: Clock): Host {
  /** The folder itself must be there: without it nothing is known, where a name missing in it is a fact. */
  const homeOf = async (name: string): Promise<string> => {
    if (!NAME.test(name)) {
      throw new RungarError('invalid_argument', `no folder can have the name ${JSON.stringify(name)}`);
    }
    if (!(await stat(root)).isDirectory()) throw new RungarError('unavailable', `${root} is no folder`);
    return join(root, name);
  };

  const find = async (name: string): Promise<Kept | undefined> => {
    const home = await homeOf(name);
    const text = await readIfThere(join(home, RECORD));
    if (text === undefined) return undefined;
    const record = parseRecord(text);
    if (record === undefined)
      throw new RungarError('unavailable', `${join(home, RECORD)} holds no record of a process`);
    return { ...record, state: await stateIn(home) };
  };

  return {
    find,

    async tidy() {
      await mkdir(root, { mode: 0o700 }).catch(ignore('EEXIST'));
      for (const name of await readdir(root)) {
        if (!/^\.(new|gone)-/.test(name)) continue;
        const found = await stat(join(root, name)).catch(ignore('ENOENT'));
        if (found && clock.wallNow() - found.mtimeMs > HALF_DONE_MS) await rm(join(root, name), TREE);
      }
    },

    async all() {
      const entries = await readdir(root, { withFileTypes: true });
      const folders = entries.filter((entry) => entry.isDirectory() && NAME.test(entry.name));
      const found = await Promise.all(folders.map(({ name }) => find(name)));
      return found.filter((kept) => kept !== undefined);
    },

    async keep(record) {
      const home = await homeOf(record.name);
      const draft = join(root, `.new-${record.id}`);
      try {
        await mkdir(draft, { mode: 0o700 });
        await writeFile(join(draft, RECORD), JSON.stringify(record), { mode: 0o600, flush: true });
        await rename(draft, home);
        return { ...record, state: 'starting' };
      } catch (error) {
        await rm(draft, TREE);
        const kept = hasCode(error, 'ENOTEMPTY', 'EEXIST') ? await find(record.name) : undefined;
        if (kept === undefined) throw error;
        return kept;
      }
    },

    async start({ id, name }, { command, env, folder }, signal) {
      const home = await homeOf(name);
      const cwd = join(home, WORK);
      if (folder === undefined) await mkdir(cwd, { mode: 0o700 }).catch(ignore('EEXIST'));
      else await copy(folder, cwd, signal);
      signal.throwIfAborted();
      const log = await open(join(home, LOG), 'a', 0o600);
      try {
        const child = spawn('/bin/sh', ['-c', BECOME, 'sh', home, ...command], {
          cwd,
          env: { ...env, [MARK]: id },
          detached: true,
          stdio: ['ignore', log.fd, log.fd],
        });
        await once(child, 'spawn');
        child.unref();
      } finally {
        await log.close();
      }
    },

    async end({ id, name }, signal) {
      const home = await homeOf(name);
      const life = await takeLife(home);
      for (;;) {
        const group = life && (await isAlive(life)) ? [-life.pid] : [];
        const left = [...group, ...(await markedWith(id))];
        if (left.length === 0) break;
        for (const pid of left) kill(pid);
        await clock.sleep(10, signal);
      }
      // The record goes last: until then the process is listed, and its deletion can be repeated.
      for (const part of [WORK, LOG]) await rm(join(home, part), TREE);
      const gone = join(root, `.gone-${id}`);
      await rename(home, gone).catch(ignore('ENOENT'));
      await rm(gone, TREE);
    },

    async readLog({ name }, bytes) {
      const file = await open(join(await homeOf(name), LOG)).catch(ignore('ENOENT'));
      if (!file) return undefined;
      try {
        const { size } = await file.stat();
        const length = Math.min(size, bytes);
        const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
        return buffer.toString('utf8');
      } finally {
        await file.close();
      }
    },
  };
}

async function stateIn(home: string): Promise<Kept['state']> {
  const text = await readIfThere(join(home, LIFE));
  if (text === undefined) return 'starting';
  const life = parseLife(text);
  return life && (await isAlive(life)) ? 'running' : 'stopped';
}

/** The process that was started, if one was; if not, none will be from now on. */
async function takeLife(home: string): Promise<ProcessLife | undefined> {
  const none = join(home, 'process.none');
  try {
    await writeFile(none, '');
    await link(none, join(home, LIFE));
  } catch (error) {
    if (!hasCode(error, 'EEXIST', 'ENOENT')) throw error;
  }
  const text = await readIfThere(join(home, LIFE));
  return text ? parseLife(text) : undefined;
}

function parseLife(text: string): ProcessLife | undefined {
  const [boot = '', stat = ''] = text.split('\n');
  return lifeOf(boot, stat);
}

function parseRecord(text: string): MachineRecord | undefined {
  try {
    const { id, name, labels, createdAt }: Partial<MachineRecord> = JSON.parse(text);
    const isWhole = typeof id === 'string' && typeof name === 'string' && typeof createdAt === 'number';
    return isWhole && typeof labels === 'object' ? { id, name, labels, createdAt } : undefined;
  } catch {
    return undefined;
  }
}

/** A copy costs next to nothing where the file system can share blocks. */
async function copy(from: string, to: string, signal: AbortSignal): Promise<void> {
  const goOn = (): boolean => {
    signal.throwIfAborted();
    return true;
  };
  await cp(from, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE, filter: goOn });
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(ignore('ENOENT'));
}

function ignore(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!hasCode(error, code)) throw error;
    return undefined;
  };
}
