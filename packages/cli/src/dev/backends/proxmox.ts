import { join } from 'node:path';
import type { EmulatedVm } from '@rungar/emulators/proxmox';
import { toProxmoxDescription, toProxmoxTags } from '@rungar/labels';
import type { Clock } from '@rungar/model';
import { DATABASE, type DevBackend, NEIGHBOUR } from './backend.js';
import { keepMachineBook, type MachineNow } from './machines.js';

const GIB = 1024 ** 3;
/** Two runners of 4 GiB on the larger node, beside two machines of others, and one on the smaller. */
const ROOM = 3;
const NODES = [
  { name: 'pve1', cores: 16, memory: 12 * GIB, memoryUsed: GIB },
  { name: 'pve2', cores: 16, memory: 6 * GIB, memoryUsed: GIB },
];
const FOREIGN_MIB = 1024;
const SECRET_FILE = 'proxmox-token';

/** Starts a cluster of one's own that is soon full. */
export async function startProxmox(clock: Clock): Promise<DevBackend> {
  const { startPveEmulator } = await import('@rungar/emulators/proxmox');
  const pve = await startPveEmulator({
    catalogue: { nodes: NODES },
    times: { linkedCloneMs: 500, startMs: 300, agentMs: 2_000, stopMs: 300, destroyMs: 300 },
  });
  const book = keepMachineBook(clock, () => pve.vms().map(machineNow));
  pve.on('vm', book.look);
  const addVm = (name: string, more: { tags?: string[]; description?: string } = {}): string =>
    String(pve.addVm({ name, memory: FOREIGN_MIB, ...more }).vmid);
  return {
    name: 'proxmox',
    title: 'Proxmox VE',
    address: pve.url,
    room: ROOM,
    entry: (folder) => `- name: proxmox
  type: proxmox
  url: ${pve.url}
  token_id: ${pve.token.id}
  token_secret_path: ${JSON.stringify(join(folder, SECRET_FILE))}
  tls:
    fingerprint: ${pve.fingerprint}
  runner:
    template: ${pve.catalogue.templates[0]?.vmid}
    cores: 2
    memory: 4GiB
`,
    files: new Map([[SECRET_FILE, `${pve.token.secret}\n`]]),
    secrets: [pve.token.secret],
    machines: book.all,
    get mostAtOnce() {
      return book.mostAtOnce;
    },
    addForeign() {
      const { name, labels } = NEIGHBOUR;
      const description = toProxmoxDescription(labels, new Date(clock.wallNow()));
      book.addForeign([addVm(DATABASE), addVm(name, { tags: toProxmoxTags(labels), description })]);
    },
    callsOnForeign() {
      const paths = book.foreignIds.map((vmid) => `/qemu/${vmid}`);
      return pve.requests.filter(
        ({ method, path }) => method !== 'GET' && paths.some((one) => `${path}/`.includes(`${one}/`)),
      ).length;
    },
    close: () => pve.close(),
  };
}

/** One that has no power and no machine in it is on its way up: its template is being cloned, or it is set up. */
function machineNow({ vmid, name = '', status, machine, delivered }: EmulatedVm): MachineNow {
  return {
    id: String(vmid),
    name,
    state: status === 'running' ? 'running' : machine === undefined ? 'starting' : 'stopped',
    registration: delivered,
  };
}
