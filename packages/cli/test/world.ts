import { Readable } from 'node:stream';
import { systemClock } from '@rungar/model';
import type { World } from '../src/command.js';
import { run } from '../src/run.js';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line in a world of its own and gives what it printed. */
export async function runCli(args: readonly string[], given: Partial<World> & { input?: string } = {}): Promise<Ran> {
  const { input = '', ...parts } = given;
  let stdout = '';
  let stderr = '';
  const world: World = {
    env: {},
    stdin: Readable.from([input]),
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    signal: new AbortController().signal,
    clock: systemClock,
    host: { name: 'host', nodeVersion: '20.19.0', umask: () => 0o022 },
    self: ['node', 'rungar'],
    ...parts,
  };
  const code = await run(args, world);
  return { code, stdout, stderr };
}
