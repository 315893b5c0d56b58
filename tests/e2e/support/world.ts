import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Ec2Emulator,
  type Ec2EmulatorOptions,
  type EmulatedInstance,
  startEc2Emulator,
} from '@rungar/emulators/aws';
import {
  type EmulatedApp,
  type GitHubEmulator,
  type GitHubEmulatorOptions,
  startGitHubEmulator,
} from '@rungar/emulators/github';
import type { StatusAnswer } from '../../../packages/cli/src/control/answers.js';
import { call } from '../../../packages/cli/src/control/call.js';
import { atEnd } from './cleanup.js';

/** GitHub and EC2 on loopback, and a folder for the files of the daemons that serve them. */
export interface World {
  readonly folder: string;
  readonly github: GitHubEmulator;
  readonly ec2: Ec2Emulator;
  readonly app: EmulatedApp;
  /** Writes a configuration file. @returns its path */
  writeConfig(config?: ConfigOptions): Promise<string>;
  /** Machines that are not gone, by name. */
  standing(): EmulatedInstance[];
  /** What `rungar status --json` prints, asked without starting a process. */
  status(socket?: string): Promise<StatusAnswer>;
}

export interface ConfigOptions {
  /** The name of the file, without its ending. Default `config`. */
  readonly name?: string;
  /** Default `s` in the world's folder. */
  readonly socket?: string;
  /** Default `events.jsonl` in the world's folder. */
  readonly events?: string;
  /** The file with the App's key. Default the right one. */
  readonly key?: string;
  readonly url?: string;
  readonly scaleSets?: string;
  /** The runner block of the provider. */
  readonly runner?: string;
  /** Lines to put before the others. */
  readonly extra?: string;
}

export interface WorldOptions {
  readonly github?: GitHubEmulatorOptions;
  readonly ec2?: Ec2EmulatorOptions;
}

/** A short path: the name of a socket may have 103 bytes. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp('/tmp/rge-');
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts the two emulators, quick ones, until the test is over. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const folder = await newFolder();
  const github = await startGitHubEmulator({
    scopes: ['acme'],
    pollHoldMs: 1_000,
    sessionExpiryMs: 4_000,
    ...options.github,
  });
  const ec2 = await startEc2Emulator({ times: { bootMs: [50, 150], shutdownMs: 50 }, ...options.ec2 });
  atEnd(async () => {
    await Promise.all([github.close(), ec2.close()]);
  });
  const app = await github.createApp();
  const { accessKeyId, secretAccessKey } = ec2.credentials;
  await writeFile(join(folder, 'app.pem'), app.privateKey, { mode: 0o600 });
  await writeFile(
    join(folder, 'aws'),
    `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
    { mode: 0o600 },
  );
  const defaultSocket = join(folder, 's');
  return {
    folder,
    github,
    ec2,
    app,
    async writeConfig(config = {}) {
      const path = join(folder, `${config.name ?? 'config'}.yaml`);
      await writeFile(path, configText({ folder, github, ec2, app }, config), { mode: 0o600 });
      return path;
    },
    standing: () => ec2.instances().filter(({ state }) => state === 'pending' || state === 'running'),
    status: (socket = defaultSocket) =>
      call<StatusAnswer>({ socket, method: 'GetStatus', signal: new AbortController().signal }),
  };
}

function configText(
  { folder, github, ec2, app }: Pick<World, 'folder' | 'github' | 'ec2' | 'app'>,
  config: ConfigOptions,
): string {
  const { subnets, images } = ec2.catalogue;
  const {
    socket = join(folder, 's'),
    events = join(folder, 'events.jsonl'),
    key = join(folder, 'app.pem'),
    url = github.configUrl,
    scaleSets = '- {name: small, max_runners: 4, providers: [cloud]}',
    runner = `{instance_type: m5.large, image: ${images[0]?.id}}`,
    extra = '',
  } = config;
  return `version: 1
github:
  url: ${url}
  app_client_id: ${app.clientId}
  app_installation_id: ${app.installationId}
  app_private_key_path: ${key}
reconcile_interval: 5s
socket: ${socket}
events: {file: ${events}}
${extra}
providers:
  - name: cloud
    type: aws
    region: ${ec2.region}
    endpoint_url: ${ec2.url}
    credentials_file: ${join(folder, 'aws')}
    subnets: [${subnets[0]?.id}]
    runner: ${runner}
scale_sets:
  ${scaleSets.trim().replaceAll('\n', '\n  ')}
`;
}

/** The names in the world's folder, to see that nothing was left there. */
export async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).sort();
}
