import { toProxmoxDescription } from '@rungar/labels';
import {
  type ChangeOptions,
  type Clock,
  type Machine,
  type MachineRequest,
  type Random,
  type Redactor,
  RungarError,
} from '@rungar/model';
import { turnOf } from '../shared/turn-of.js';
import { vmPath } from './api.js';
import type { CloneQueue } from './clone-queue.js';
import { cloneAsMachine, type KnownClone, type KnownClones } from './clones.js';
import {
  asRungarError,
  isRefused,
  PveError,
  saysCutOff,
  saysFull,
  saysLocalStorage,
  saysNoLinkedClone,
  saysTaken,
} from './errors.js';
import { type GuestTools, waitForAgent, writeRegistration } from './guest.js';
import { chooseNode } from './node-choice.js';
import { persist } from './persist.js';
import type { MemoryPromise, MemoryPromises } from './promises.js';
import type { ListedVm, Resources, SharedResources } from './resources.js';
import { sizeText } from './runner.js';
import type { ProxmoxRunner } from './settings.js';
import { type TaskTools, waitForTask } from './task.js';
import { chooseVmid, type VmidRange } from './vmids.js';

/** What creating a machine needs, shared by all creations of one provider. */
export interface CreateTools extends TaskTools, GuestTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly redactor: Redactor;
  readonly nodes: readonly string[];
  readonly resources: SharedResources;
  readonly promises: MemoryPromises;
  readonly clones: KnownClones;
  readonly queue: CloneQueue;
  /** The tags of a VM with these labels. */
  readonly tagsOf: (labels: MachineRequest['labels']) => readonly string[];
  vmidRange(signal: AbortSignal): Promise<VmidRange>;
  /** The storage a template's disks are on. */
  storageOf(template: ListedVm, signal: AbortSignal): Promise<string>;
}

/** How old the cluster's listing may be that a creation is planned with. */
const LISTING_MAX_AGE_MS = 2_000;
/** How many VMIDs are tried that turn out to be taken. */
const MOST_VMIDS = 10;
const MIB = 1024n ** 2n;

type Request = MachineRequest<ProxmoxRunner>;

/**
 * Makes one machine: clones the template, sets the clone up, starts it, and gives its runner the registration. It is
 * accepted once it has been started: what follows waits for its guest, and asks little of the cluster.
 * @throws RungarError `no_capacity`; `invalid_argument`; `unavailable` when the outcome is unknown; `internal` for any
 * other refusal. The signal's reason when it aborts.
 */
export async function createMachine(tools: CreateTools, request: Request, options: ChangeOptions): Promise<Machine> {
  // Proxmox VE may repeat in an error what it was sent.
  const release = tools.redactor.hold(request.jitConfig.reveal());
  try {
    return await make(tools, request, options);
  } catch (error) {
    options.signal.throwIfAborted();
    throw toCreateError(error);
  } finally {
    release();
  }
}

async function make(tools: CreateTools, request: Request, options: ChangeOptions): Promise<Machine> {
  const { signal } = options;
  const { spec } = request;
  const resources = await tools.resources.recent(LISTING_MAX_AGE_MS, signal);
  const template = findTemplate(resources, spec.template);
  const promised = (node: string): number => tools.promises.on(node, resources.vms);
  const node = chooseNode(resources.nodes, tools.nodes, spec, promised).name;
  const promise = tools.promises.make(node, Number(spec.memory)); // made before anything is waited for
  let clone: KnownClone | undefined;
  try {
    clone = await cloneTemplate(tools, request, { resources, template, node, promise }, signal);
    await finish(tools, request, { node, vmid: clone.vmid, name: request.name }, options);
    tools.clones.forget(clone.vmid);
    promise.kept();
    return { ...cloneAsMachine(clone), state: 'running' };
  } finally {
    promise.dropped();
    if (clone) clone.isBeingMade = false;
  }
}

function findTemplate({ vms }: Resources, vmid: number): ListedVm {
  const found = vms.find((vm) => vm.vmid === vmid);
  if (found?.isTemplate) return found;
  const [message, hint] = found
    ? [`VM ${vmid} is not a template`, 'convert it to a template, or name another']
    : [`there is no template ${vmid}`, 'name a template by its VMID; the token needs VM.Audit to see it'];
  throw new RungarError('invalid_argument', message, { hint });
}

interface Plan {
  readonly resources: Resources;
  readonly template: ListedVm;
  readonly node: string;
  readonly promise: MemoryPromise;
}

async function cloneTemplate(
  tools: CreateTools,
  request: Request,
  plan: Plan,
  signal: AbortSignal,
): Promise<KnownClone> {
  const range = await tools.vmidRange(signal);
  const storage = request.spec.storage || (await tools.storageOf(plan.template, signal));
  const refused = new Set<number>();
  for (;;) {
    try {
      const clone = (): Promise<KnownClone> => cloneOnce(tools, request, plan, range, refused, signal);
      return await tools.queue.run(storage, clone, signal, turnOf(request));
    } catch (error) {
      if (!saysTaken(error) || refused.size >= MOST_VMIDS) throw error;
    }
  }
}

/** One clone, under a VMID that nobody has as far as is known. It is remembered from before it is asked for. */
async function cloneOnce(
  tools: CreateTools,
  request: Request,
  { resources, template, node, promise }: Plan,
  range: VmidRange,
  refused: Set<number>,
  signal: AbortSignal,
): Promise<KnownClone> {
  const { vmids } = refused.size === 0 ? resources : await tools.resources.recent(LISTING_MAX_AGE_MS, signal);
  const isTaken = (vmid: number): boolean =>
    vmids.has(vmid) || refused.has(vmid) || tools.clones.get(vmid) !== undefined;
  const vmid = chooseVmid(range, isTaken, tools.random);
  const clone = remember(tools, request, vmid);
  promise.forVm(vmid);
  try {
    const form = cloneForm(request, clone, template, node);
    const task = await tools.pve.post(vmPath(template.node, template.vmid, '/clone'), signal, form);
    clone.isConfirmed = true;
    await waitForTask(tools, task, signal);
    return clone;
  } catch (error) {
    clone.isBeingMade = false;
    // What Proxmox VE refused or could not finish it does not leave behind, unless it was cut off.
    if (isRefused(error) && !saysCutOff(error)) tools.clones.forget(vmid);
    if (saysTaken(error)) refused.add(vmid);
    throw error;
  }
}

function remember({ clones, clock }: CreateTools, { name, labels, spec }: Request, vmid: number): KnownClone {
  return clones.add({
    vmid,
    name,
    labels,
    size: sizeText(spec.cores, spec.memory),
    createdAt: Math.floor(clock.wallNow() / 1000) * 1000, // as its description will say
    askedAt: clock.now(),
  });
}

/** The description goes with the clone itself: from its first moment the VM says whose it is. */
function cloneForm(
  { name, labels, spec }: Request,
  { vmid, createdAt }: KnownClone,
  template: ListedVm,
  node: string,
): Record<string, string> {
  return {
    newid: String(vmid),
    name,
    description: toProxmoxDescription(labels, new Date(createdAt)),
    full: spec.fullClone ? '1' : '0',
    ...(node !== template.node && { target: node }),
    ...(spec.storage !== '' && { storage: spec.storage }),
    ...(spec.pool !== '' && { pool: spec.pool }),
  };
}

/** Everything after the clone. Each step may be made twice: it leaves the same VM. */
async function finish(
  tools: CreateTools,
  { name, labels, spec, jitConfig }: Request,
  vm: { readonly node: string; readonly vmid: number; readonly name: string },
  { signal, onAccepted = () => {} }: ChangeOptions,
): Promise<void> {
  const { pve, clock, clones } = tools;
  const createdAt = clones.get(vm.vmid)?.createdAt ?? clock.wallNow();
  const settings = {
    cores: String(spec.cores),
    memory: String(spec.memory / MIB),
    agent: '1',
    tags: tools.tagsOf(labels).join(';'),
    description: toProxmoxDescription(labels, new Date(createdAt)),
  };
  await persist(clock, signal, () => pve.put(vmPath(vm.node, vm.vmid, '/config'), signal, settings));
  await persist(clock, signal, () => start(tools, vm, signal));
  onAccepted();
  await waitForAgent(tools, vm, signal);
  await persist(clock, signal, () => writeRegistration(pve, { ...vm, name }, spec.jitPath, jitConfig, signal));
}

async function start(
  tools: CreateTools,
  { node, vmid }: { readonly node: string; readonly vmid: number },
  signal: AbortSignal,
): Promise<void> {
  try {
    await waitForTask(tools, await tools.pve.post(vmPath(node, vmid, '/status/start'), signal), signal);
  } catch (error) {
    // A request whose answer was lost has started it.
    if (error instanceof PveError && /already running/i.test(error.message)) return;
    throw error;
  }
}

/** `error` in the classes of a creation. */
function toCreateError(error: unknown): Error {
  if (!(error instanceof PveError)) return asRungarError(error);
  if (saysLocalStorage(error)) {
    return new RungarError('invalid_argument', error.message, {
      cause: error,
      hint: "keep the template's disks on shared storage, or name in nodes only the node the template is on",
    });
  }
  if (saysNoLinkedClone(error)) {
    return new RungarError('invalid_argument', `${error.message} (set full_clone: true)`, {
      cause: error,
      hint: 'set full_clone: true, or keep the template on storage that has linked clones',
    });
  }
  if (saysFull(error)) return new RungarError('no_capacity', error.message, { cause: error });
  if (error.refusal !== 'unanswered') return asRungarError(error);
  const hint = error.hint === undefined ? {} : { hint: error.hint };
  return new RungarError('unavailable', `${error.message} (the outcome is unknown)`, { cause: error, ...hint });
}
