export { makeCertificate, type SelfMadeCertificate } from './certificate.js';
export { type Cancel, type EmulatorClock, type ManualClock, manualClock, realClock } from './clock.js';
export type { Fault } from './faults.js';
export type { Delivery } from './machine/delivery.js';
export { decodeJitConfig, encodeJitConfig, type JitConfig } from './machine/jit-config.js';
export {
  bootMachine,
  type ConsoleLine,
  type EmulatedMachine,
  type MachineOptions,
  type MachineState,
} from './machine/machine.js';
export { type ProxyEmulator, type ProxyEmulatorOptions, startProxyEmulator } from './proxy.js';
export { type EmulatorRandom, realRandom, seededRandom } from './random.js';
export type { LoggedRequest } from './server.js';
