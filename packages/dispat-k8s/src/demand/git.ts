import { spawn } from 'node:child_process';
import { type Clock, limitTime, RungarError } from '@rungar/model';
import { redactEndpoint } from '../endpoint.js';
import { type InputError, inputError } from '../problems.js';

/** How one run of git went. */
export interface GitResult {
  /** The exit code; nothing when a signal ended it. */
  readonly code: number | undefined;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** One run of git. */
export interface GitCall {
  readonly args: readonly string[];
  /** What it reads. */
  readonly input?: string;
  readonly signal: AbortSignal;
}

/** Runs git. A test may put another program in its place. */
export interface GitRunner {
  /** @throws RungarError `unavailable` when it cannot be started, takes too long or prints too much */
  run(call: GitCall): Promise<GitResult>;
}

/** How git is run. */
export interface GitOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** The program; `git` on the path. */
  readonly program?: string;
}

/** More than this is no list of branches. */
const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;
const MOST_STDERR = 16 * 1024;

/** Variables that would point git to a repository, or make it print more than it was asked for. */
const UNWANTED =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|NAMESPACE|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|PREFIX|TRACE.*|CURL_VERBOSE|CONFIG_PARAMETERS)$/;

/**
 * The real git, without a shell: it asks nobody anything, speaks only https, ssh and file, and is ended when it takes
 * too long.
 */
export function systemGit({ env, clock, timeoutMs, program = 'git' }: GitOptions): GitRunner {
  const environment = gitEnvironment(env);
  return {
    async run({ args, input, signal }) {
      signal.throwIfAborted();
      using limit = limitTime(
        clock,
        timeoutMs,
        () => new RungarError('unavailable', `git ${args[0] ?? ''} took more than ${timeoutMs / 1000} s`),
        signal,
      );
      return await runProgram(program, args, environment, input, limit.signal);
    },
  };
}

/** The environment git runs in: the caller's, without what would steer it elsewhere, and with every prompt off. */
export function gitEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || UNWANTED.test(name) ? [] : [[name, value] as const],
  );
  return {
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
    ...Object.fromEntries(kept),
    GIT_ALLOW_PROTOCOL: 'https:ssh:file',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    LC_ALL: 'C',
  };
}

function runProgram(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  input: string | undefined,
  signal: AbortSignal,
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    // From the root folder no repository's own settings apply.
    const child = spawn(program, args, { cwd: '/', env, stdio: ['pipe', 'pipe', 'pipe'], shell: false });
    const out: Buffer[] = [];
    let size = 0;
    let stderr = '';

    const end = (error: unknown): void => {
      signal.removeEventListener('abort', onAbort);
      child.stdout.destroy();
      child.stderr.destroy();
      child.kill('SIGKILL');
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const onAbort = (): void => end(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });

    child.stdout.on('data', (part: Buffer) => {
      out.push(part);
      size += part.length;
      if (size > MOST_OUTPUT_BYTES)
        end(new RungarError('unavailable', `git printed more than ${MOST_OUTPUT_BYTES} bytes`));
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      stderr = (stderr + part).slice(-MOST_STDERR);
    });
    child.stdin.on('error', () => {}); // it may end before it has read everything
    child.stdin.end(input ?? '');
    child.on('error', (error) =>
      end(new RungarError('unavailable', `${program} cannot be run: ${error.message}`, { cause: error })),
    );
    child.on('close', (code) => {
      signal.removeEventListener('abort', onAbort);
      resolve({ code: code ?? undefined, stdout: Buffer.concat(out), stderr });
    });
  });
}

/** What git adds to every failure of a remote: it says nothing of this one. */
const ADVICE =
  /^(fatal: Could not read from remote repository\.|Please make sure you have|and the repository exists\.)/;

/** What is said when git fails: its exit code and last line, without any credential or user. */
export function gitFailed({ code, stderr }: Pick<GitResult, 'code' | 'stderr'>, endpoint: string): InputError {
  const lines = stderr.split(/\r?\n/).filter((line) => line.trim() !== '' && !ADVICE.test(line));
  const last = redacted(lines.at(-1) ?? 'no message', endpoint);
  return inputError({
    code: 'GIT_FAILED',
    at: redactEndpoint(endpoint),
    found: `git ended with ${code === undefined ? 'a signal' : `exit code ${code}`}: ${last}`,
    allowed: 'a mailbox repository this user can read without being asked anything',
    fix: `try \`git ls-remote --heads -- ${redactEndpoint(endpoint)}\` by hand`,
  });
}

/** The same for a git that could not be run at all, or was ended by the time limit. */
export function gitUnavailable(error: RungarError, endpoint: string): InputError {
  return inputError({
    code: 'GIT_FAILED',
    at: redactEndpoint(endpoint),
    found: redacted(error.message, endpoint),
    allowed: 'a git that answers within the time limit',
    fix: 'install git, or give it longer with --timeout',
  });
}

/** `text` without the endpoint as it was written, and without the user half of any other address. */
export function redacted(text: string, endpoint: string): string {
  return text
    .replaceAll(endpoint, redactEndpoint(endpoint))
    .replace(/([A-Za-z][A-Za-z0-9+.-]*:\/\/)[^/\s'"]*@/g, '$1REDACTED@')
    .replace(/\p{Cc}/gu, '?')
    .slice(0, 500);
}
