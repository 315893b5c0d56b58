import { join } from 'node:path';
import type { EmulatedInstance } from '@rungar/emulators/aws';
import type { Clock } from '@rungar/model';
import { DATABASE, type DevBackend, NEIGHBOUR } from './backend.js';
import { keepMachineBook, type MachineNow } from './machines.js';

const CREDENTIALS_FILE = 'aws-credentials';
/** Named, as the user's own AWS_PROFILE would be looked for otherwise. */
const PROFILE = 'emulated';

/** Starts another cloud. */
export async function startAws(clock: Clock, bootMs: readonly [number, number]): Promise<DevBackend> {
  const { startEc2Emulator } = await import('@rungar/emulators/aws');
  const ec2 = await startEc2Emulator({ times: { bootMs } });
  const book = keepMachineBook(clock, () => ec2.instances().flatMap(machineNow));
  ec2.on('instance', book.look);
  const { subnets, images } = ec2.catalogue;
  const { accessKeyId, secretAccessKey } = ec2.credentials;
  const subnetIds = subnets.slice(0, 2).map(({ id }) => id);
  return {
    name: 'aws',
    title: 'EC2',
    address: ec2.url,
    entry: (folder) => `- name: aws
  type: aws
  region: ${ec2.region}
  # Without this line it would be AWS's own address for the region.
  endpoint_url: ${ec2.url}
  credentials_file: ${JSON.stringify(join(folder, CREDENTIALS_FILE))}
  profile: ${PROFILE}
  subnets: [${subnetIds.join(', ')}]
  runner:
    instance_type: [m6i.large, m5.large]
    image: ${images[0]?.id}
`,
    files: new Map([
      [
        CREDENTIALS_FILE,
        `[${PROFILE}]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
      ],
    ]),
    secrets: [secretAccessKey],
    machines: book.all,
    get mostAtOnce() {
      return book.mostAtOnce;
    },
    addForeign: () =>
      book.addForeign([
        ec2.addForeignInstance({ tags: { Name: DATABASE } }).id,
        ec2.addForeignInstance({ tags: { Name: NEIGHBOUR.name, ...NEIGHBOUR.labels } }).id,
      ]),
    callsOnForeign: () => ec2.requests.filter(({ body }) => book.foreignIds.some((id) => body.includes(id))).length,
    close: () => ec2.close(),
  };
}

/** An instance that is terminated is there no more, even if EC2 lists it for an hour. */
function machineNow({ id, name, state, userData }: EmulatedInstance): MachineNow[] {
  if (state === 'shutting-down' || state === 'terminated') return [];
  const now = state === 'pending' ? 'starting' : state === 'running' ? 'running' : 'stopped';
  const [, registration] = /JITCONFIG='([^']+)'/.exec(userData ?? '') ?? [];
  return [{ id, name, state: now, registration }];
}
