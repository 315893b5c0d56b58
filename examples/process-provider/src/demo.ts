// Three jobs of an emulated GitHub on processes of this host, from a configuration file to the last trace of them.
import { strict as assert } from 'node:assert';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startGitHubEmulator } from '@rungar/emulators/github';
import { systemClock } from '@rungar/model';
import { serve } from './serve.js';

const github = await startGitHubEmulator({ pollHoldMs: 1_000 });
const folder = await mkdtemp(join(tmpdir(), 'rungar-process-provider-'));
const state = join(folder, 'runners');
const config = join(folder, 'config.yaml');
const runner = fileURLToPath(new URL('../fake-runner', import.meta.url));

await writeFile(join(folder, 'token'), github.createToken(), { mode: 0o600 });
await writeFile(
  config,
  `version: 1
socket: ${folder}/rungar.sock
events: {file: ${folder}/events.jsonl}
log_level: warn
reconcile_interval: 5s
github: {url: "${github.configUrl}", token_path: ${folder}/token}
providers:
  - {name: here, type: process, state: ${state}, folder: ${runner}, max_runners: 3}
scale_sets:
  - {name: linux, max_runners: 3, providers: [here]}
`,
);

const stop = new AbortController();
const limit = AbortSignal.timeout(60_000);
const machines = async (): Promise<string[]> => (await readdir(state)).filter((name) => !name.startsWith('.'));

// Somebody pushes three times, and the daemon is restarted while the jobs run: it must find its runners again.
const first = await serve(config, stop.signal);
const names = ['build', 'test', 'lint'];
github.queueJobs(names.map((name) => ({ repository: 'acme/web', labels: ['linux'], name, seconds: 3 })));
await github.until(() => github.jobs().every(({ startedAt }) => startedAt !== undefined), limit);
console.log(`running on processes: ${(await machines()).length}`);
await first.stop();

const second = await serve(config, stop.signal);
await github.until(() => github.jobs().every(({ state }) => state === 'completed'), limit);
while ((await machines()).length > 0) await systemClock.sleep(50, limit);
await second.stop();

const jobs = github.jobs();
assert.deepEqual(
  jobs.map(({ result }) => result),
  ['succeeded', 'succeeded', 'succeeded'],
);
assert.equal(new Set(jobs.map(({ runnerName }) => runnerName)).size, 3, 'each job had a process of its own');
assert.deepEqual([github.runners(), github.sessions()], [[], []], 'nothing is left at GitHub');
assert.deepEqual(await readdir(state), [], 'nothing is left on the host');
console.log('Three jobs, three processes, one restart of the daemon, nothing left.');
await github.close();
await rm(folder, { recursive: true });
