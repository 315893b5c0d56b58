import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { request } from 'node:http';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { type Clock, RungarError } from '@rungar/model';
import type { World } from '../command.js';

/** The real daemon, as a process of its own. */
export interface DaemonProcess {
  readonly pid: number;
  /** Where its page is: what to open in a browser. */
  readonly page: string;
  /** Settles when the process has ended, however it did. */
  readonly ended: Promise<void>;
  /** Asks it to stop and waits until it has. */
  stop(): Promise<void>;
  /** Ends it without warning, as a crash would. */
  kill(): Promise<void>;
}

/** How long a stop may take before it is forced: a session's end is bounded at 30 s. */
const STOP_LIMIT_MS = 40_000;

/** A user's proxy is no way to an emulated world. */
const ALL_ON_THIS_HOST = { NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };

/**
 * Starts `rungar serve` on a configuration file; its log goes to `logFile`.
 * @throws RungarError when it ends before it answers on its socket and has said where its page is
 */
export async function startDaemonProcess(
  paths: { config: string; socket: string; log: string },
  world: World,
  clock: Clock,
): Promise<DaemonProcess> {
  const [interpreter, program] = world.self;
  const log = createWriteStream(paths.log, { flags: 'a', mode: 0o600 });
  const child = spawn(interpreter, [program, 'serve', '--config', paths.config], {
    // What somebody keeps here is no matter of a daemon of this host.
    env: { ...world.env, ...ALL_ON_THIS_HOST, STATE_DIRECTORY: dirname(paths.config) } as NodeJS.ProcessEnv,
    // A group of its own: Ctrl-C reaches the demonstration, which then stops the daemon in order.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.pipe(log);
  const page = addressOfPage(child.stderr);
  const ended = endOf(child, log);
  const daemon = {
    pid: child.pid ?? 0,
    ended,
    async stop(): Promise<void> {
      child.kill('SIGTERM');
      const limit = new AbortController();
      const forced = clock.sleep(STOP_LIMIT_MS, limit.signal).then(
        () => child.kill('SIGKILL'),
        () => {},
      );
      await ended;
      limit.abort();
      await forced;
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await ended;
    },
  };
  try {
    await answers(paths, child, world.signal, clock);
    const address = await Promise.race([page, ended]);
    if (address === undefined) throw endedAtOnce(paths.log);
    return { ...daemon, page: address };
  } catch (error) {
    await daemon.kill();
    throw error;
  }
}

function endOf(child: ChildProcess, log: WriteStream): Promise<void> {
  return new Promise((resolve) => {
    child.once('error', () => log.end(resolve));
    child.once('close', () => log.end(resolve));
  });
}

async function answers(
  paths: { socket: string; log: string },
  child: ChildProcess,
  signal: AbortSignal,
  clock: Clock,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
      throw endedAtOnce(paths.log);
    }
    if (await isServed(paths.socket)) return;
    await clock.sleep(50, signal);
  }
}

function endedAtOnce(log: string): RungarError {
  return new RungarError('internal', 'the daemon ended as soon as it was started', { hint: `its log is in ${log}` });
}

/** The address of the page, once the daemon's log says it. */
function addressOfPage(log: Readable): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    const look = (part: Buffer): void => {
      text += part.toString();
      const [, address] = /msg="Serving the page" address=(\S+)\n/.exec(text) ?? [];
      if (address === undefined) return;
      log.off('data', look);
      resolve(address);
    };
    log.on('data', look);
  });
}

function isServed(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: '/', method: 'GET' }, (response) => {
      response.resume();
      resolve(true);
    });
    asked.on('error', () => resolve(false));
    asked.end();
  });
}
