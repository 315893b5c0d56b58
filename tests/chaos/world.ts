import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmulatorRandom, seededRandom } from '@rungar/emulators';
import { type Ec2Emulator, type EmulatedInstance, startEc2Emulator } from '@rungar/emulators/aws';
import { type GitHubEmulator, startGitHubEmulator } from '@rungar/emulators/github';
import { type FastClock, fastClock } from './fast-clock.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** What the configuration says of each scale set, as far as it is checked. */
export interface SetFacts {
  readonly name: string;
  readonly label: string;
  readonly maxRunners: number;
}

export const SETS: readonly SetFacts[] = [
  { name: 'linux', label: 'linux', maxRunners: 5 },
  { name: 'arm', label: 'arm', maxRunners: 3 },
  { name: 'release', label: 'release', maxRunners: 4 },
];
/** How many machines each account may have of ours. */
export const ROOM: Readonly<Record<string, number>> = { east: 6, west: 0 };

/** Emulated GitHub and two emulated accounts, on one fast clock, with strangers' machines in them. */
export interface ChaosWorld {
  readonly clock: FastClock;
  readonly random: EmulatorRandom;
  readonly github: GitHubEmulator;
  readonly accounts: ReadonlyMap<string, Ec2Emulator>;
  readonly foreign: ReadonlyMap<string, EmulatedInstance>;
  readonly folder: string;
  readonly config: string;
  readonly startTimeoutMs: number;
  /** How much shorter the world's own times are than usual. */
  readonly shortened: number;
  /** What no log, event or status may show. */
  readonly secrets: readonly string[];
  close(): Promise<void>;
}

const oneOf = <T>(random: EmulatorRandom, values: readonly [T, ...T[]]): T =>
  values[Math.floor(random.fraction() * values.length)] ?? values[0];

/** What is so for the whole of a run differs from seed to seed: the personality, the ids, the limits, the latencies. */
export async function openChaosWorld(
  seed: number,
  { speed, short }: { speed: number; short: boolean },
): Promise<ChaosWorld> {
  const clock = fastClock(speed);
  const shortened = short ? 6 : 1;
  const startTimeoutMs = short ? 30 * SECOND : 2 * MINUTE;
  const random = seededRandom(seed);
  const github = await startGitHubEmulator({
    clock,
    random,
    scopes: ['acme'],
    personality: oneOf(random, ['direct', 'acquire']),
    restRunnerIdOffset: oneOf(random, [0, 0, 100_000]),
    // A job is never given up by GitHub for want of a runner: whatever is cancelled was cancelled by the driver.
    requeues: 100_000,
    assignmentTimeoutMs: (5 * MINUTE) / shortened,
    ...(short && { sessionExpiryMs: 5 * SECOND, pollHoldMs: 2 * SECOND }),
    requeueDelayMs: 100,
    runnerOfflineAfterMs: (15 * SECOND) / shortened,
    runnerLostAfterMs: (10 * MINUTE) / shortened,
    rateLimit: oneOf(random, [5_000, 5_000, 600]),
    adminTokenMs: oneOf(random, [60 * MINUTE, 5 * MINUTE]),
    queueTokenMs: oneOf(random, [60 * MINUTE, 3 * MINUTE]),
  });
  const accounts = new Map<string, Ec2Emulator>();
  for (const name of ['east', 'west']) {
    accounts.set(
      name,
      await startEc2Emulator({
        clock,
        random,
        accountId: name === 'east' ? '111111111111' : '222222222222',
        region: name === 'east' ? 'us-east-1' : 'us-west-2',
        times: {
          bootMs: [(8 * SECOND) / shortened, (25 * SECOND) / shortened],
          shutdownMs: (4 * SECOND) / shortened,
          terminatedMs: 2 * MINUTE,
        },
        latency: { actions: { RunInstances: 800, DescribeInstances: 300, TerminateInstances: 300 } },
        paging: { pageSize: oneOf(random, [1000, 5]) },
        throttle: { RunInstances: { bucket: 5, perSecond: 2 } },
      }),
    );
  }
  const folder = await mkdtemp(join(tmpdir(), 'rungar-chaos-'));
  const app = await github.createApp();
  const key = join(folder, 'app.pem');
  await writeFile(key, app.privateKey, { mode: 0o600 });
  const providers = await Promise.all([...accounts].map((account) => providerText(folder, account)));
  const config = join(folder, 'config.yaml');
  await writeFile(
    config,
    `version: 1
installation: chaos
github:
  url: ${github.configUrl}
  app_client_id: ${app.clientId}
  app_installation_id: ${app.installationId}
  app_private_key_path: ${key}
reconcile_interval: ${short ? '5s' : '30s'}
socket: ${join(folder, 'rungar.sock')}
log_level: debug
events: { file: ${join(folder, 'events.jsonl')}, max_count: 1000 }
metrics: { enable: true, listen: '127.0.0.1:0' }
providers:
${providers.join('')}
scale_sets:
  - { name: linux, min_runners: ${short ? 0 : 1}, max_runners: 5, start_timeout: ${startTimeoutMs / SECOND}s, max_idle_age: ${short ? '1m' : '6m'}, providers: [east, west] }
  - { name: arm, max_runners: 3, start_timeout: ${startTimeoutMs / SECOND}s, placement: pack, priority: 1, providers: [{ name: east }, { name: west }] }
  - { name: release, max_runners: 4, start_timeout: ${startTimeoutMs / SECOND}s, providers: [west] }
`,
    { mode: 0o600 },
  );
  const secrets = [
    ...app.privateKey.split('\n').filter((line) => line.length > 40),
    ...[...accounts.values()].map(({ credentials }) => credentials.secretAccessKey),
  ];
  return {
    clock,
    random,
    github,
    accounts,
    foreign: new Map([...accounts.values()].flatMap(addStrangers)),
    folder,
    config,
    startTimeoutMs,
    shortened,
    secrets,
    async close() {
      await Promise.all([github.close(), ...[...accounts.values()].map((ec2) => ec2.close())]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function providerText(folder: string, [name, ec2]: [string, Ec2Emulator]): Promise<string> {
  const keys = join(folder, `aws-${name}`);
  const { accessKeyId, secretAccessKey } = ec2.credentials;
  await writeFile(keys, `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`, {
    mode: 0o600,
  });
  const [first, second] = ec2.catalogue.subnets;
  return `  - name: ${name}
    type: aws
    region: ${ec2.region}
    endpoint_url: ${ec2.url}
    credentials_file: ${keys}
    subnets: [${first?.id}, ${second?.id}]
    max_runners: ${ROOM[name]}
    weight: ${name === 'east' ? 2 : 1}
    runner: { instance_type: [m6i.large, m5.large], image: ${ec2.catalogue.images[0]?.id}, spot: true }
`;
}

/** Machines that look ever more like ours, and are not. */
function addStrangers(ec2: Ec2Emulator): [string, EmulatedInstance][] {
  const tags = (name: string, more: Record<string, string> = {}): Record<string, string> => ({
    Name: name,
    'rungar.sh/managed': 'true',
    'rungar.sh/installation': 'chaos',
    'rungar.sh/scale-set': 'linux',
    'rungar.sh/runner': name,
    'rungar.sh/revision': '0123456789ab',
    ...more,
  });
  const strangers = [
    { Name: 'database' },
    tags('linux-00000001', { 'rungar.sh/installation': 'another' }),
    tags('linux-00000002', { 'rungar.sh/runner': 'linux-00000003' }),
    tags('other-00000001', { 'rungar.sh/scale-set': 'other' }),
    tags('linux-00000004', { 'rungar.sh/managed': 'yes' }),
  ];
  return strangers.map((one) => {
    const instance = ec2.addForeignInstance({ tags: one });
    return [instance.id, instance];
  });
}
