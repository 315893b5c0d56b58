import type { DicerEmulator, EmulatedDicerInstance } from '@rungar/emulators/dicer';
import type { Clock } from '@rungar/model';
import { DATABASE, type DevBackend, NEIGHBOUR } from './backend.js';
import { keepMachineBook, type MachineNow } from './machines.js';

/** Three runners of 4 GiB, beside two machines of others of 1 GiB, and not a fourth. */
const ROOM = 3;
const MEMORY_BYTES = 15n * 1024n ** 3n;

const IMAGE = 'ghcr.io/actions/actions-runner:latest';

/** Starts a host of one's own that is soon full. */
export async function startDicer(clock: Clock, bootMs: readonly [number, number]): Promise<DevBackend> {
  const { startDicerEmulator } = await import('@rungar/emulators/dicer');
  const dicer = await startDicerEmulator({ host: { memoryBytes: MEMORY_BYTES }, times: { bootMs, stopMs: 300 } });
  const book = keepMachineBook(clock, () => dicer.instances().map(machineNow));
  dicer.onInstance(book.look);
  return {
    name: 'dicer',
    title: 'Dicer',
    address: dicer.address,
    room: ROOM,
    entry: () => `- name: dicer
  type: dicer
  address: ${dicer.address}
  runner:
    image: ${IMAGE}
    vcpus: 2
    memory: 4GiB
`,
    files: new Map(),
    secrets: [],
    machines: book.all,
    get mostAtOnce() {
      return book.mostAtOnce;
    },
    addForeign: () =>
      book.addForeign([
        dicer.addForeignInstance({ name: DATABASE }).id,
        dicer.addForeignInstance({ name: NEIGHBOUR.name, labels: NEIGHBOUR.labels }).id,
      ]),
    callsOnForeign: () => changesOf(dicer, [...book.foreignIds, DATABASE, NEIGHBOUR.name]),
    close: () => dicer.close(),
  };
}

function machineNow({ id, name, state, env }: EmulatedDicerInstance): MachineNow {
  return {
    id,
    name,
    state: state === 'STARTING' ? 'starting' : state === 'RUNNING' ? 'running' : 'stopped',
    registration: env.ACTIONS_RUNNER_INPUT_JITCONFIG,
  };
}

function changesOf({ calls }: DicerEmulator, names: readonly string[]): number {
  const named = names.map((name) => JSON.stringify(name));
  return calls.filter(
    ({ method, request }) => !/^(?:List|Get)/.test(method) && named.some((name) => request.includes(name)),
  ).length;
}
