import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChaosDaemon } from './daemon.js';
import type { ChaosWorld } from './world.js';

const PROGRAM = join(import.meta.dirname, '../../packages/cli/bin/rungar.js');

/** A daemon as a process of its own: the built `rungar serve`, with production's own constants. */
export interface DaemonProcess extends ChaosDaemon {
  /** Stands still for a while, as on a host that sleeps. */
  freeze(ms: number): void;
  /** The most memory it has used, in MiB. */
  readonly peakMiB: number;
}

/** Starts `rungar serve` on the world's configuration, with a socket and an event file of its own. */
export async function startDaemonProcess(name: string, world: ChaosWorld): Promise<DaemonProcess> {
  const config = join(world.folder, `${name}.yaml`);
  const text = await readFile(world.config, 'utf8');
  await writeFile(config, text.replace('rungar.sock', `${name}.sock`).replace('events.jsonl', `${name}.jsonl`), {
    mode: 0o600,
  });
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--config', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: '--unhandled-rejections=strict' },
  });
  const log: string[] = [];
  let alive = true;
  let killed = false;
  let peakMiB = 0;
  let rest = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    log.push(...lines.map((line) => `${line}\n`));
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const measure = setInterval(() => {
    void readFile(`/proc/${child.pid}/status`, 'utf8').then(
      (status) => {
        peakMiB = Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
      },
      () => {},
    );
  }, 2_000);
  void ended.then(() => {
    clearInterval(measure);
    if (alive && !killed) log.push(`ended by itself with ${child.exitCode}\n`);
    alive = false;
  });
  return {
    name,
    log,
    get alive() {
      return alive;
    },
    get peakMiB() {
      return peakMiB;
    },
    kill() {
      killed = true;
      alive = false;
      child.kill('SIGKILL');
    },
    async stop() {
      killed = true;
      alive = false;
      child.kill('SIGTERM');
      await ended;
      return 0;
    },
    freeze(ms) {
      child.kill('SIGSTOP');
      setTimeout(() => child.kill('SIGCONT'), ms);
    },
    upset() {},
    pauseAll() {},
    status: () => '',
  };
}

/** Lines of a daemon that are no lines of its log: what Node itself had to say. */
export function strangeLines(log: readonly string[]): string[] {
  return log.filter((line) => !line.startsWith('time=')).map((line) => line.trim());
}
