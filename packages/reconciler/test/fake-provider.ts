import {
  type CallOptions,
  type ChangeOptions,
  type Clock,
  type DeleteOutcome,
  type Labels,
  type Machine,
  type MachineListing,
  type MachineRef,
  type MachineRequest,
  type MachineState,
  type OpenProvider,
  RungarError,
} from '@rungar/model';

export interface FakeMachine {
  machine: Machine;
  part: string;
  /** Listings begun before this instant do not show it. */
  visibleFrom: number;
  undeletable: boolean;
}

/** What to do with the next calls of one kind; one entry per call, `undefined` for "as usual". */
export type Fault =
  | 'full'
  /** It is accepted, and found to have no room afterwards. */
  | 'full_later'
  | 'broken'
  /** It happens, but the answer is lost. */
  | 'lost_reply'
  /** It never answers, not even to its signal. */
  | 'hang'
  | 'invalid';

export interface FakeProviderOptions {
  clock: Clock;
  name?: string;
  parts?: string[];
  /** 0 is no limit. */
  capacity?: number;
  createMs?: number;
  /** When within a creation or a deletion the backend says that it has taken it; never unless given. */
  acceptMs?: number;
  deleteMs?: number;
  listMs?: number;
  onCreated?: (machine: Machine, request: MachineRequest) => void;
  onDeleted?: (machine: Machine) => void;
}

/** A backend in memory. It counts every call, and does what it is told to. */
export class FakeProvider implements OpenProvider {
  readonly machines = new Map<string, FakeMachine>();
  readonly calls: {
    call: 'list' | 'create' | 'delete';
    at: number;
    name?: string;
    id?: string;
    labels?: Labels;
    priority?: number;
  }[] = [];
  readonly faults: { create: (Fault | undefined)[]; delete: (Fault | undefined)[]; list: (Fault | undefined)[] } = {
    create: [],
    delete: [],
    list: [],
  };
  /** Decides a fault for calls that have none queued. */
  chooseFault: (call: 'list' | 'create' | 'delete') => Fault | undefined = () => undefined;
  /** What every machine's console says; `hang` never answers. */
  console: readonly string[] | 'hang' | 'broken' | undefined;
  readonly consolesRead: string[] = [];
  /** What it says it is. */
  identity: string | undefined;
  down = false;
  readonly partsDown = new Set<string>();
  capacity: number;
  listLagMs = 0;
  createMs: number;
  listMs: number;
  #next = 1;
  readonly #options: FakeProviderOptions;

  constructor(options: FakeProviderOptions) {
    this.#options = options;
    this.capacity = options.capacity ?? 0;
    this.createMs = options.createMs ?? 500;
    this.listMs = options.listMs ?? 100;
  }

  /** Puts a machine there by hand. */
  put(
    name: string,
    labels: Labels,
    more: { state?: MachineState; createdAt?: number; part?: string } = {},
  ): FakeMachine {
    const { clock, parts = ['zone'] } = this.#options;
    const createdAt = more.createdAt ?? clock.wallNow();
    const entry: FakeMachine = {
      machine: { name, id: `i-${this.#next++}`, labels, state: more.state ?? 'running', size: 'fake', createdAt },
      part: more.part ?? parts[0] ?? 'zone',
      visibleFrom: Number.NEGATIVE_INFINITY,
      undeletable: false,
    };
    this.machines.set(entry.machine.id, entry);
    return entry;
  }

  named(name: string): FakeMachine[] {
    return [...this.machines.values()].filter(({ machine }) => machine.name === name);
  }

  setState(name: string, state: MachineState, stateReason?: string): void {
    const why = stateReason !== undefined && { stateReason };
    for (const entry of this.named(name)) entry.machine = { ...entry.machine, state, ...why };
  }

  /** The machine is gone from one moment to the next, as a spot instance is. */
  vanish(name: string): void {
    for (const { machine } of this.named(name)) this.machines.delete(machine.id);
  }

  count(call: 'list' | 'create' | 'delete'): number {
    return this.calls.filter((one) => one.call === call).length;
  }

  async list(selector: Labels, _options: CallOptions): Promise<MachineListing> {
    const { clock, parts = ['zone'] } = this.#options;
    const begunAt = clock.now();
    this.calls.push({ call: 'list', at: begunAt });
    const fault = this.#fault('list');
    const down = this.down;
    const found = [...this.machines.values()].filter(
      ({ machine, visibleFrom }) =>
        visibleFrom <= begunAt && Object.entries(selector).every(([k, v]) => machine.labels[k] === v),
    );
    await clock.sleep(this.listMs);
    if (fault === 'hang') await new Promise(() => {});
    if (fault || down) throw new RungarError('unavailable', 'the backend does not answer');
    return {
      ...(this.identity !== undefined && { identity: this.identity }),
      parts: parts.map((part) =>
        this.partsDown.has(part)
          ? { part, begunAt, machines: [], error: new Error(`${part} does not answer`) }
          : { part, begunAt, machines: found.filter((entry) => entry.part === part).map(({ machine }) => machine) },
      ),
    };
  }

  async create(request: MachineRequest, options: ChangeOptions): Promise<Machine> {
    const { clock } = this.#options;
    const { name, labels, priority } = request;
    this.calls.push({ call: 'create', at: clock.now(), name, labels, ...(priority !== undefined && { priority }) });
    const fault = this.#fault('create');
    if (fault === 'hang') await new Promise(() => {});
    const full = fault === 'full' || (this.capacity > 0 && this.machines.size >= this.capacity);
    if (full || fault === 'broken' || fault === 'invalid') {
      await clock.sleep(100);
      if (full) throw new RungarError('no_capacity', 'no room for another machine');
      throw new RungarError(fault === 'invalid' ? 'invalid_argument' : 'internal', 'the backend is broken');
    }
    if (fault === 'full_later') {
      await this.#take(this.createMs, options);
      throw new RungarError('no_capacity', 'no room for it after all');
    }
    const entry = this.put(request.name, request.labels, { state: 'starting' });
    entry.visibleFrom = clock.now() + this.listLagMs;
    await this.#take(this.createMs, options);
    if (this.machines.get(entry.machine.id) === entry) {
      entry.machine = { ...entry.machine, state: 'running' };
      this.#options.onCreated?.(entry.machine, request);
    }
    if (fault === 'lost_reply') throw new RungarError('unavailable', 'the answer was lost');
    return entry.machine;
  }

  async delete(ref: MachineRef, selector: Labels, options: ChangeOptions): Promise<DeleteOutcome> {
    const { clock, deleteMs = 300 } = this.#options;
    this.calls.push({ call: 'delete', at: clock.now(), name: ref.name, ...(ref.id !== undefined && { id: ref.id }) });
    const fault = this.#fault('delete');
    if (fault === 'hang') await new Promise(() => {});
    await this.#take(deleteMs, options);
    if (fault && fault !== 'lost_reply') throw new RungarError('internal', 'the deletion was refused');
    const found = this.named(ref.name).filter(({ machine }) => ref.id === undefined || machine.id === ref.id);
    const ours = found.filter(({ machine }) => Object.entries(selector).every(([k, v]) => machine.labels[k] === v));
    if (ours.some(({ undeletable }) => undeletable)) throw new RungarError('internal', 'the machine is locked');
    for (const { machine } of ours) {
      this.machines.delete(machine.id);
      this.#options.onDeleted?.(machine);
    }
    if (fault === 'lost_reply') throw new RungarError('unavailable', 'the answer was lost');
    if (ours.length > 0) return 'deleted';
    return found.length > 0 ? 'stranger' : 'absent';
  }

  async readConsole({ name }: MachineRef): Promise<readonly string[] | undefined> {
    this.consolesRead.push(name);
    if (this.console === 'hang') await new Promise(() => {});
    if (this.console === 'broken') throw new RungarError('internal', 'there is no console');
    return this.console === 'hang' ? undefined : this.console;
  }

  async close(): Promise<void> {}

  async #take(ms: number, { onAccepted }: ChangeOptions): Promise<void> {
    const { clock, acceptMs } = this.#options;
    if (acceptMs === undefined) return await clock.sleep(ms);
    await clock.sleep(acceptMs);
    onAccepted?.();
    await clock.sleep(ms - acceptMs);
  }

  #fault(call: 'list' | 'create' | 'delete'): Fault | undefined {
    return this.faults[call].length > 0 ? this.faults[call].shift() : this.chooseFault(call);
  }
}
