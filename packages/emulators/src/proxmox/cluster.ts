import type { EmulatorClock } from '../clock.js';
import { bootMachine } from '../machine/machine.js';
import type { PveCatalogue, PveNode, PveTemplate } from './catalogue.js';
import type { ClusterTimes, VmEvent } from './contract.js';
import { failed, noSuchConfig, PveError } from './errors.js';
import { Storage } from './storage.js';
import { type Task, Tasks } from './tasks.js';
import type { PveStatus, Vm } from './vm.js';

const MIB = 1024 ** 2;
const TEMPLATE_MEMORY_MIB = 2048;
/** How a task ends whose process vanished: what it had begun stays as it is. */
const CUT_OFF = 'unexpected status';

export interface ClusterOptions {
  readonly clock: EmulatorClock;
  readonly catalogue: PveCatalogue;
  readonly times: ClusterTimes;
  readonly onChange: (event: VmEvent) => void;
}

/** What a clone is asked for, already checked. */
export interface CloneRequest {
  readonly newid: number;
  readonly name: string;
  readonly description: string | undefined;
  readonly full: boolean;
  readonly target: string;
  readonly storage: string | undefined;
  readonly pool: string | undefined;
  readonly user: string;
}

/** A change of a VM's configuration. */
export interface ConfigChange {
  readonly cores?: number | undefined;
  /** MiB. */
  readonly memory?: number | undefined;
  readonly agent?: boolean | undefined;
  readonly tags?: string | undefined;
  readonly description?: string | undefined;
  readonly name?: string | undefined;
}

/** Everything the cluster has: nodes, storages, VMs and tasks. */
export class Cluster {
  readonly catalogue: PveCatalogue;
  readonly tasks: Tasks;
  readonly #options: ClusterOptions;
  readonly #storages: ReadonlyMap<string, Storage>;
  readonly #vms = new Map<number, Vm>();
  readonly #offline = new Set<string>();
  #failures: { readonly type: string; readonly message: string }[] = [];

  constructor(options: ClusterOptions) {
    const { catalogue, clock } = options;
    this.#options = options;
    this.catalogue = catalogue;
    this.tasks = new Tasks(clock);
    this.#storages = new Map(catalogue.storages.map((info) => [info.name, new Storage(info, clock)]));
    for (const template of catalogue.templates) this.#put(this.#templateVm(template));
  }

  get vms(): readonly Vm[] {
    return [...this.#vms.values()];
  }

  get now(): number {
    return this.#options.clock.now();
  }

  vm(vmid: number): Vm | undefined {
    return this.#vms.get(vmid);
  }

  storage(name: string): Storage | undefined {
    return this.#storages.get(name);
  }

  isOnline(node: string): boolean {
    return !this.#offline.has(node);
  }

  setOnline(node: string, online: boolean): void {
    if (online) this.#offline.delete(node);
    else this.#offline.add(node);
  }

  /** The next tasks of a type end with a message and do nothing else. */
  failTasks(type: string, message: string, times: number): void {
    for (let task = 0; task < times; task++) this.#failures.push({ type, message });
  }

  forgetFailures(): void {
    this.#failures = [];
  }

  /** @throws PveError when there is no such node, or it cannot be reached */
  node(name: string): PveNode {
    const node = this.catalogue.nodes.find((known) => known.name === name);
    if (node === undefined)
      throw failed(
        `hostname lookup '${name}' failed - failed to get address info for: ${name}: Name or service not known`,
      );
    if (!this.isOnline(name)) throw new PveError(595, 'No route to host');
    return node;
  }

  /** @throws PveError when that node has no such VM */
  vmOn(node: string, vmid: number): Vm {
    this.node(node);
    const vm = this.#vms.get(vmid);
    if (vm === undefined || vm.node !== node) throw noSuchConfig(node, vmid);
    return vm;
  }

  /** How much of a node's memory is in use, in bytes. */
  memoryUsed(node: PveNode): number {
    const running = this.vms.filter((vm) => vm.node === node.name && vm.status === 'running');
    return running.reduce((sum, vm) => sum + vm.memory * MIB, node.memoryUsed);
  }

  /** The status of a VM as its node last broadcast it. */
  broadcastStatus(vm: Vm): PveStatus | 'unknown' {
    if (!this.isOnline(vm.node)) return 'unknown';
    const { broadcastMs } = this.#options.times;
    return vm.history.findLast(({ at }) => at <= this.now - broadcastMs)?.status ?? 'unknown';
  }

  /** Whether a VM's name has been broadcast since it has one. */
  hasBroadcast(vm: Vm): boolean {
    return vm.namedAt <= this.now - this.#options.times.broadcastMs;
  }

  /** Puts a VM there that nobody cloned through the API. */
  place(vm: Partial<Vm> & Pick<Vm, 'vmid' | 'node' | 'name'>): Vm {
    const { status = 'running' } = vm;
    return this.#put({ ...this.#emptyVm(vm.vmid, vm.node), ...vm, namedAt: 0, status, history: [{ status, at: 0 }] });
  }

  /** Changes a VM's configuration; what is left out stays. */
  configure(vm: Vm, change: ConfigChange): void {
    this.#checkEditable(vm);
    if (change.cores !== undefined) vm.cores = change.cores;
    if (change.memory !== undefined) vm.memory = change.memory;
    if (change.agent !== undefined) vm.agent = change.agent;
    if (change.tags !== undefined) vm.tags = tidyTags(change.tags);
    if (change.description !== undefined) vm.description = change.description;
    if (change.name !== undefined) vm.name = change.name;
    vm.digest += 1;
  }

  /** A VM and everything of it is gone at once. */
  remove(vm: Vm): void {
    vm.machine?.kill();
    this.#vms.delete(vm.vmid);
    this.#options.onChange({ vmid: vm.vmid, status: 'destroyed' });
  }

  clone(source: Vm, request: CloneRequest): Task {
    const { newid, target } = request;
    this.#checkClone(source, request);
    const { times } = this.#options;
    const storage = this.#storages.get(request.storage ?? source.storage);
    if (storage === undefined) throw failed(`storage '${request.storage}' does not exist`);
    const vm = this.#put({
      ...this.#emptyVm(newid, source.node),
      template: source.template,
      storage: storage.info.name,
      pool: request.pool,
      lock: 'clone',
      name: undefined,
    });
    const task = this.tasks.begin(source.node, 'qmclone', source.vmid, request.user);
    const give = (exit: string): void => {
      this.#vms.delete(newid);
      this.tasks.end(task, exit);
    };
    const work = (release: () => void): void => {
      task.log.push(`create ${request.full ? 'full' : 'linked'} clone of drive scsi0`);
      this.#after(request.full ? times.fullCloneMs : times.linkedCloneMs, () => {
        release();
        const failure = this.#failureOf('qmclone');
        if (failure === CUT_OFF) return this.tasks.end(task, failure);
        if (failure !== undefined) return give(failure);
        const size = request.full ? (source.template?.disk ?? 0) : 0;
        if (storage.free < size) return give('clone failed: write error: No space left on device');
        storage.free -= size;
        this.#finishClone(vm, source, request);
        vm.node = target;
        this.tasks.end(task, 'OK');
      });
    };
    const lockFile = `/var/lock/pve-manager/pve-storage-${storage.info.name}`;
    storage.lock(times.lockWaitMs, work, () => give(`clone failed: can't lock file '${lockFile}' - got timeout`));
    return task;
  }

  start(vm: Vm, user: string): Task {
    this.#checkUnlocked(vm);
    const node = this.node(vm.node);
    const task = this.tasks.begin(vm.node, 'qmstart', vm.vmid, user);
    this.#after(this.#options.times.startMs, () => {
      const failure = this.#failureOf('qmstart');
      if (failure !== undefined) return this.tasks.end(task, failure);
      if (vm.status === 'running') return this.tasks.end(task, `VM ${vm.vmid} already running`);
      if (node.memory - this.memoryUsed(node) < vm.memory * MIB) {
        return this.tasks.end(task, "start failed: cannot set up guest memory 'pc.ram': Cannot allocate memory");
      }
      this.#enter(vm, 'running');
      if (vm.agent && vm.template?.hasAgent) vm.agentAt = this.now + this.#options.times.agentMs;
      this.tasks.end(task, 'OK');
    });
    return task;
  }

  stop(vm: Vm, user: string): Task {
    this.#checkUnlocked(vm);
    const task = this.tasks.begin(vm.node, 'qmstop', vm.vmid, user);
    this.#after(this.#options.times.stopMs, () => {
      const failure = this.#failureOf('qmstop');
      if (failure !== undefined) return this.tasks.end(task, failure);
      if (vm.status === 'running') this.powerOff(vm);
      this.tasks.end(task, 'OK');
    });
    return task;
  }

  destroy(vm: Vm, user: string): Task {
    this.#checkUnlocked(vm);
    if (vm.isProtected) throw failed(`can't remove VM ${vm.vmid} - protection mode enabled`);
    if (vm.status === 'running') throw failed(`VM ${vm.vmid} is running - destroy failed`);
    const task = this.tasks.begin(vm.node, 'qmdestroy', vm.vmid, user);
    this.#after(this.#options.times.destroyMs, () => {
      const failure = this.#failureOf('qmdestroy');
      if (failure !== undefined) return this.tasks.end(task, failure);
      this.remove(vm);
      this.tasks.end(task, 'OK');
    });
    return task;
  }

  /** The VM loses its power. */
  powerOff(vm: Vm): void {
    vm.machine?.kill();
    vm.agentAt = undefined;
    vm.files.clear();
    if (vm.status === 'running') this.#enter(vm, 'stopped');
  }

  /** @throws PveError while the guest agent of a VM does not answer */
  requireAgent(vm: Vm): void {
    if (vm.status !== 'running') throw failed(`VM ${vm.vmid} is not running`);
    if (!vm.agent) throw failed('No QEMU guest agent configured');
    if (vm.agentAt === undefined || vm.agentAt > this.now) throw failed('QEMU guest agent is not running');
  }

  /** Writes a file in a machine. Where a runner's configuration is looked for, one starts with it. */
  writeFile(vm: Vm, path: string, content: string): void {
    const folder = path.slice(0, path.lastIndexOf('/')) || '/';
    if (!vm.template?.folders.includes(folder)) {
      throw failed(`Agent error: failed to open file '${path}' (mode: 'wb'): No such file or directory`);
    }
    vm.files.set(path, content);
    if (path !== vm.template.jitPath || content === '' || vm.machine !== undefined) return;
    vm.files.delete(path);
    vm.delivered = content;
    vm.machine = bootMachine({
      delivery: { kind: 'jit-config', text: content },
      bootMs: 0,
      clock: this.#options.clock,
      onPowerOff: () => this.powerOff(vm),
    });
  }

  /** Cuts the power of every machine. */
  close(): void {
    for (const { machine } of this.#vms.values()) machine?.kill();
  }

  #checkClone(source: Vm, { newid, target, full, storage }: CloneRequest): void {
    if (this.#vms.has(newid)) throw failed(`unable to create VM ${newid}: config file already exists`);
    this.node(target);
    this.#checkUnlocked(source);
    const from = this.#storages.get(source.storage);
    if (target !== source.node && from?.info.shared === false) {
      throw failed(`can't clone VM to node '${target}' (VM uses local storage)`);
    }
    if (!full && from?.info.linkedClones === false) {
      throw failed(
        `Linked clone feature is not supported for drive 'scsi0' (${source.storage}:base-${source.vmid}-disk-0)`,
      );
    }
    if (storage !== undefined && !this.#storages.has(storage)) throw failed(`storage '${storage}' does not exist`);
  }

  #finishClone(vm: Vm, source: Vm, { name, description }: CloneRequest): void {
    vm.lock = undefined;
    vm.name = name;
    vm.description = description ?? source.description;
    vm.tags = source.tags;
    vm.cores = source.cores;
    vm.memory = source.memory;
    vm.agent = source.agent;
    vm.digest += 1;
    vm.namedAt = this.now;
    vm.history.push({ status: 'stopped', at: this.now });
    this.#options.onChange({ vmid: vm.vmid, status: 'stopped' });
  }

  #failureOf(type: string): string | undefined {
    const at = this.#failures.findIndex((failure) => failure.type === type);
    return at < 0 ? undefined : this.#failures.splice(at, 1)[0]?.message;
  }

  /** What a clone is still being made of cannot be edited. */
  #checkEditable(vm: Vm): void {
    if (vm.lock === 'clone' || vm.lock === 'create') this.#checkUnlocked(vm);
  }

  #checkUnlocked(vm: Vm): void {
    if (vm.lock !== undefined) throw failed(`VM is locked (${vm.lock})`);
  }

  #enter(vm: Vm, status: PveStatus): void {
    vm.status = status;
    vm.history.push({ status, at: this.now });
    this.#options.onChange({ vmid: vm.vmid, status });
  }

  #after(ms: number, run: () => void): void {
    this.#options.clock.after(ms, run);
  }

  #put(vm: Vm): Vm {
    this.#vms.set(vm.vmid, vm);
    return vm;
  }

  #templateVm(template: PveTemplate): Vm {
    return {
      ...this.#emptyVm(template.vmid, template.node),
      ...template,
      template,
      isTemplate: true,
      agent: false,
      history: [{ status: 'stopped', at: 0 }],
    };
  }

  #emptyVm(vmid: number, node: string): Vm {
    return {
      vmid,
      node,
      name: undefined,
      isTemplate: false,
      template: undefined,
      storage: this.catalogue.storages[0]?.name ?? '',
      pool: undefined,
      lock: undefined,
      status: 'stopped',
      cores: 1,
      memory: TEMPLATE_MEMORY_MIB,
      tags: '',
      description: '',
      agent: false,
      isProtected: false,
      digest: vmid,
      namedAt: 0,
      history: [],
      agentAt: undefined,
      files: new Map(),
      delivered: undefined,
      machine: undefined,
    };
  }
}

/** Tags as a cluster keeps them: in lower case, sorted, each once. */
function tidyTags(text: string): string {
  const tags = text.toLowerCase().split(/[;, ]+/);
  return [...new Set(tags.filter((tag) => tag !== ''))].sort().join(';');
}
