import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { GitHubEmulator } from '@rungar/emulators/github';
import { type Clock, isRungarError, messageOf, RungarError } from '@rungar/model';
import { startAws } from './backends/aws.js';
import type { DevBackend } from './backends/backend.js';
import { startDicer } from './backends/dicer.js';
import { startGcp } from './backends/gcp.js';
import { startProxmox } from './backends/proxmox.js';
import { writeWorldFiles } from './files.js';
import { newWorldFolder, rememberWorld } from './folder.js';

/** What is shorter in the emulated world than in the real one, in milliseconds. The daemon itself is not told. */
const SHORTENED = { sessionExpiryMs: 4_000, pollHoldMs: 2_000, bootMs: [2_000, 3_000] } as const;

/** What a person is told of {@link SHORTENED}. */
export const SHORTENED_WORDS = [
  'In the emulated world, and only there, sessions expire after 4 s, polls are held',
  'for 2 s, machines boot in 2 to 3 s, and jobs take as long as they are told to.',
].join('\n');

export interface WorldPaths {
  readonly folder: string;
  readonly config: string;
  readonly socket: string;
  readonly log: string;
  readonly events: string;
}

/** GitHub and four backends on loopback, with the files of a daemon that serves them. */
export interface DevWorld {
  readonly paths: WorldPaths;
  readonly github: GitHubEmulator;
  /** In the order in which runners are placed on them. */
  readonly backends: readonly DevBackend[];
  /** What of GitHub's credentials nobody may be told. */
  readonly appKey: string;
  /** Ends all emulators; takes the folder away if it was made for this world. */
  close(options: { keepFiles: boolean }): Promise<void>;
}

/**
 * Starts the emulated world.
 * @param folder where its files go; without it a new temporary folder, which goes with the world
 */
export async function startWorld(clock: Clock, folder?: string): Promise<DevWorld> {
  // The configuration names its files by whole paths.
  const at = folder === undefined ? await newWorldFolder() : resolve(folder);
  if (folder) await makeFolder(at);
  const paths: WorldPaths = {
    folder: at,
    config: join(at, 'config.yaml'),
    socket: join(at, 'rungar.sock'),
    log: join(at, 'daemon.log'),
    events: join(at, 'events.jsonl'),
  };
  const { github, backends } = await startEmulators(clock);
  const end = async (): Promise<void> => {
    await Promise.all([github.close(), ...backends.map((backend) => backend.close())]);
  };
  const app = await github.createApp();
  const forget = await (async () => {
    await writeWorldFiles(paths, { app, githubUrl: github.configUrl, backends });
    return rememberWorld({ folder: at, github: github.url });
  })().catch(async (error: unknown) => {
    await end();
    throw unusable(at, error);
  });
  return {
    paths,
    github,
    backends,
    appKey: app.privateKey,
    async close({ keepFiles }) {
      await end();
      await forget();
      if (!folder && !keepFiles) await rm(at, { recursive: true, force: true });
    },
  };
}

async function startEmulators(clock: Clock): Promise<Pick<DevWorld, 'github' | 'backends'>> {
  const { sessionExpiryMs, pollHoldMs, bootMs } = SHORTENED;
  const { startGitHubEmulator } = await import('@rungar/emulators/github');
  const github = await startGitHubEmulator({ scopes: ['acme'], sessionExpiryMs, pollHoldMs });
  const started = await Promise.allSettled([
    startDicer(clock, bootMs),
    startProxmox(clock),
    startGcp(clock, bootMs),
    startAws(clock, bootMs),
  ]);
  const backends = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failure = started.find((one) => one.status === 'rejected');
  if (failure === undefined) return { github, backends };
  await Promise.all([github.close(), ...backends.map((backend) => backend.close())]);
  throw failure.reason;
}

/** Its parents have to be there: made on the way, they would be left behind. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw unusable(folder, error);
  }
}

function unusable(folder: string, error: unknown): Error {
  if (isRungarError(error)) return error;
  return new RungarError('invalid_argument', `the folder ${folder} cannot be used: ${messageOf(error)}`, {
    hint: 'name another with --dir, below a folder that exists',
    cause: error,
  });
}
