export {
  defaultCatalogue,
  type PveCatalogue,
  type PveNode,
  type PveStorage,
  type PveTemplate,
  type PveToken,
  pveTemplate,
  RUNNER_PRIVILEGES,
} from './catalogue.js';
export type {
  ClusterTimes,
  ForeignVm,
  InProcessAnswer,
  InProcessCall,
  NextIdRange,
  PlannedRefusal,
  PveEmulator,
  PveEmulatorOptions,
  PveEvents,
  VmEvent,
} from './contract.js';
export { startPveEmulator } from './emulator.js';
export type { EmulatedVm, PveStatus } from './vm.js';
