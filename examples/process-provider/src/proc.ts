import { readdir, readFile } from 'node:fs/promises';

/** One life of a process: a number alone is given to another process some day. */
export interface ProcessLife {
  readonly pid: number;
  /** Which boot of the host it was started in. */
  readonly boot: string;
  /** In clock ticks after that boot, as the kernel writes it. */
  readonly startedAt: string;
}

/** The variable that every process of a machine inherits. */
export const MARK = 'RUNGAR_MACHINE';

/** @param stat a line of `/proc/PID/stat`; its second field, in parentheses, may hold anything */
export function lifeOf(boot: string, stat: string): ProcessLife | undefined {
  const rest = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startedAt = rest[19];
  const pid = Number.parseInt(stat, 10);
  // No machine is process 1, whose number as a group means every process there is.
  return pid > 1 && startedAt ? { pid, boot, startedAt } : undefined;
}

export async function isAlive(life: ProcessLife): Promise<boolean> {
  const [boot, stat] = await Promise.all([readBoot(), readIfThere(`/proc/${life.pid}/stat`)]);
  if (stat === undefined || boot !== life.boot) return false;
  const isDead = /\) [ZXx] /.test(stat);
  return !isDead && lifeOf(boot, stat)?.startedAt === life.startedAt;
}

/** The processes that have {@link MARK} with this value in their environment, in whatever group they are by now. */
export async function markedWith(id: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const marked = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readIfThere(`/proc/${pid}/environ`);
      return environment?.split('\0').includes(`${MARK}=${id}`);
    }),
  );
  return pids.filter((_, at) => marked[at]);
}

/** @param pid of a process, or of a group when it is negative; one that has ended is no error */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

async function readBoot(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}

/** Of a process that has ended, or is another user's, there is nothing to read. */
async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return undefined;
    throw error;
  }
}
