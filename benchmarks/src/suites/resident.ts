import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const KIBIBYTE = 1024;

/** What a process keeps in memory, by `ps`, which every Unix has. */
export async function residentBytes(pid: number | undefined): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) * KIBIBYTE;
}
