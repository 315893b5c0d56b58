import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { atEnd } from './cleanup.js';
import { eventually } from './eventually.js';

/** The program as it is installed: what was built, not the sources. */
const RUNGAR = resolve(import.meta.dirname, '../../../node_modules/.bin/rungar');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A `rungar` that runs as a process of its own. */
export interface RungarProcess {
  readonly pid: number;
  /** Everything it has written so far. */
  stdout(): string;
  stderr(): string;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>;
  /** Reads no more of what it writes. */
  hangUp(): void;
  readonly ended: Promise<Ended>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  /** Of a daemon, beside its configuration. */
  readonly flags?: readonly string[];
}

/** Starts `rungar` with the arguments; whatever is left of it at the end of the test is killed. */
export function startRungar(args: readonly string[], { env = {}, uid }: StartOptions = {}): RungarProcess {
  const child = spawn(process.execPath, [RUNGAR, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, AWS_EC2_METADATA_DISABLED: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (part: string) => {
      text[name] += part;
    });
  }
  const ended = new Promise<Ended>((done) => {
    child.once('close', (code, signal) => done({ code, signal, ...text }));
  });
  atEnd(async () => {
    if (isRunning(child)) child.kill('SIGKILL');
    await ended;
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    ended,
    hangUp: () => void child.stdout.destroy(),
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Runs `rungar` to its end. */
export function rungar(args: readonly string[], options?: StartOptions): Promise<Ended> {
  return startRungar(args, options).ended;
}

/** Starts a daemon and waits until it answers on its socket. */
export async function startServe(config: string, options?: StartOptions): Promise<RungarProcess> {
  const daemon = startRungar(['serve', '--config', config, ...(options?.flags ?? [])], options);
  await eventually('the daemon serves', () => / msg=Serving |"msg":"Serving"/.test(daemon.stderr()), daemon.ended);
  return daemon;
}

/** The processes whose command line names `text`, this one left out. */
export async function processesNaming(text: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,args=']);
  return stdout.split('\n').filter((line) => line.includes(text) && Number.parseInt(line, 10) !== process.pid);
}
