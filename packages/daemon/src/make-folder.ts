import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it that are missing; one that is there stays as it is. Step by step, because
 * Node.js 20's own recursive `mkdir` never ends where a folder can be seen but nothing made in it, below `/proc` say.
 * @param mode of the folders that are made, for example 0o750
 * @throws the system's error
 */
export async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') return;
    const above = dirname(path);
    if (code !== 'ENOENT' || above === path) throw error;
    await makeFolder(above, mode);
    await makeLast(path, mode);
  }
}

async function makeLast(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // Somebody else was quicker.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
