import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EmulatedApp } from '@rungar/emulators/github';
import type { DevBackend } from './backends/backend.js';
import type { WorldPaths } from './world.js';

interface WorldFacts {
  readonly app: EmulatedApp;
  readonly githubUrl: string;
  readonly backends: readonly DevBackend[];
}

const KEY_FILE = 'app.pem';

/** Writes what a daemon needs to serve the world: an App's key, what the backends ask for, and a configuration. */
export async function writeWorldFiles(paths: WorldPaths, facts: WorldFacts): Promise<void> {
  const files = new Map([[KEY_FILE, facts.app.privateKey], ...facts.backends.flatMap(({ files }) => [...files])]);
  await Promise.all([...files].map(([name, text]) => writeFile(join(paths.folder, name), text, { mode: 0o600 })));
  await writeFile(paths.config, configuration(paths, facts), { mode: 0o600 });
}

/** The configuration as a person would write it. JSON strings are YAML strings, whatever a path holds. */
function configuration(paths: WorldPaths, { app, githubUrl, backends }: WorldFacts): string {
  const entries = backends.map((backend) => indented(backend.entry(paths.folder)));
  return `version: 1

github:
  url: ${githubUrl}
  app_client_id: ${app.clientId}
  app_installation_id: ${app.installationId}
  app_private_key_path: ${JSON.stringify(join(paths.folder, KEY_FILE))}

reconcile_interval: 5s
socket: ${JSON.stringify(paths.socket)}
events:
  file: ${JSON.stringify(paths.events)}
page:
  enable: true
  # Whatever is free: the log says where it is.
  listen: 127.0.0.1:0

providers:
${entries.join('\n')}
scale_sets:
  # Hosts of one's own come first, and a cloud takes what they have no room for. There is one runner more than there
  # are jobs, so that the next job starts at once.
  - name: linux-small
    min_runners: 1
    max_runners: 9
    placement: pack
    providers: [dicer, proxmox, gcp]
  - name: linux-large
    labels: [release]
    max_runners: 3
    providers:
      - name: aws
        runner: {instance_type: m6i.xlarge}
`;
}

function indented(lines: string): string {
  return lines.replace(/^(?=.)/gm, '  ');
}
