// The client against an emulated GitHub: two jobs are pushed, two runners take one each, and all messages are printed.
import { strict as assert } from 'node:assert';
import { startGitHubEmulator } from '@rungar/emulators/github';
import { createScaleSetService, Secret } from '@rungar/github';
import { printMessages } from './print-messages.mjs';

const emulated = await startGitHubEmulator({ pollHoldMs: 1_000 });
const github = createScaleSetService({
  url: emulated.configUrl,
  credentials: { kind: 'token', token: new Secret(emulated.createToken()) },
});
const stop = new AbortController();
const limit = AbortSignal.timeout(30_000);
const signal = AbortSignal.any([stop.signal, limit]);

/** @type {string[]} */
const lines = [];
const print = (/** @type {string} */ line) => {
  lines.push(line);
  console.log(line);
};
const heard = (/** @type {string} */ word) => lines.filter((line) => line.startsWith(`  ${word}`)).length;

const printing = printMessages(github, { scaleSet: 'linux', capacity: 2, print, signal });
const until = (/** @type {() => boolean} */ check) => Promise.race([emulated.until(check, limit), failed]);
const failed = printing.then(() => Promise.reject(new Error('the client has ended')));
failed.catch(() => {}); // It is looked at wherever something is awaited; its end at the end is no failure.

await until(() => emulated.sessions().some(({ polling }) => polling));
emulated.queueJobs([
  { repository: 'acme/web', labels: ['linux'], name: 'build', seconds: 0.1 },
  { repository: 'acme/web', labels: ['linux'], name: 'lint', seconds: 0.1, fail: true },
]);
await until(() => heard('assigned') === 2);

// The machines of this demonstration. Who has real ones gives them the JIT configuration instead.
const scaleSet = await github.findScaleSet('linux', 'Default', { signal });
assert(scaleSet);
for (const name of ['linux-1', 'linux-2']) {
  const { jitConfig } = await github.createJitConfig(scaleSet, name, { signal });
  emulated.startRunner(jitConfig.reveal());
}
await until(() => heard('completed') === 2);

stop.abort();
await printing;
assert.equal(heard('started'), 2);
assert(lines.some((line) => line.endsWith('build: succeeded')));
assert(lines.some((line) => line.endsWith('lint: failed')));
assert.deepEqual([emulated.sessions(), emulated.runners()], [[], []], 'nothing is left at GitHub');
console.log('Two jobs came and went.');
await github.close();
await emulated.close();
