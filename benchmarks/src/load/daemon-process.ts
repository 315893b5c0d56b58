import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from '../benchmark.js';
import { installed } from '../programs.js';

/** What a process holds after a collection, and the CPU it has had since its start. */
export interface Usage {
  readonly heapBytes: number;
  readonly rssBytes: number;
  readonly cpuMs: number;
}

export interface DaemonProcess {
  usage(): Promise<Usage>;
  /** Stops it in good order. @throws when it fails in that, or has ended before */
  stop(): Promise<void>;
  /** Ends it at once, if it has not ended. */
  kill(): void;
}

/** Starts `rungar serve` as it is installed, able to tell what it uses. */
export async function startDaemonProcess(lab: Lab, config: string): Promise<DaemonProcess> {
  const preload = join(lab.root, 'benchmarks', 'preload', 'tell-usage.mjs');
  const program = await realpath(installed(lab, 'rungar'));
  const child = spawn(lab.node, ['--expose-gc', '--import', preload, program, 'serve', '--config', config], {
    env: { ...lab.env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000);
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  return {
    kill: () => void child.kill('SIGKILL'),
    async usage() {
      const answer = once(child, 'message') as Promise<[Usage]>;
      child.send('usage');
      const [usage] = await Promise.race([
        answer,
        ended.then(([code]) => {
          throw new Error(`the daemon ended with ${code}: ${said}`);
        }),
      ]);
      return usage;
    },
    async stop() {
      child.kill('SIGTERM');
      const [code] = await ended;
      if (code !== 0) throw new Error(`the daemon ended with ${code}: ${said}`);
    },
  };
}
