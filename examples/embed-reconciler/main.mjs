// A program of its own around the reconciler: no daemon, no configuration file, no command line. GitHub and EC2 are
// emulated here; with real addresses and credentials the rest stays as it is.
import { strict as assert } from 'node:assert';
import { startEc2Emulator } from '@rungar/emulators/aws';
import { startGitHubEmulator } from '@rungar/emulators/github';
import { createScaleSetService } from '@rungar/github';
import { installationOf } from '@rungar/labels';
import { createRedactor, Secret, silentLogger, systemClock, systemRandom } from '@rungar/model';
import { createReconciler } from '@rungar/reconciler';
import { openCloud } from './cloud.mjs';

process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
const github = await startGitHubEmulator({ pollHoldMs: 1_000 });
const ec2 = await startEc2Emulator({ times: { bootMs: [300, 900] } });
process.env.AWS_ACCESS_KEY_ID = ec2.credentials.accessKeyId;
process.env.AWS_SECRET_ACCESS_KEY = ec2.credentials.secretAccessKey;

// The parts that a reconciler is given. Time, chance and the log could be of your own, too.
const redactor = createRedactor();
const shared = { clock: systemClock, random: systemRandom, logger: silentLogger, redactor };
const service = createScaleSetService({
  url: github.configUrl,
  credentials: { kind: 'token', token: new Secret(github.createToken()) },
  ...shared,
});
const cloud = await openCloud(ec2, shared);

/** @type {string[]} */
const actions = [];
const reconciler = createReconciler({
  installation: installationOf(github.configUrl),
  reconcileIntervalMs: 5_000,
  hostname: 'example',
  scaleSets: [
    {
      name: 'linux',
      labels: ['linux'],
      runnerGroup: 'Default',
      minRunners: 0,
      maxRunners: 3,
      priority: 0,
      placement: 'spread',
      startTimeoutMs: 60_000,
      paused: false,
      providers: [{ name: 'cloud', ...cloud.runner }],
    },
  ],
  providers: [
    {
      name: 'cloud',
      type: 'aws',
      endpoint: cloud.endpoint,
      weight: 1,
      maxRunners: 0,
      disabled: false,
      provider: cloud.provider,
    },
  ],
  github: service,
  clock: systemClock,
  random: systemRandom,
  logger: silentLogger,
  events: {
    record({ action, name, message = '' }) {
      actions.push(action);
      console.log(`${name.padEnd(15)}  ${action.padEnd(11)}  ${message}`);
    },
  },
  metrics: { add() {}, set() {}, unset() {}, observe() {} },
});

const stop = new AbortController();
const running = reconciler.run(stop.signal);

// Somebody pushes three times.
const jobs = ['build', 'test', 'lint'].map((name) => ({ repository: 'acme/web', labels: ['linux'], name, seconds: 1 }));
github.queueJobs(jobs);
const countOf = (/** @type {string} */ action) => actions.filter((one) => one === action).length;
const standing = () => ec2.instances().filter(({ state }) => state !== 'terminated');
const limit = AbortSignal.timeout(60_000);
while (countOf('removed') < jobs.length || standing().length > 0) await systemClock.sleep(100, limit);

stop.abort();
await running;
await cloud.provider.close();
await service.close();

const done = github.jobs();
assert.deepEqual(
  done.map(({ result }) => result),
  ['succeeded', 'succeeded', 'succeeded'],
);
assert.equal(new Set(done.map(({ runnerName }) => runnerName)).size, 3, 'each job had a machine of its own');
assert.equal(ec2.instances().length, 3, 'and no machine was made in vain');
assert.deepEqual([github.runners(), github.sessions()], [[], []], 'nothing is left at GitHub');
for (const action of ['created', 'connected', 'job_started']) assert.equal(countOf(action), 3, `three times ${action}`);
console.log('Three jobs, three machines, nothing left.');
await github.close();
await ec2.close();
