export type { LoggedCall } from './calls.js';
export type {
  DicerEmulator,
  DicerEmulatorOptions,
  DicerInstanceEvent,
  DicerStats,
  ForeignInstance,
  RefusalCode,
} from './contract.js';
export { startDicerEmulator } from './emulator.js';
export type { DicerTimes } from './fleet.js';
export { DEFAULT_HOST, type DicerHost, type DicerNetwork } from './host.js';
export { type RegistryImage, RUNNER_IMAGE } from './images.js';
export type { EmulatedDicerInstance } from './instance.js';
export type { ClientTls, TlsOptions } from './wire.js';
