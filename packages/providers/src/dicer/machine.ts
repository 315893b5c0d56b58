import { timestampMs } from '@bufbuild/protobuf/wkt';
import { InstanceState, type ListedInstance } from '@rungar/dicer-api';
import { parseDicerLabels } from '@rungar/labels';
import type { Machine, MachineState } from '@rungar/model';
import { describeSize } from './runner.js';

/** An instance as far as a machine needs it: what a listing and the answer to a creation both have. */
export type DicerInstance = Pick<
  ListedInstance,
  'id' | 'name' | 'vcpus' | 'memoryBytes' | 'labels' | 'createTime' | 'state' | 'stateError' | 'exitCode'
>;

/** An instance that restarts is none of ours: nothing we make is ever started again. */
const STATES: ReadonlyMap<InstanceState, MachineState> = new Map<InstanceState, MachineState>([
  [InstanceState.STARTING, 'starting'],
  [InstanceState.RUNNING, 'running'],
  [InstanceState.PAUSED, 'running'],
  [InstanceState.STOPPING, 'stopped'],
  [InstanceState.STOPPED, 'stopped'],
  [InstanceState.FAILED, 'stopped'],
]);

/** An instance as a machine. A state that is not known, or that ends in another start, is `unknown`. */
export function toMachine(instance: DicerInstance): Machine {
  const state = STATES.get(instance.state) ?? 'unknown';
  const stateReason = state === 'stopped' ? reasonOf(instance) : undefined;
  return {
    name: instance.name,
    id: instance.id,
    labels: parseDicerLabels(instance.labels),
    state,
    size: describeSize(instance.vcpus, instance.memoryBytes),
    ...(instance.createTime && { createdAt: timestampMs(instance.createTime) }),
    ...(stateReason !== undefined && { stateReason }),
  };
}

function reasonOf({ stateError, exitCode }: DicerInstance): string | undefined {
  if (stateError !== '') return stateError;
  return exitCode === undefined ? undefined : `its command ended with exit code ${exitCode}`;
}
