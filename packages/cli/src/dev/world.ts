import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Ec2Emulator } from '@rungar/emulators/aws';
import type { GitHubEmulator } from '@rungar/emulators/github';
import { isRungarError, messageOf, RungarError } from '@rungar/model';
import { writeWorldFiles } from './files.js';
import { newWorldFolder, rememberWorld } from './folder.js';

/** What is shorter in the emulated world than in the real one, in milliseconds. The daemon itself is not told. */
const SHORTENED = { sessionExpiryMs: 5_000, pollHoldMs: 2_000, bootMs: [2_000, 4_000] } as const;

/** What a person is told of {@link SHORTENED}. */
export const SHORTENED_WORDS = [
  'In the emulated world, and only there, sessions expire after 5 s, polls are',
  'held for 2 s, machines boot in 2 to 4 s, and jobs run for 5 to 15 s.',
].join('\n');

export interface WorldPaths {
  readonly folder: string;
  readonly config: string;
  readonly socket: string;
  readonly log: string;
  readonly events: string;
}

/** GitHub and EC2 on loopback, with the files of a daemon that serves them. */
export interface DevWorld {
  readonly paths: WorldPaths;
  readonly github: GitHubEmulator;
  readonly ec2: Ec2Emulator;
  /** Ends both emulators; takes the folder away if it was made for this world. */
  close(options: { keepFiles: boolean }): Promise<void>;
}

/**
 * Starts the emulated world.
 * @param folder where its files go; without it a new temporary folder, which goes with the world
 */
export async function startWorld(folder?: string): Promise<DevWorld> {
  const [{ startGitHubEmulator }, { startEc2Emulator }] = await Promise.all([
    import('@rungar/emulators/github'),
    import('@rungar/emulators/aws'),
  ]);
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
  const { sessionExpiryMs, pollHoldMs, bootMs } = SHORTENED;
  const github = await startGitHubEmulator({ scopes: ['acme'], sessionExpiryMs, pollHoldMs });
  const ec2 = await startEc2Emulator({ times: { bootMs: [...bootMs] } });
  const forget = await (async () => {
    await writeWorldFiles(paths, { app: await github.createApp(), githubUrl: github.configUrl, ec2 });
    return rememberWorld({ folder: at, github: github.url });
  })().catch(async (error: unknown) => {
    await Promise.all([github.close(), ec2.close()]);
    throw unusable(at, error);
  });
  return {
    paths,
    github,
    ec2,
    async close({ keepFiles }) {
      await Promise.all([github.close(), ec2.close()]);
      await forget();
      if (!folder && !keepFiles) await rm(at, { recursive: true, force: true });
    },
  };
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
