export type { Command, Input, Output, World } from './command.js';
export {
  type Endpoint,
  type EndpointFault,
  type EndpointReading,
  probablySameRepository,
  readEndpoint,
  redactEndpoint,
} from './endpoint.js';
export { EXIT } from './exit.js';
export { type Generated, type GeneratedPool, generate, generateFrom, generatePool } from './generate/generate.js';
export { manifestFiles, manifestsJson, manifestsYaml, type OutputFile, secretStub } from './generate/manifests.js';
export type { OptionsSource } from './options/gather.js';
export { type CheckedOptions, readPoolOptions } from './options/read-options.js';
export { runIdFromText } from './options/rules/naming.js';
export { optionsSchema } from './options/schema.js';
export { OPTIONS, type OptionKey, type OptionRow, type PoolInput } from './options/table.js';
export {
  type OrchestratorBlock,
  orchestratorBlock,
  orchestratorYaml,
  reducedBlock,
} from './orchestrator/block.js';
export { type Shell, workerFlagLines, workerFlags } from './orchestrator/flags.js';
export {
  ANNOTATIONS,
  type EgressTarget,
  type ExtraEnv,
  type KubeObject,
  LABELS,
  type Link,
  linksOf,
  nodeNames,
  type Platform,
  type Pool,
  type PoolOptions,
  type Transfer,
} from './pool.js';
export {
  InputError,
  type InputProblem,
  isInputError,
  PROBLEM_CODES,
  type ProblemCode,
  problemLine,
} from './problems.js';
export { run } from './run.js';
