// Refuses a configuration that would replace scale sets at work: node check.mjs CONFIG [SOCKET]
// A runner with a job ends with its job in any case; what is refused is to change what runs while it runs.
import { execFileSync } from 'node:child_process';

const [config, socket] = process.argv.slice(2);
if (config === undefined) throw new Error('usage: node check.mjs CONFIG [SOCKET]');

/** @typedef {{ runner: string, state: string }} Outdated */
/** @typedef {{ busy: number, idle: number, starting: number }} Counts */
/** @typedef {{ scale_set: string, status: string, runner_counts: Counts, outdated: Outdated[] }} Planned */

/** @type {{ scale_sets: Planned[], needs_restart: string[] }} */
const plan = JSON.parse(
  execFileSync('rungar', ['plan', '-f', config, '--json', ...(socket ? ['--socket', socket] : [])], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  }),
);

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
