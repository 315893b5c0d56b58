// Two pull requests against a fleet at work: one changes a limit, the other the image. GitHub and EC2 are emulated,
// the daemon is the real one.
import { strict as assert } from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEc2Emulator } from '@rungar/emulators/aws';
import { startGitHubEmulator } from '@rungar/emulators/github';

const folder = await mkdtemp(join(tmpdir(), 'plan-in-ci-'));
const socket = join(folder, 'rungar.sock');
const github = await startGitHubEmulator({ pollHoldMs: 1_000 });
const ec2 = await startEc2Emulator({ times: { bootMs: 300, shutdownMs: 100 } });
const [image, otherImage] = ec2.catalogue.images;
const { accessKeyId, secretAccessKey } = ec2.credentials;
await writeFile(join(folder, 'token'), github.createToken(), { mode: 0o600 });
const keys = `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;
await writeFile(join(folder, 'aws'), keys, { mode: 0o600 });

/** @param {{ imageId?: string | undefined, maxRunners?: number }} change */
const configWith = ({ imageId = image?.id, maxRunners = 3 } = {}) => `version: 1
github: { url: ${github.configUrl}, token_path: ${join(folder, 'token')} }
socket: ${socket}
events: { file: ${join(folder, 'events.jsonl')} }
providers:
  - name: cloud
    type: aws
    region: ${ec2.region}
    subnets: [${ec2.catalogue.subnets[0]?.id}]
    endpoint_url: ${ec2.url}
    credentials_file: ${join(folder, 'aws')}
    runner: { instance_type: m6i.large, image: ${imageId} }
scale_sets:
  - { name: linux, max_runners: ${maxRunners}, providers: [{ name: cloud }] }
`;

const files = {
  main: configWith(),
  limit: configWith({ maxRunners: 9 }),
  image: configWith({ imageId: otherImage?.id }),
};
for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.yaml`), text, { mode: 0o600 });

const daemon = spawn('rungar', ['serve', '-f', join(folder, 'main.yaml')], { stdio: ['ignore', 'ignore', 'pipe'] });
let log = '';
daemon.stderr.setEncoding('utf8').on('data', (text) => (log += text));

/** @param {string} name @param {string} at the socket */
function check(name, at = socket) {
  const { status, stdout, stderr } = spawnSync('node', ['check.mjs', join(folder, `${name}.yaml`), at], {
    encoding: 'utf8',
  });
  console.log(`${name}.yaml ends with ${status}\n${stdout.replace(/^/gm, '  ').trimEnd()}${stderr}`);
  return status;
}

try {
  assert.equal(check('limit', join(folder, 'nobody.sock')), 2, 'no daemon, no answer');
  github.queueJob({ repository: 'acme/web', labels: ['linux'], seconds: 60 });
  const ended = once(daemon, 'exit').then(() => Promise.reject(new Error(`the daemon has ended:\n${log}`)));
  await Promise.race([github.until(() => github.jobs().some(({ state }) => state === 'running')), ended]);
  // The daemon hears of the job's start with the next message.
  await Promise.race([told('job_started'), ended]);

  assert.equal(check('limit'), 0, 'a limit may change at any time');
  assert.equal(check('image'), 1, 'another image would replace a scale set at work');
  console.log('The first pull request passes, the second does not.');
} finally {
  daemon.kill('SIGTERM');
  if (daemon.exitCode === null) await once(daemon, 'exit');
  await github.close();
  await ec2.close();
  await rm(folder, { recursive: true, force: true });
}

/** Waits for an event of the daemon. @param {string} action */
async function told(action) {
  const follower = spawn('rungar', ['events', '--follow', '--json', '--socket', socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  follower.stdout.setEncoding('utf8');
  let text = '';
  for await (const part of follower.stdout) {
    text += part;
    if (text.includes(`EVENT_ACTION_${action.toUpperCase()}`)) break;
  }
  follower.kill();
}
