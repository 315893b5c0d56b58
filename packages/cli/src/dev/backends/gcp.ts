import type { EmulatedGceInstance } from '@rungar/emulators/gcp';
import { toGcpLabels, toGcpMetadata } from '@rungar/labels';
import type { Clock } from '@rungar/model';
import { DATABASE, type DevBackend, NEIGHBOUR } from './backend.js';
import { keepMachineBook, type MachineNow } from './machines.js';

/** Starts a cloud that takes what one's own hosts have no room for. */
export async function startGcp(clock: Clock, bootMs: readonly [number, number]): Promise<DevBackend> {
  const { startGceEmulator } = await import('@rungar/emulators/gcp');
  const gce = await startGceEmulator({
    // The insert is over when the machine is switched on; the rest is its boot.
    times: { insertMs: bootMs, bootMs: 0, stopMs: 300, deleteMs: 500, setLabelsMs: 100 },
  });
  const book = keepMachineBook(clock, () => gce.instances().map(machineNow));
  gce.on('instance', book.look);
  const { zones, machineTypes, images } = gce.catalogue;
  return {
    name: 'gcp',
    title: 'Compute Engine',
    address: gce.url,
    entry: () => `- name: gcp
  type: gcp
  project: ${gce.project}
  zones: [${zones.slice(0, 2).join(', ')}]
  # Without this line it would be Google's own address, and credentials would be looked for.
  endpoint_url: ${gce.url}
  runner:
    machine_type: ${machineTypes[1]?.name}
    image: ${images[0]?.name}
`,
    files: new Map(),
    secrets: [],
    machines: book.all,
    get mostAtOnce() {
      return book.mostAtOnce;
    },
    addForeign() {
      const { name, labels } = NEIGHBOUR;
      const metadata = { 'rungar-labels': toGcpMetadata(labels) };
      book.addForeign([
        gce.addForeignInstance({ name: DATABASE }).id,
        gce.addForeignInstance({ name, labels: toGcpLabels(labels), metadata }).id,
      ]);
    },
    callsOnForeign() {
      const paths = [...book.foreignIds, DATABASE, NEIGHBOUR.name].map((name) => `/instances/${name}`);
      return gce.requests.filter(
        ({ method, path }) => method !== 'GET' && paths.some((one) => `${path}/`.includes(`${one}/`)),
      ).length;
    },
    close: () => gce.close(),
  };
}

function machineNow({ id, name, status, metadata }: EmulatedGceInstance): MachineNow {
  const isStarting = status === 'PROVISIONING' || status === 'STAGING';
  return {
    id,
    name,
    state: isStarting ? 'starting' : status === 'RUNNING' ? 'running' : 'stopped',
    registration: metadata['rungar-jitconfig'],
  };
}
