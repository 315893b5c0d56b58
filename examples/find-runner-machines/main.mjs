// The runner machines that one organisation or repository has in an account: node main.mjs https://github.com/acme eu-central-1
import { EC2Client } from '@aws-sdk/client-ec2';
import { installationOf } from '@rungar/labels';
import { describe, findMachines } from './find.mjs';

const [url, region] = process.argv.slice(2);
if (url === undefined || region === undefined) {
  console.error('usage: node main.mjs URL REGION');
  process.exit(2);
}
try {
  const machines = await findMachines(new EC2Client({ region }), installationOf(url));
  for (const machine of machines) console.log(describe(machine));
  console.log(`${machines.length} machines`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
