import { create } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import {
  type CreateInstanceRequest,
  type GetResourcesResponse,
  GetResourcesResponseSchema,
  type Instance,
  InstanceState,
  type Mount,
  MountType,
} from '@rungar/dicer-api';
import { refused } from './refusals.js';

/** A network of the host, and how many addresses it has to give. */
export interface DicerNetwork {
  readonly name: string;
  readonly addresses: number;
}

/** What a host has. */
export interface DicerHost {
  readonly hostname: string;
  readonly vcpus: number;
  /** How many virtual CPUs it gives for each that it has. */
  readonly cpuOvercommit: number;
  readonly memoryBytes: bigint;
  readonly diskBytes: bigint;
  /** The first is the default. */
  readonly networks: readonly DicerNetwork[];
  /** The first is the default. */
  readonly kernels: readonly string[];
  readonly volumes: readonly string[];
}

const GIB = 1024n ** 3n;

/** The host an emulated Dicer has, unless it is given another. */
export const DEFAULT_HOST: DicerHost = {
  hostname: 'dicer-1',
  vcpus: 16,
  cpuOvercommit: 4,
  memoryBytes: 128n * GIB,
  diskBytes: 1024n * GIB,
  networks: [{ name: 'default', addresses: 250 }],
  kernels: ['vmlinux-6.12'],
  volumes: ['cache'],
};

/** States in which an instance holds processors and memory. */
const HOLDING: readonly InstanceState[] = [
  InstanceState.STARTING,
  InstanceState.RUNNING,
  InstanceState.PAUSED,
  InstanceState.STOPPING,
];

const holds = (instance: Instance): boolean => HOLDING.includes(instance.state);

/** What of a host is taken, and what is still to be had. */
export class Capacity {
  readonly #host: DicerHost;
  readonly #instances: () => readonly Instance[];

  constructor(host: DicerHost, instances: () => readonly Instance[]) {
    this.#host = host;
    this.#instances = instances;
  }

  get host(): DicerHost {
    return this.#host;
  }

  /** @throws ConnectError for what the host does not know, or could never give */
  assertPossible(request: CreateInstanceRequest): void {
    const { kernelName, networkName, vcpus, memoryBytes, diskBytes, mounts } = request;
    this.#assertKnown('kernel', kernelName, this.#host.kernels);
    this.#assertKnown(
      'network',
      networkName,
      this.#host.networks.map((network) => network.name),
    );
    for (const { type, source } of mounts) {
      if (type === MountType.VOLUME) this.#assertKnown('volume', source, this.#host.volumes);
    }
    if (vcpus > this.#vcpus)
      throw refused(Code.InvalidArgument, `${vcpus} vcpus asked for, the host has ${this.#vcpus}`);
    if (memoryBytes > this.#host.memoryBytes) {
      throw refused(
        Code.InvalidArgument,
        `${memoryBytes} bytes of memory asked for, the host has ${this.#host.memoryBytes}`,
      );
    }
    if (diskBytes > this.#host.diskBytes) {
      throw refused(Code.InvalidArgument, `${diskBytes} bytes of disk asked for, the host has ${this.#host.diskBytes}`);
    }
  }

  /** @throws ConnectError when there is no room for one more to run */
  assertRoom(wanted: Pick<Instance, 'vcpus' | 'memoryBytes' | 'networkName' | 'mounts'>): void {
    const { cpu, memory } = this.resources();
    if (BigInt(wanted.vcpus) > (cpu?.available ?? 0n)) {
      throw refused(Code.ResourceExhausted, `not enough CPU: ${wanted.vcpus} asked for, ${cpu?.available} available`);
    }
    if (wanted.memoryBytes > (memory?.available ?? 0n)) {
      const text = `not enough memory: ${wanted.memoryBytes} bytes asked for, ${memory?.available} available`;
      throw refused(Code.ResourceExhausted, text);
    }
    this.#assertAddress(wanted.networkName);
    for (const mount of wanted.mounts) this.#assertFree(mount);
  }

  resources(): GetResourcesResponse {
    const running = this.#instances().filter(holds);
    const sum = (of: (instance: Instance) => bigint): bigint => running.reduce((all, one) => all + of(one), 0n);
    const capacity = (host: bigint, overcommit: number, allocated: bigint) => {
      const allocatable = BigInt(Math.floor(Number(host) * overcommit));
      return { host, reserved: 0n, overcommit, allocatable, allocated, available: allocatable - allocated };
    };
    const { vcpus, cpuOvercommit, memoryBytes, diskBytes } = this.#host;
    return create(GetResourcesResponseSchema, {
      cpu: capacity(
        BigInt(vcpus),
        cpuOvercommit,
        sum((one) => BigInt(one.vcpus)),
      ),
      memory: capacity(
        memoryBytes,
        1,
        sum((one) => one.memoryBytes),
      ),
      disk: {
        path: '/var/lib/dicer',
        totalBytes: diskBytes,
        freeBytes: diskBytes,
        provisionedBytes: this.#instances().reduce((all, one) => all + one.diskBytes, 0n),
      },
      instances: running.map(({ name, state, vcpus, memoryBytes }) => ({ name, state, vcpus, memoryBytes })),
    });
  }

  get #vcpus(): number {
    return this.#host.vcpus * this.#host.cpuOvercommit;
  }

  #assertKnown(what: string, name: string, known: readonly string[]): void {
    if (name !== '' && !known.includes(name)) throw refused(Code.NotFound, `${what} ${name} not found`);
  }

  #assertAddress(name: string): void {
    const network = this.#host.networks.find((one) => one.name === name);
    const taken = this.#instances().filter((one) => holds(one) && one.networkName === name).length;
    if (network && taken >= network.addresses) {
      throw refused(Code.ResourceExhausted, `network ${name} has no free address`);
    }
  }

  #assertFree({ type, source, readOnly }: Mount): void {
    if (type !== MountType.VOLUME) return;
    const holder = this.#instances().find(
      (one) =>
        holds(one) &&
        one.mounts.some((other) => other.type === type && other.source === source && !(readOnly && other.readOnly)),
    );
    if (holder) throw refused(Code.FailedPrecondition, `volume ${source} is attached to instance ${holder.name}`);
  }
}
