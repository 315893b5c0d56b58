import type { EmulatorClock } from '../clock.js';
import { bootMachine } from '../machine/machine.js';
import { type EmulatorRandom, randomHex } from '../random.js';
import type { Capacity } from './capacity.js';
import { regionOf } from './catalogue.js';
import { deliveryOf } from './delivery.js';
import type { Disk, GceStatus, Instance, InstancePlan } from './instance.js';
import type { Operation, OperationError, Operations } from './operations.js';

/** How long things take, in milliseconds. A pair is a range to draw from. */
export interface GceTimes {
  /** From an insert to the end of its operation, when the machine is switched on. 0 ends it before it is answered. */
  readonly insertMs: number | readonly [number, number];
  /** From there to the start of the machine's script. */
  readonly bootMs: number;
  readonly deleteMs: number;
  readonly setLabelsMs: number;
  /** From a machine's power-off until it is TERMINATED. */
  readonly stopMs: number;
}

/** A change of an instance. */
export interface GceInstanceEvent {
  readonly name: string;
  readonly id: string;
  readonly zone: string;
  /** `DELETED` when it is there no more. */
  readonly status: GceStatus | 'DELETED';
}

export interface FleetOptions {
  readonly clock: EmulatorClock;
  readonly random: EmulatorRandom;
  readonly project: string;
  readonly capacity: Capacity;
  readonly operations: Operations;
  readonly times: GceTimes;
  readonly onChange: (event: GceInstanceEvent) => void;
}

/** The instances of a project and their disks. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #instances = new Map<string, Instance>();
  #failures: OperationError[] = [];

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** In the order of their creation. */
  get all(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  /** By its name or its numeric id. */
  find(zone: string, nameOrId: string): Instance | undefined {
    return this.all.find(({ id, plan }) => plan.zone === zone && (plan.name === nameOrId || id === nameOrId));
  }

  findDisk(zone: string, nameOrId: string): Disk | undefined {
    return this.all
      .flatMap(({ disks }) => disks)
      .find((disk) => disk.zone === zone && (disk.name === nameOrId || disk.id === nameOrId));
  }

  /** The next inserts are accepted, and their operations come to this. */
  failNext(count: number, error: OperationError): void {
    for (let at = 0; at < count; at++) this.#failures.push(error);
  }

  /** Begins to make an instance; whether there is room for it, its operation says. */
  insert(plan: InstancePlan, requestId: string | undefined): Operation {
    const { clock, capacity, operations } = this.#options;
    const instance = this.#newInstance(plan, clock.now());
    const error = this.#failures.shift() ?? capacity.take(plan, regionOf(plan.zone), this.#plansIn(plan.zone));
    this.#instances.set(instance.id, instance);
    this.#enter(instance, 'PROVISIONING');
    const ms = this.#draw(this.#options.times.insertMs);
    if (ms > 0) clock.after(ms / 2, () => instance.status === 'PROVISIONING' && this.#enter(instance, 'STAGING'));
    return operations.begin(this.#about(instance, 'insert', requestId), ms, () => {
      if (error !== undefined) {
        this.#forget(instance);
        return [error];
      }
      if (!instance.going) this.#switchOn(instance);
      return [];
    });
  }

  /** Puts an instance there that has been running for `ageMs` already. Nothing runs on it. */
  place(plan: InstancePlan, ageMs: number): Instance {
    const instance = this.#newInstance(plan, this.#options.clock.now() - ageMs);
    this.#instances.set(instance.id, instance);
    instance.status = 'RUNNING';
    return instance;
  }

  /** Begins an instance's end; its disks that go with it go too. */
  delete(instance: Instance, requestId: string | undefined): Operation {
    const { operations, times } = this.#options;
    instance.machine?.kill();
    instance.going = true;
    this.#enter(instance, 'STOPPING');
    return operations.begin(this.#about(instance, 'delete', requestId), times.deleteMs, () => {
      if (!this.#instances.has(instance.id)) return [];
      this.#options.capacity.giveBack(instance.plan);
      this.#forget(instance);
      return [];
    });
  }

  setDiskLabels(disk: Disk, labels: Readonly<Record<string, string>>, requestId: string | undefined): Operation {
    const { operations, project, times } = this.#options;
    const target = `projects/${project}/zones/${disk.zone}/disks/${disk.name}`;
    const about = { zone: disk.zone, operationType: 'setLabels', target, targetId: disk.id };
    return operations.begin({ ...about, clientOperationId: requestId }, times.setLabelsMs, () => {
      disk.labels = labels;
      return [];
    });
  }

  setLabels(instance: Instance, labels: Readonly<Record<string, string>>, requestId: string | undefined): Operation {
    const { operations, times } = this.#options;
    return operations.begin(this.#about(instance, 'setLabels', requestId), times.setLabelsMs, () => {
      instance.labels = labels;
      return [];
    });
  }

  /** Google takes an instance away: it is deleted or stopped, as its scheduling says. */
  end(instance: Instance, operationType: string): void {
    if (instance.going) return;
    instance.machine?.kill();
    if (instance.plan.scheduling.instanceTerminationAction === 'DELETE') {
      this.delete(instance, undefined);
      return;
    }
    this.#options.operations.begin(this.#about(instance, operationType, undefined), 0, () => []);
    this.#stop(instance);
  }

  setStatus(instance: Instance, status: GceStatus): void {
    this.#enter(instance, status);
  }

  /** Cuts the power of every machine. */
  close(): void {
    for (const { machine } of this.#instances.values()) machine?.kill();
  }

  #switchOn(instance: Instance): void {
    const { clock, times } = this.#options;
    instance.machine = bootMachine({
      delivery: deliveryOf(instance.plan.metadata),
      bootMs: times.bootMs,
      clock,
      onPowerOff: () => this.#stop(instance),
    });
    this.#enter(instance, 'RUNNING');
    const { terminationTime } = instance.plan.scheduling;
    if (terminationTime !== undefined) {
      clock.after(Date.parse(terminationTime) - clock.now(), () =>
        this.end(instance, 'compute.instances.terminateOnTime'),
      );
    }
  }

  #stop(instance: Instance): void {
    if (instance.going) return;
    this.#enter(instance, 'STOPPING');
    this.#options.clock.after(this.#options.times.stopMs, () => {
      if (!instance.going) this.#enter(instance, 'TERMINATED');
    });
  }

  #forget(instance: Instance): void {
    this.#instances.delete(instance.id);
    const { name, zone } = instance.plan;
    this.#options.onChange({ name, zone, id: instance.id, status: 'DELETED' });
  }

  #enter(instance: Instance, status: GceStatus): void {
    instance.status = status;
    const { name, zone } = instance.plan;
    this.#options.onChange({ name, zone, id: instance.id, status });
  }

  #plansIn(zone: string): readonly InstancePlan[] {
    const region = regionOf(zone);
    return this.all.map(({ plan }) => plan).filter((plan) => regionOf(plan.zone) === region);
  }

  #about(instance: Instance, operationType: string, clientOperationId: string | undefined) {
    const { name, zone } = instance.plan;
    const target = `projects/${this.#options.project}/zones/${zone}/instances/${name}`;
    return { zone, operationType, target, targetId: instance.id, clientOperationId };
  }

  #newInstance(plan: InstancePlan, createdAt: number): Instance {
    const disks = plan.disks.map((disk) => ({ ...disk, id: this.#id(), zone: plan.zone, createdAt }));
    return {
      plan,
      id: this.#id(),
      createdAt,
      disks,
      status: 'PROVISIONING',
      labels: plan.labels,
      machine: undefined,
      going: false,
    };
  }

  /** Larger than a JavaScript number holds exactly, as Google's are. */
  #id(): string {
    return (2n ** 60n + BigInt(`0x${randomHex(this.#options.random, 7)}`)).toString();
  }

  #draw(range: number | readonly [number, number]): number {
    if (typeof range === 'number') return range;
    const [least, most] = range;
    return least + this.#options.random.fraction() * (most - least);
  }
}
