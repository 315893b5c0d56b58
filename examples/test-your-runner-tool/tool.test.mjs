import { strict as assert } from 'node:assert';
import { afterEach, beforeEach, test } from 'node:test';
import { startGitHubEmulator } from '@rungar/emulators/github';
import { serve } from './tool.mjs';

/** @type {import('@rungar/emulators/github').GitHubEmulator} */
let github;
/** @type {AbortController} */
let stop;
beforeEach(async () => {
  github = await startGitHubEmulator({ pollHoldMs: 1_000 });
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await github.close();
});

/** Starts the tool; its runners are the emulator's. */
function startTool() {
  const running = serve({
    configUrl: github.configUrl,
    token: github.createToken(),
    scaleSet: 'linux',
    capacity: 5,
    startRunner: (jitConfig) => void github.startRunner(jitConfig),
    signal: stop.signal,
  });
  // A tool that fails must not end the wait for its jobs unseen.
  const failed = running.then(() => new Promise(() => {}));
  return { failed, until: (/** @type {() => boolean} */ check) => Promise.race([github.until(check), failed]) };
}

const listening = () => github.sessions().length > 0;
const allDone = () => github.jobs().every(({ state }) => state === 'completed');

test('three jobs run on a runner each', async () => {
  const tool = startTool();
  github.queueJobs(Array.from({ length: 3 }, () => ({ repository: 'acme/web', labels: ['linux'], seconds: 0.1 })));
  await tool.until(allDone);
  assert.deepEqual(new Set(github.jobs().map(({ result }) => result)), new Set(['succeeded']));
  assert.equal(new Set(github.jobs().map(({ runnerName }) => runnerName)).size, 3);
  assert.deepEqual(github.runners(), []);
});

test('a queue token that expires loses nothing', async () => {
  const tool = startTool();
  await tool.until(listening);
  github.expireTokens('queue');
  github.queueJob({ labels: ['linux'], seconds: 0.1 });
  await tool.until(allDone);
  assert.equal(github.counts.get('refresh-session'), 1);
});

test('a registration that meets trouble is made once it is over', async () => {
  github.setFault({ operation: 'jit-config', kind: 'status', status: 503, retryAfter: 0, times: 2 });
  const tool = startTool();
  github.queueJob({ labels: ['linux'], seconds: 0.1 });
  await tool.until(allDone);
  assert.equal(github.counts.get('jit-config'), 3);
  assert.deepEqual(github.runners(), []);
});

test('somebody else who holds the session is told of', async () => {
  const { id } = github.addScaleSet({ name: 'linux' });
  github.holdSession(id, 'somebody');
  await assert.rejects(startTool().failed, /409.*somebody/s);
});
