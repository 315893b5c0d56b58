// Refuses a configuration that would replace scale sets at work: node check.mjs CONFIG [SOCKET]
// A runner with a job ends with its job in any case; what is refused is to change what runs while it runs.
// It ends with 0 for yes, with 1 for no, and with 2 where it could not be found out.
import { spawnSync } from 'node:child_process';

const [config, socket] = process.argv.slice(2);
if (config === undefined) {
  console.error('usage: node check.mjs CONFIG [SOCKET]');
  process.exit(2);
}

/** @typedef {{ runner: string, state: string }} Outdated */
/** @typedef {{ busy: number, idle: number, starting: number }} Counts */
/** @typedef {{ scale_set: string, status: string, runner_counts: Counts, outdated: Outdated[] }} Planned */

const args = ['plan', '-f', config, '--json', ...(socket ? ['--socket', socket] : [])];
const answer = spawnSync('rungar', args, {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'inherit'],
});
if (answer.status !== 0) {
  // The command itself has said what is wrong, unless it could not be started.
  const why = answer.error?.message ?? `rungar plan ended with ${answer.status ?? answer.signal}`;
  console.error(`not checked: ${why}`);
  process.exit(2);
}
/** @type {{ scale_sets: Planned[], needs_restart: string[] }} */
const plan = JSON.parse(answer.stdout);

const refusals = plan.scale_sets.flatMap(({ scale_set: name, status, outdated, runner_counts: { busy } }) => {
  const busyOutdated = outdated.filter(({ state }) => state === 'busy');
  if (status === 'removed' && busy > 0) return [`${name} is taken out while ${busy} of its runners have a job`];
  if (busyOutdated.length > 0)
    return [`${name} would be replaced while ${busyOutdated.length} of its runners have a job`];
  return [];
});

for (const key of plan.needs_restart) console.log(`note: ${key} takes a restart of the daemon`);
for (const { scale_set: name, outdated } of plan.scale_sets) {
  if (outdated.length > 0) console.log(`note: ${outdated.length} runners of ${name} become outdated`);
}
for (const refusal of refusals) console.log(`refused: ${refusal}`);
if (refusals.length === 0) console.log('ok: no scale set at work is replaced');
process.exitCode = refusals.length > 0 ? 1 : 0;
