import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ec2Emulator } from '@rungar/emulators/aws';
import type { EmulatedApp } from '@rungar/emulators/github';
import type { WorldPaths } from './world.js';

interface WorldFacts {
  readonly app: EmulatedApp;
  readonly githubUrl: string;
  readonly ec2: Ec2Emulator;
}

/** Writes what a daemon needs to serve the world: an App's key, keys of the cloud account, and a configuration. */
export async function writeWorldFiles(paths: WorldPaths, facts: WorldFacts): Promise<void> {
  const key = join(paths.folder, 'app.pem');
  const credentials = join(paths.folder, 'aws-credentials');
  const { accessKeyId, secretAccessKey } = facts.ec2.credentials;
  await Promise.all([
    writeFile(key, facts.app.privateKey, { mode: 0o600 }),
    writeFile(
      credentials,
      `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
      { mode: 0o600 },
    ),
    writeFile(paths.config, configuration(paths, facts, { key, credentials }), { mode: 0o600 }),
  ]);
}

/** The configuration as a person would write it. JSON strings are YAML strings, whatever a path holds. */
function configuration(
  paths: WorldPaths,
  { app, githubUrl, ec2 }: WorldFacts,
  files: { key: string; credentials: string },
): string {
  const { subnets, images } = ec2.catalogue;
  return `version: 1

github:
  url: ${githubUrl}
  app_client_id: ${app.clientId}
  app_installation_id: ${app.installationId}
  app_private_key_path: ${JSON.stringify(files.key)}

reconcile_interval: 5s
socket: ${JSON.stringify(paths.socket)}
events:
  file: ${JSON.stringify(paths.events)}

providers:
  - name: cloud
    type: aws
    region: ${ec2.region}
    # Without this line it would be AWS's own address for the region.
    endpoint_url: ${ec2.url}
    credentials_file: ${JSON.stringify(files.credentials)}
    subnets: [${subnets
      .slice(0, 2)
      .map(({ id }) => id)
      .join(', ')}]
    runner:
      instance_type: [m6i.large, m5.large]
      image: ${images[0]?.id}

scale_sets:
  # One runner more than there are jobs, so that the next job starts at once.
  - name: linux-small
    min_runners: 1
    max_runners: 5
    providers: [cloud]
  - name: linux-large
    labels: [release]
    max_runners: 3
    providers:
      - name: cloud
        runner: {instance_type: m6i.xlarge}
`;
}
