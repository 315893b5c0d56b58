export { type ContractOptions, providerContract } from './contract.js';
export type {
  Assertions,
  BackendFaults,
  BackendMachine,
  ContractBackend,
  Fault,
  Harness,
  Limits,
  Need,
  OpenOptions,
  Operation,
  TestFunction,
  TestFunctions,
} from './harness.js';
