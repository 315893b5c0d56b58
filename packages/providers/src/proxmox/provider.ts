import { createProxmoxTagger } from '@rungar/labels';
import { type OpenProvider, type ProviderContext, RungarError } from '@rungar/model';
import { trackCalls } from '../shared/open-calls.js';
import { waitFor, withinLimit } from '../shared/within-limit.js';
import { createCloneQueue } from './clone-queue.js';
import { rememberClones } from './clones.js';
import { rememberConfigs } from './config-memory.js';
import { type CreateTools, createMachine } from './create.js';
import { type DeleteTools, deleteMachine } from './delete.js';
import { asRungarError, saysLocked } from './errors.js';
import { watchIdentity } from './identity.js';
import { type ListTools, listMachines } from './list.js';
import { openPve } from './open-pve.js';
import { keepMemoryPromises } from './promises.js';
import { readResources, shareResources } from './resources.js';
import { rememberSizes } from './runner.js';
import type { ProxmoxRunner, ProxmoxSettings } from './settings.js';
import { watchTemplateStorage } from './template-storage.js';
import { type Connect, connectWithGot } from './transport.js';
import { readDiskStorage } from './vm-config.js';
import { watchVmidRange } from './vmids.js';

/** How often a cluster is asked how far something is, in milliseconds. */
export interface Rhythm {
  readonly taskPollMs: number;
  /** A guest agent is first asked this long after the start of its VM. */
  readonly firstPingMs: number;
  readonly pingMs: number;
}

const RHYTHM: Rhythm = { taskPollMs: 1_000, firstPingMs: 5_000, pingMs: 2_000 };
const DELETE_LIMIT_MS = 5 * 60_000;

/**
 * Opens a provider over one Proxmox VE cluster. Reads the files its settings name; asks the cluster nothing yet.
 * @throws RungarError `invalid_argument` when a file cannot be used, naming it
 */
export function openProxmox(settings: ProxmoxSettings, context: ProviderContext): Promise<OpenProvider<ProxmoxRunner>> {
  return openProxmoxWith(connectWithGot, settings, context);
}

/**
 * {@link openProxmox} over another transport, such as one to a simulated cluster.
 * @param rhythm other pauses, for a cluster that has other times
 */
export async function openProxmoxWith(
  connect: Connect,
  settings: ProxmoxSettings,
  context: ProviderContext,
  rhythm: Rhythm = RHYTHM,
): Promise<OpenProvider<ProxmoxRunner>> {
  const { clock, random, logger, redactor } = context;
  const { pve, close } = await openPve(connect, settings, context);
  const calls = trackCalls(() => new RungarError('unavailable', `provider ${context.name} is closed`));
  const clones = rememberClones();
  const configs = rememberConfigs(clock, random);
  const resources = shareResources(clock, () => calls.run(undefined, (signal) => readResources(pve, clock, signal)));
  const storageOf = watchTemplateStorage(({ node, vmid }) =>
    calls.run(undefined, (signal) => readDiskStorage(pve, node, vmid, signal)),
  );
  const shared = { pve, clock, logger, resources, clones, configs, ...rhythm };
  const identity = watchIdentity(clock, () => calls.run(undefined, (signal) => pve.get('cluster/status', signal)));
  const listTools: ListTools = { ...shared, identity, sizeOf: rememberSizes() };
  const deleteTools: DeleteTools = { ...shared, timeoutMs: settings.timeoutMs };
  const createTools: CreateTools = {
    ...shared,
    random,
    redactor,
    nodes: settings.nodes,
    promises: keepMemoryPromises(clock),
    queue: createCloneQueue({ clock, random, isLocked: saysLocked }),
    tagsOf: createProxmoxTagger(),
    vmidRange: watchVmidRange(clock, () => calls.run(undefined, (signal) => pve.get('cluster/options', signal))),
    storageOf: (template, signal) => waitFor(storageOf(template), signal),
  };

  /** Runs one call of the provider, and says what became of it in errors of ours. */
  const call = <T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    calls.run(signal, async (own) => {
      try {
        return await work(own);
      } catch (error) {
        own.throwIfAborted();
        throw asRungarError(error);
      }
    });

  return {
    list: (selector, { signal }) => call(signal, (own) => listMachines(listTools, selector, own)),
    create: (request, options) =>
      call(options.signal, (own) => createMachine(createTools, request, { ...options, signal: own })),
    delete: (machine, selector, { signal }) =>
      call(signal, (own) =>
        withinLimit(clock, DELETE_LIMIT_MS, `deleting ${machine.name}`, own, (limited) =>
          deleteMachine(deleteTools, machine, selector, limited),
        ),
      ),
    async close() {
      await calls.close();
      close();
    },
  };
}
