import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A POSIX shell as an image may have it. */
export interface Shell {
  readonly name: string;
  /** What runs `-c SCRIPT`; nothing when this machine does not have it. */
  readonly command: readonly [file: string, ...args: string[]] | undefined;
}

/** The shells that images have: Debian's, Alpine's and most others'. */
export const SHELLS: readonly Shell[] = [
  { name: 'dash', command: found('dash') },
  { name: 'busybox sh', command: found('busybox', 'sh') },
  { name: 'bash', command: found('bash', '--posix') },
];

function found(file: string, ...args: string[]): Shell['command'] {
  const folder = (process.env.PATH ?? '').split(delimiter).find((each) => existsSync(join(each, file)));
  return folder === undefined ? undefined : [join(folder, file), ...args];
}

/** What a run of a start script did. */
export interface ScriptRun {
  readonly code: number | null;
  readonly stderr: string;
  /** The words that the stub of dispat was called with; nothing when it was not called. */
  readonly calledWith: readonly string[] | undefined;
  /** The worker file that was left; nothing when none was. */
  readonly file: string | undefined;
  readonly mode: number | undefined;
}

/**
 * A folder that stands for a pod: a PATH with nothing on it but stubs of `dispat` and `tini`, and a work folder. Any
 * other program that a script tried to start is not found, and the script fails.
 */
export class ScriptWorld implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), 'dispat-script-'));
  readonly workDir = join(this.root, 'work');
  readonly #bin = join(this.root, 'bin');
  readonly #called = join(this.root, 'called');

  constructor() {
    mkdirSync(this.workDir);
    mkdirSync(this.#bin);
    this.#stub('dispat', `printf '%s\\0' "$@" >'${this.#called}'`);
    this.#stub('tini', 'shift\nexec "$@"');
  }

  #stub(name: string, body: string): void {
    const file = join(this.#bin, name);
    writeFileSync(file, `#!/bin/sh\n${body}\n`);
    chmodSync(file, 0o755);
  }

  /** Runs a script as the pod would: these arguments, and these variables alone. */
  run(shell: readonly [string, ...string[]], script: string, env: Readonly<Record<string, string>>): ScriptRun {
    const [file, ...args] = shell;
    const worker = join(this.workDir, 'dispat.json');
    rmSync(worker, { force: true });
    rmSync(this.#called, { force: true });
    const { status, stderr } = spawnSync(file, [...args, '-c', script], {
      env: { PATH: this.#bin, ...env },
      encoding: 'utf8',
      cwd: this.root,
      // A bash whose input is a socket takes itself for a remote one, and reads files of the user's.
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return {
      code: status,
      stderr,
      calledWith: existsSync(this.#called) ? readFileSync(this.#called, 'utf8').split('\0').slice(0, -1) : undefined,
      file: existsSync(worker) ? readFileSync(worker, 'utf8') : undefined,
      mode: existsSync(worker) ? modeOf(worker) : undefined,
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}
