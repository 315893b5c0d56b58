import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of the running test's own, gone when it has finished. Its path is short enough for a socket. */
export async function tempDir(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'rungar-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}
