// A program of its own around the reconciler: no daemon, no configuration file, no command line, and a provider that
// nobody else has. GitHub is emulated here; with a real address and credentials the rest stays as it is.
import { strict as assert } from 'node:assert';
import { startGitHubEmulator } from '@rungar/emulators/github';
import { createScaleSetService } from '@rungar/github';
import { installationOf } from '@rungar/labels';
import { Secret } from '@rungar/model';
import { createReconciler } from '@rungar/reconciler';
import { cellar } from './cellar.mjs';

const github = await startGitHubEmulator({ pollHoldMs: 1_000 });
const service = createScaleSetService({
  url: github.configUrl,
  credentials: { kind: 'token', token: new Secret(github.createToken()) },
});
const provider = cellar((jitConfig) => {
  const machine = github.startRunner(jitConfig.reveal(), { bootMs: 300 });
  return { isOver: () => machine.state === 'off', end: () => machine.kill() };
});

const reconciler = createReconciler({
  installation: installationOf(github.configUrl),
  reconcileIntervalMs: 5_000,
  github: service,
  scaleSets: [{ name: 'linux', maxRunners: 3, providers: [{ name: 'cellar', spec: { cores: 4 } }] }],
  providers: [{ name: 'cellar', provider }],
});

/** @type {string[]} */
const actions = [];
reconciler.on('event', ({ action, name, message = '' }) => {
  actions.push(action);
  console.log(`${name.padEnd(15)}  ${action.padEnd(11)}  ${message}`);
});
const countOf = (/** @type {string} */ action) => actions.filter((one) => one === action).length;
const limit = AbortSignal.timeout(60_000);
const gone = new Promise((resolve) => {
  reconciler.on('removed', () => {
    if (countOf('removed') === 3) resolve(undefined);
  });
});

// Somebody pushes three times.
reconciler.start(limit);
github.queueJobs(
  ['build', 'test', 'lint'].map((name) => ({ repository: 'acme/web', labels: ['linux'], name, seconds: 1 })),
);
await Promise.race([gone, reconciler.ended]);
const [linux] = reconciler.status().scaleSets;
console.log(`${linux?.name} is ${linux?.phase}, and wants ${linux?.desired} runners`);
await reconciler.stop();
await service.close();

const done = github.jobs();
assert.deepEqual(
  done.map(({ result }) => result),
  ['succeeded', 'succeeded', 'succeeded'],
);
assert.equal(new Set(done.map(({ runnerName }) => runnerName)).size, 3, 'each job had a machine of its own');
const left = await provider.list({}, { signal: limit });
assert.deepEqual(left.parts[0]?.machines, [], 'and none of them is left');
assert.deepEqual([github.runners(), github.sessions()], [[], []], 'nothing is left at GitHub');
for (const action of ['created', 'connected', 'job_started']) assert.equal(countOf(action), 3, `three times ${action}`);
console.log('Three jobs, three machines, nothing left.');
await provider.close();
await github.close();
