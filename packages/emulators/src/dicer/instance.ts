import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type CreateInstanceRequest, type Instance, InstanceSchema, InstanceState } from '@rungar/dicer-api';
import type { EmulatedMachine } from '../machine/machine.js';
import type { DicerHost } from './host.js';

/** An instance as the emulator keeps it. */
export interface InstanceRecord {
  /** As the API shows it. */
  readonly instance: Instance;
  /** Lines of its console from before and after its machine. */
  readonly lines: string[];
  machine: EmulatedMachine | undefined;
}

/** What `InstanceRecord` looks like from outside. */
export interface EmulatedDicerInstance {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly state: keyof typeof InstanceState;
  /** Everything, as the API shows it. */
  readonly message: Instance;
  /** The state of the machine on it, from its boot on. */
  readonly machine: EmulatedMachine['state'] | undefined;
  /** Why there is no runner on it. */
  readonly problem: string | undefined;
  readonly runnerName: string | undefined;
}

/** A definition as a request gives it, not started. */
export function newInstance(request: CreateInstanceRequest, host: DicerHost, id: string, now: number): Instance {
  const { name, imageRef, vcpus, memoryBytes, diskBytes, env, cmd, labels, mounts, removeOnExit } = request;
  const time = timestampFromMs(now);
  return create(InstanceSchema, {
    id,
    name,
    hostname: request.hostname || name,
    imageRef,
    hypervisorType: request.hypervisorType,
    kernelName: request.kernelName || (host.kernels[0] ?? ''),
    vcpus,
    memoryBytes,
    diskBytes,
    networkName: request.networkName || (host.networks[0]?.name ?? ''),
    env,
    cmd,
    labels,
    createTime: time,
    updateTime: time,
    state: InstanceState.STOPPED,
    ...(request.restartPolicy && { restartPolicy: request.restartPolicy }),
    initMode: request.initMode,
    removeOnExit,
    mounts,
  });
}

export function viewOf({ instance, machine }: InstanceRecord): EmulatedDicerInstance {
  const { id, name, labels, env, state } = instance;
  return {
    id,
    name,
    labels: { ...labels },
    env: { ...env },
    state: (InstanceState[state] ?? 'UNSPECIFIED') as keyof typeof InstanceState,
    message: instance,
    machine: machine?.state,
    problem: machine?.problem,
    runnerName: machine?.runnerName,
  };
}
