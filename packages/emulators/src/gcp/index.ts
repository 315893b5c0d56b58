export type { GceQuota, GceStockScope } from './capacity.js';
export {
  DEFAULT_CATALOGUE,
  type GceCatalogue,
  type GceImage,
  type GceInstanceTemplate,
  type GceMachineType,
  type GceSubnetwork,
} from './catalogue.js';
export type {
  ForeignGceInstance,
  GceCallEvent,
  GceEmulator,
  GceEmulatorOptions,
  GceEvents,
  GceLatency,
  GceStats,
} from './contract.js';
export { startGceEmulator } from './emulator.js';
export type { GceInstanceEvent, GceTimes } from './fleet.js';
export type { GceStatus, NetworkInterface, Scheduling } from './instance.js';
export type { EmulatedGceInstance } from './instance-view.js';
export type { OperationError } from './operations.js';
export type { GceRates } from './rate-quota.js';
export type { PlannedRefusal } from './refusals.js';
