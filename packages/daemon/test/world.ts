import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '@rungar/config';
import { type Daemon, type StartOptions, startDaemon } from '@rungar/daemon';
import { createControlClient } from '@rungar/daemon/client';
import { type Ec2Emulator, startEc2Emulator } from '@rungar/emulators/aws';
import { type GitHubEmulator, startGitHubEmulator } from '@rungar/emulators/github';
import { createRedactor, systemClock, systemRandom } from '@rungar/model';
import { providerTypes } from '@rungar/providers';
import { onTestFinished } from 'vitest';
import { tempDir } from './temp-dir.js';

/** An emulated GitHub and EC2, and a configuration file for them in a folder of its own. */
export interface World {
  readonly github: GitHubEmulator;
  readonly ec2: Ec2Emulator;
  readonly folder: string;
  /** Rewrites the configuration file. */
  edit(change: (text: string) => string): Promise<void>;
  /** Loads the configuration as a command would, and starts a daemon on it. */
  start(more?: Partial<StartOptions>): Promise<Daemon>;
  /** Everything that daemons of this world have logged. */
  log(): string;
  events(): Promise<Record<string, unknown>[]>;
  client(): ReturnType<typeof createControlClient>;
}

const IMAGE = 'ami-0123456789abcdef0';
const SUBNET = 'subnet-0aaaaaaaaaaaaaaa1';

/** @param scaleSet further keys of the one scale set, `linux` */
export async function openWorld(scaleSet: readonly string[] = []): Promise<World> {
  const github = await startGitHubEmulator({ pollHoldMs: 200, sessionExpiryMs: 2_000 });
  onTestFinished(() => github.close());
  const ec2 = await startEc2Emulator({ times: { bootMs: 10, shutdownMs: 10 } });
  onTestFinished(() => ec2.close());
  const folder = await tempDir();
  const app = await github.createApp();
  const secret = { mode: 0o600 };
  await writeFile(join(folder, 'app.pem'), app.privateKey, secret);
  const { accessKeyId, secretAccessKey } = ec2.credentials;
  const keys = `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;
  await writeFile(join(folder, 'aws'), keys, secret);
  const config = join(folder, 'config.yaml');
  await writeFile(
    config,
    `version: 1
github:
  url: ${github.configUrl}
  app_client_id: ${app.clientId}
  app_installation_id: ${app.installationId}
  app_private_key_path: ${join(folder, 'app.pem')}
reconcile_interval: 5s
socket: ${join(folder, 'rungar.sock')}
log_level: debug
events: { file: ${join(folder, 'events.jsonl')} }
metrics: { enable: true, listen: '127.0.0.1:0' }
providers:
  - name: cloud
    type: aws
    region: ${ec2.region}
    subnets: [${SUBNET}]
    endpoint_url: ${ec2.url}
    credentials_file: ${join(folder, 'aws')}
    runner: { instance_type: [m6i.large], image: ${IMAGE} }
scale_sets:
  - name: linux
    max_runners: 3
    providers: [{ name: cloud }]
${scaleSet.map((line) => `    ${line}\n`).join('')}`,
  );
  const written: string[] = [];

  return {
    github,
    ec2,
    folder,
    edit: async (change) => writeFile(config, change(await readFile(config, 'utf8'))),
    async start(more = {}) {
      const signal = new AbortController().signal;
      const { settings, problems, deprecations, root } = await loadConfig(config, { types: providerTypes, signal });
      if (!settings) throw new Error(problems.map((problem) => `${problem.path} ${problem.message}`).join('\n'));
      const daemon = await startDaemon({
        settings,
        source: { root, types: providerTypes },
        env: { STATE_DIRECTORY: folder },
        warnings: [...problems, ...deprecations],
        version: '1.2.3',
        commit: 'abc1234',
        clock: systemClock,
        random: systemRandom,
        redactor: createRedactor(),
        stderr: { write: (text) => written.push(text) },
        host: { name: 'host', nodeVersion: process.versions.node, umask: (mask) => process.umask(mask) },
        ...more,
      });
      onTestFinished(() => daemon.stop().catch(() => {}));
      return daemon;
    },
    log: () => written.join(''),
    async events() {
      const text = await readFile(join(folder, 'events.jsonl'), 'utf8');
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    client: () => createControlClient(join(folder, 'rungar.sock')),
  };
}
