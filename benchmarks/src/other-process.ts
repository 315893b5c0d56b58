import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Lab } from './benchmark.js';

/** A program of ours in a process of its own, whose CPU is not counted. */
export interface OtherProcess {
  /** The first line it printed: where it is to be reached, say. */
  readonly said: string;
  close(): void;
}

/**
 * Starts a module in another process and waits for its first line.
 * @param source an ES module; it runs in this folder, so that it finds the packages
 * @param args what it finds in `process.argv` from the second on
 * @throws when it ends before it has said anything
 */
export function startOther(lab: Lab, source: string, args: readonly string[]): Promise<OtherProcess> {
  const child = spawn(lab.node, ['--input-type=module', '--eval', source, '--', ...args], {
    cwd: `${lab.root}/benchmarks`,
    env: { ...lab.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the other process ended with ${code} before it was ready`)));
    createInterface(child.stdout).once('line', (said) => resolve({ said, close: () => child.kill() }));
  });
}
