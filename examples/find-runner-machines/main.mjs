// Whose is each machine of an EC2 account? Read off its tags alone, from what `aws ec2 describe-instances` prints.
//   node main.mjs [FILE]
import { readFile } from 'node:fs/promises';
import { installationOf, installationSelector, LABEL, matchesSelector, parseAwsTags } from '@rungar/labels';

/** @typedef {{ InstanceId: string, InstanceType: string, Tags?: { Key: string, Value: string }[] }} Instance */

const ours = installationSelector(installationOf('https://github.com/my-org'));
const file = process.argv[2] ?? new URL('instances.json', import.meta.url);
/** @type {{ Reservations: { Instances: Instance[] }[] }} */
const { Reservations } = JSON.parse(await readFile(file, 'utf8'));

for (const { InstanceId, InstanceType, Tags = [] } of Reservations.flatMap(({ Instances }) => Instances)) {
  console.log(`${InstanceId}  ${InstanceType.padEnd(11)}  ${describe(Tags)}`);
}

/** @param {{ Key: string, Value: string }[]} tags */
function describe(tags) {
  const name = tags.find(({ Key }) => Key === 'Name')?.Value ?? '(no name)';
  const labels = parseAwsTags(tags);
  if (labels[LABEL.managed] !== 'true') return `${name}: not a runner machine`;
  if (!matchesSelector(labels, ours)) return `${name}: of another installation, ${labels[LABEL.installation]}`;
  if (labels[LABEL.runner] !== name) return `${name}: a copy of ${labels[LABEL.runner]}, which Rungar leaves alone`;
  return `${name}: ours, of the scale set ${labels[LABEL.scaleSet]}, revision ${labels[LABEL.revision]}`;
}
