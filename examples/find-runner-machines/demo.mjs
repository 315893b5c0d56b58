// The search in an emulated account, in which two installations, a database and a forgotten experiment share the bill.
import { strict as assert } from 'node:assert';
import { EC2Client } from '@aws-sdk/client-ec2';
import { startEc2Emulator } from '@rungar/emulators/aws';
import { installationOf, runnerLabels } from '@rungar/labels';
import { describe, findMachines } from './find.mjs';

const ec2 = await startEc2Emulator({ paging: { pageSize: 2 } });
const ours = installationOf('https://github.com/acme');

/** @param {string} installation @param {string} scaleSet @param {string} runner */
const tagsOf = (installation, scaleSet, runner) => ({
  ...runnerLabels({ installation, scaleSet, runner, revision: 'a77297f56884' }),
  Name: runner,
});
const small = tagsOf(ours, 'linux-small', 'linux-small-1ff1015a');
for (const tags of [
  small,
  tagsOf(ours, 'linux-large', 'linux-large-0badf00d'),
  tagsOf(installationOf('https://github.com/umbrella'), 'linux-small', 'linux-small-9c2e41d7'),
  { Name: 'a-database', team: 'web' },
  { ...small, Name: 'debugging' },
]) {
  ec2.addForeignInstance({ tags });
}

// On Node.js 20 the SDK says at length that it will want a newer one some day.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
const client = new EC2Client({ region: ec2.region, endpoint: ec2.url, credentials: ec2.credentials });
const machines = await findMachines(client, ours);
for (const machine of machines) console.log(describe(machine));
assert.deepEqual(
  machines.map(({ runner, scaleSet, copy }) => [runner, scaleSet, copy]),
  [
    ['linux-small-1ff1015a', 'linux-small', false],
    ['linux-large-0badf00d', 'linux-large', false],
    ['linux-small-1ff1015a', 'linux-small', true],
  ],
);
console.log(`${ours} has ${machines.length} of the ${ec2.instances().length} machines in the account`);
client.destroy();
await ec2.close();
