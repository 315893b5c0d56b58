import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import { type CreateInstanceRequest, type Instance, InstanceState } from '@rungar/dicer-api';
import type { EmulatorClock } from '../clock.js';
import { bootMachine } from '../machine/machine.js';
import { type EmulatorRandom, randomHex } from '../random.js';
import { checkCreateRequest } from './create-request.js';
import { Capacity, type DicerHost } from './host.js';
import type { Images } from './images.js';
import { type InstanceRecord, newInstance } from './instance.js';
import { refused } from './refusals.js';

/** How long things take, in milliseconds. */
export interface DicerTimes {
  /** From the start until the machine runs what it was given: always the same, or at random from a range. */
  readonly bootMs: number | readonly [least: number, most: number];
  /** From the end's begin until the instance is stopped. */
  readonly stopMs: number;
}

export interface FleetOptions {
  readonly clock: EmulatorClock;
  readonly random: EmulatorRandom;
  readonly host: DicerHost;
  readonly images: Images;
  readonly times: DicerTimes;
  /** Told of every state an instance enters; nothing when it is deleted. */
  readonly onChange: (name: string, state: keyof typeof InstanceState | undefined) => void;
}

const REGISTRATION = 'ACTIONS_RUNNER_INPUT_JITCONFIG';

/** All instances of the host. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #records = new Map<string, InstanceRecord>();
  readonly capacity: Capacity;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.capacity = new Capacity(options.host, () => this.instances);
  }

  get records(): readonly InstanceRecord[] {
    return [...this.#records.values()];
  }

  get instances(): readonly Instance[] {
    return this.records.map(({ instance }) => instance);
  }

  /** @throws ConnectError `NOT_FOUND` */
  find(nameOrId: string): InstanceRecord {
    const record = this.#records.get(nameOrId) ?? this.records.find(({ instance }) => instance.name === nameOrId);
    if (record === undefined) throw refused(Code.NotFound, `instance ${nameOrId} not found`);
    return record;
  }

  async create(request: CreateInstanceRequest): Promise<Instance> {
    checkCreateRequest(request);
    this.#assertFree(request.name);
    this.capacity.assertPossible(request);
    await this.#options.images.provide(request.imageRef, request.pullPolicy);
    this.#assertFree(request.name); // another may have taken it while the image was pulled
    const { clock, random, host } = this.#options;
    const instance = newInstance(request, host, randomHex(random, 16), clock.now());
    if (request.start) this.capacity.assertRoom(instance);
    const record = this.#add(instance);
    if (request.start) this.#start(record);
    return instance;
  }

  start(nameOrId: string): Instance {
    const record = this.find(nameOrId);
    if (record.instance.state !== InstanceState.STOPPED) {
      throw refused(Code.FailedPrecondition, `instance ${record.instance.name} is not stopped`);
    }
    this.capacity.assertRoom(record.instance);
    this.#start(record);
    return record.instance;
  }

  stop(nameOrId: string): Instance {
    const record = this.find(nameOrId);
    this.#stop(record, 137);
    return record.instance;
  }

  delete(nameOrId: string, force: boolean): void {
    const record = this.find(nameOrId);
    const { state, name } = record.instance;
    if (!force && state !== InstanceState.STOPPED && state !== InstanceState.FAILED) {
      throw refused(Code.FailedPrecondition, `instance ${name} is ${InstanceState[state]?.toLowerCase()}`);
    }
    record.machine?.kill();
    this.#remove(record);
  }

  /** Puts an instance there that nobody asked for over the API. Nothing runs on it. */
  place(instance: Instance): InstanceRecord {
    return this.#add(instance);
  }

  /** The guest ends by itself, as when its kernel panics. */
  crash(nameOrId: string): void {
    this.#stop(this.find(nameOrId), 1);
  }

  /** Shows another state than the instance is in. */
  setState(nameOrId: string, state: InstanceState, error: string): void {
    const { instance } = this.find(nameOrId);
    instance.state = state;
    instance.stateError = error;
  }

  /** What an instance has written to its console, oldest line first. */
  consoleOf({ lines, machine }: InstanceRecord): string[] {
    return [...lines, ...(machine?.console.map(({ text }) => text) ?? [])];
  }

  /** Cuts the power of every machine. */
  close(): void {
    for (const { machine } of this.records) machine?.kill();
  }

  #assertFree(name: string): void {
    if (this.instances.some((instance) => instance.name === name)) {
      throw refused(Code.AlreadyExists, `instance ${name} already exists`);
    }
  }

  #add(instance: Instance): InstanceRecord {
    const record: InstanceRecord = { instance, lines: [], machine: undefined };
    this.#records.set(instance.id, record);
    return record;
  }

  #start(record: InstanceRecord): void {
    this.#enter(record, InstanceState.STARTING);
    this.#options.clock.after(this.#bootMs(), () => this.#boot(record));
  }

  #boot(record: InstanceRecord): void {
    const { instance } = record;
    if (instance.state !== InstanceState.STARTING || !this.#records.has(instance.id)) return;
    instance.startTime = timestampFromMs(this.#options.clock.now());
    this.#enter(record, InstanceState.RUNNING);
    const failure = this.#failureOf(instance);
    if (failure !== undefined) {
      record.lines.push(failure);
      this.#stop(record, 1);
      return;
    }
    record.machine = bootMachine({
      delivery: { kind: 'jit-config', text: instance.env[REGISTRATION] ?? '' },
      bootMs: 0,
      clock: this.#options.clock,
      onPowerOff: () => this.#stop(record, 0),
    });
  }

  /** Why an instance's command ends at once, if it does: what GitHub's runner refuses to start with. */
  #failureOf({ imageRef, cmd, env }: Instance): string | undefined {
    const command = this.#options.images.runnerCommandOf(imageRef);
    if (command === undefined || !cmd.join(' ').includes(command)) return `exec: ${cmd.join(' ')}: not found`;
    if (env.RUNNER_ALLOW_RUNASROOT !== '1') return 'Must not run with sudo';
    return env[REGISTRATION] ? undefined : 'Not configured. Run config.(sh/cmd) to configure the runner.';
  }

  #stop(record: InstanceRecord, exitCode: number): void {
    const { clock, times } = this.#options;
    record.machine?.kill();
    this.#enter(record, InstanceState.STOPPING);
    clock.after(times.stopMs, () => {
      if (!this.#records.has(record.instance.id)) return;
      record.instance.exitCode = exitCode;
      record.instance.finishTime = timestampFromMs(clock.now());
      this.#enter(record, InstanceState.STOPPED);
      if (record.instance.removeOnExit) this.#remove(record);
    });
  }

  #remove(record: InstanceRecord): void {
    this.#records.delete(record.instance.id);
    this.#options.onChange(record.instance.name, undefined);
  }

  #enter({ instance }: InstanceRecord, state: InstanceState): void {
    instance.state = state;
    instance.updateTime = timestampFromMs(this.#options.clock.now());
    this.#options.onChange(instance.name, InstanceState[state] as keyof typeof InstanceState);
  }

  #bootMs(): number {
    const { bootMs } = this.#options.times;
    if (typeof bootMs === 'number') return bootMs;
    const [least, most] = bootMs;
    return least + this.#options.random.fraction() * (most - least);
  }
}
